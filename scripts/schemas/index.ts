import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { outputSchemas, triggerSchema, type JsonSchema } from './outputSchemas';

const NODES = path.join(__dirname, '..', '..', 'dist', 'nodes');
/** The folder of version 1 of a node, by the name under which n8n looks for it. */
const VERSION = path.join('__schema__', 'v1.0.0');

async function write(file: string, schema: JsonSchema): Promise<void> {
	await mkdir(path.dirname(file), { recursive: true });
	await writeFile(`${file}.json`, JSON.stringify({ ...schema, version: 1 }));
}

/** Writes the output schemas beside the built nodes, where n8n finds them by resource and operation. */
async function main(): Promise<void> {
	for (const [resource, operations] of Object.entries(outputSchemas))
		for (const [operation, schema] of Object.entries(operations))
			await write(path.join(NODES, 'GenerationGateway', VERSION, resource, operation), schema);
	const trigger = path.join(NODES, 'GenerationGatewayTrigger', VERSION);
	// The editor looks for the first, the builder for the second.
	await write(trigger, triggerSchema);
	await write(path.join(trigger, 'output'), triggerSchema);
}

main().catch((reason: unknown) => {
	console.error(reason);
	process.exitCode = 1;
});
