import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { resources } from '../../nodes/GenerationGateway/actions';
import { ItemReader } from '../../nodes/n8n/itemReader';
import { runWorkflow } from '../../scripts/engine';
import { useGateway } from '../support/gateway';
import { everyOperation, isGatewayNode } from '../support/operations';

const gateway = useGateway();

/** The parameters and options that each operation asks for. */
function watchParameters(): Map<string, Set<PropertyKey>> {
	const read = new Map<string, Set<PropertyKey>>();
	const namesOf = ({ context }: ItemReader) => {
		const { resource, operation } = context.getNode().parameters;
		const key = `${String(resource)}:${String(operation)}`;
		const names = read.get(key) ?? new Set();
		read.set(key, names);
		return names;
	};
	const { raw } = ItemReader.prototype;
	jest.spyOn(ItemReader.prototype, 'raw').mockImplementation(function (
		this: ItemReader,
		...parameter
	) {
		namesOf(this).add(parameter[0]);
		return raw.apply(this, parameter);
	});
	const { get } = Object.getOwnPropertyDescriptor(ItemReader.prototype, 'rawOptions')!;
	jest.spyOn(ItemReader.prototype, 'rawOptions', 'get').mockImplementation(function (
		this: ItemReader,
	) {
		const names = namesOf(this);
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

it('offers no parameter or option that its operation does not read', async () => {
	const workflow = everyOperation();
	// Other options are read only where a node waits.
	for (const { parameters } of workflow.nodes.filter(isGatewayNode))
		if (parameters.wait === 'none') parameters.wait = 'poll';
	const read = watchParameters();
	const run = await runWorkflow(workflow, gateway.options());

	expect(run.error?.message).toBeUndefined();
	const unread = Object.entries(resources).flatMap(([resource, operations]) =>
		Object.entries(operations).flatMap(([name, { operation }]) =>
			operation.properties
				// One with a condition is read only where it is shown.
				.filter((property) => property.name === 'options' || !property.displayOptions)
				.flatMap((property) =>
					property.name === 'options' ? (property.options as INodeProperties[]) : property,
				)
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
