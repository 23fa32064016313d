// The template of @n8n/node-cli, unchanged: n8n's own lint for what ships (npm run lint:n8n).
import { config } from '@n8n/node-cli/eslint';

export default config;
