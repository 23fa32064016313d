import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { resources } from '../../nodes/GenerationGateway/actions';
import { ItemReader } from '../../nodes/n8n/itemReader';
import { runWorkflow } from '../../scripts/engine';
import { useGateway } from '../support/gateway';
import { everyOperation, isGatewayNode } from '../support/operations';

const gateway = useGateway();

/** The options that each operation asks for. */
function watchOptions(): Map<string, Set<PropertyKey>> {
	const read = new Map<string, Set<PropertyKey>>();
	const { get } = Object.getOwnPropertyDescriptor(ItemReader.prototype, 'rawOptions')!;
	jest.spyOn(ItemReader.prototype, 'rawOptions', 'get').mockImplementation(function (
		this: ItemReader,
	) {
		const { resource, operation } = this.context.getNode().parameters;
		const key = `${String(resource)}:${String(operation)}`;
		const names = read.get(key) ?? new Set();
		read.set(key, names);
		return new Proxy(get!.call(this) as IDataObject, {
			has(options, name) {
				names.add(name);
				return name in options;
			},
			get(options, name) {
				names.add(name);
				return options[name as string];
			},
		});
	});
	return read;
}

afterEach(() => void jest.restoreAllMocks());

it('offers no option that its operation does not read', async () => {
	const workflow = everyOperation();
	// Other options are read only where a node waits.
	for (const { parameters } of workflow.nodes.filter(isGatewayNode))
		if (parameters.wait === 'none') parameters.wait = 'poll';
	const read = watchOptions();
	const run = await runWorkflow(workflow, gateway.options());

	expect(run.error?.message).toBeUndefined();
	const unread = Object.entries(resources).flatMap(([resource, operations]) =>
		Object.entries(operations).flatMap(([name, { operation }]) =>
			operation.properties
				.filter((property) => property.name === 'options')
				.flatMap(({ options }) => options as INodeProperties[])
				.filter(({ displayOptions }) => {
					const { '/operation': offeredBy = [name] } = displayOptions?.show ?? {};
					return offeredBy.includes(name);
				})
				.filter((option) => !read.get(`${resource}:${name}`)?.has(option.name))
				.map((option) => `${resource}:${name} offers ${option.name}, but never reads it`),
		),
	);
	expect([...new Set(unread)]).toEqual([]);
});
