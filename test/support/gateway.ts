import { inspect } from 'node:util';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import {
	itemsNode,
	linear,
	runWorkflow,
	type EngineOptions,
	type EngineRun,
	type GivenItem,
	type NodeSpec,
} from '../../scripts/engine';
import { prepareContainer } from '../../scripts/engine/container';
import { packageWith, typeOf } from '../../scripts/package';
import type { RecordedRequest, Settings } from '../../sandbox';
import { assertOutputSchema } from './outputSchema';
import { useSandbox, type SandboxContext } from './useSandbox';

/** The name the node under test has in its workflow. */
export const NODE = 'Gateway';

export interface RunOptions {
	/** One empty item unless said otherwise. */
	items?: Array<GivenItem | IDataObject>;
	/** Further settings of the node, e.g. `{ onError: 'continueErrorOutput' }`. */
	node?: Partial<NodeSpec>;
	engine?: EngineOptions;
}

export type Menu = `${string}:${string}`;

export interface GatewayFixture extends SandboxContext {
	/** Runs a workflow of some items and the node, on the menu entry `resource:operation`. */
	run: (menu: Menu, parameters: IDataObject, options?: RunOptions) => Promise<EngineRun>;
	/** The package with the credential of this sandbox. */
	options: () => EngineOptions;
	/** Every submission, oldest first, without those that wait for a task that is known. */
	posts: () => RecordedRequest[];
	/** The bodies of all submissions, oldest first. */
	bodies: () => unknown[];
	/** The lines of n8n's log that have the key, since it was last asked. */
	logWithKey: () => string[];
}

/** The node as it stands in a workflow. */
export function gatewayNode(
	menu: Menu,
	parameters: IDataObject,
	more: Partial<NodeSpec> = {},
): NodeSpec {
	const [resource, operation] = menu.split(':');
	return {
		type: typeOf('generationGateway'),
		name: NODE,
		credentials: 'generationGatewayApi',
		parameters: { resource, operation, ...parameters } as NodeSpec['parameters'],
		...more,
	};
}

/** Runs a workflow of some items and the node, whose items must be what its output schema says. */
export async function runNode(
	node: NodeSpec,
	items: RunOptions['items'] = [{}],
	options: EngineOptions,
): Promise<EngineRun> {
	const run = await runWorkflow(linear(itemsNode(items), node), options);
	if (run.status === 'success') assertOutputSchema(node.parameters as IDataObject, run.json(NODE));
	return run;
}

/** A sandbox for one test file, and the node pointed at it. */
export function useGateway(settings: Partial<Settings> = {}): GatewayFixture {
	const fixture = useSandbox({ taskMs: 20, ...settings }) as GatewayFixture;
	fixture.options = () => packageWith(fixture.sandbox.url, fixture.sandbox.key);
	fixture.run = async (menu, parameters, { items = [{}], node, engine } = {}) =>
		await runNode(gatewayNode(menu, parameters, node), items, {
			...fixture.options(),
			...engine,
		});
	fixture.posts = () =>
		fixture.sandbox.requests.filter(
			({ method, path, headers }) => method === 'POST' && path === '/v1/tasks' && !headers.prefer,
		);
	fixture.bodies = () => fixture.posts().map(({ body }) => body);
	fixture.logWithKey = watchLog(() => fixture.sandbox.key);
	return fixture;
}

/** n8n's log must never have the key. */
function watchLog(key: () => string): () => string[] {
	prepareContainer();
	const withKey: string[] = [];
	const log = (...line: unknown[]) => {
		const text = inspect(line, { depth: 8, maxStringLength: null, maxArrayLength: null });
		if (text.includes(key())) withKey.push(text);
	};
	Object.assign(Container.get(Logger), { error: log, warn: log, info: log, debug: log });
	const take = () => withKey.splice(0);
	afterEach(() =>
		expect({ 'log with the API key': take() }).toEqual({ 'log with the API key': [] }),
	);
	return take;
}

/** A model as the resource locator stores it. */
export const modelId = (value: string, mode = 'id'): IDataObject => ({ __rl: true, mode, value });

export const PHOTO = 'https://example.com/photo.png';
export const SECOND_PHOTO = 'https://example.com/second.png';
export const CLIP = 'https://example.com/clip.mp4';
