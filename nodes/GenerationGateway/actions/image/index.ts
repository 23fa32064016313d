import type { Resource } from '../../menu';
import { createPanelOperation } from '../../tasks/panelOperation';

/** Each model has its own panel: spec sections 2.2 and 2.3. */
export const image: Resource = {
	generate: {
		name: 'Generate an Image',
		action: 'Generate an image (text to image, edit, upscale)',
		description: 'POST /v1/tasks',
		operation: createPanelOperation('image'),
	},
};
