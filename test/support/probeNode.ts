import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
} from 'n8n-workflow';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { runWorkflow, type EngineOptions, type WorkflowJson } from '../../scripts/engine';

export type Execute = (context: IExecuteFunctions) => Promise<INodeExecutionData[]>;

/** A node type with one text parameter, the credential of these tests, and the given behaviour. */
export function createProbeNode(execute: Execute, properties: INodeProperties[] = []): INodeType {
	return {
		description: {
			displayName: 'Probe',
			name: 'probe',
			group: ['transform'],
			version: 1,
			description: 'Does what a test needs',
			defaults: { name: 'Probe' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: 'probeApi', required: false }],
			usableAsTool: true,
			properties: [
				{ displayName: 'Text', name: 'text', type: 'string', default: '' },
				...properties,
			],
		},
		async execute(this: IExecuteFunctions) {
			return [await execute(this)];
		},
	};
}

export const PROBE = 'test.probe';

/** Runs a workflow in which the probe does what the test gives it to do. */
export async function runProbe(
	workflow: WorkflowJson,
	execute: Execute,
	options: EngineOptions = {},
) {
	return await runWorkflow(workflow, {
		...options,
		nodeTypes: { [PROBE]: createProbeNode(execute), ...options.nodeTypes },
	});
}

/** Bytes that a stream holds. */
export async function countBytes(stream: Readable): Promise<number> {
	let bytes = 0;
	for await (const chunk of stream) bytes += (chunk as Buffer).length;
	return bytes;
}

/** A server of the test's own, for as long as it is used. */
export async function withServer<T>(
	listener: RequestListener,
	use: (url: string) => Promise<T>,
): Promise<T> {
	const server: Server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	try {
		return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}
