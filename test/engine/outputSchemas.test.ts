import { existsSync } from 'node:fs';
import path from 'node:path';
import { resources } from '../../nodes/GenerationGateway/actions';
import { runWorkflow, type EngineRun } from '../../scripts/engine';
import { outputSchemas } from '../../scripts/schemas/outputSchemas';
import { assertBuilt } from '../../scripts/build';
import { useGateway } from '../support/gateway';
import { everyOperation, isGatewayNode, operationsLeftOut } from '../support/operations';
import { assertOutputSchema } from '../support/outputSchema';

const gateway = useGateway();

/** Every run of the node in the other tests is held against these schemas, too: see test/support/gateway. */
describe('the output schemas', () => {
	it('are there for every operation of the menu', () => {
		const namesOf = (resource: string, operations: object) =>
			Object.keys(operations).map((operation) => `${resource}:${operation}`);
		const menu = Object.entries(resources).flatMap(([name, operations]) =>
			namesOf(name, operations),
		);
		const stated = Object.entries(outputSchemas).flatMap(([name, schemas]) =>
			namesOf(name, schemas),
		);

		const FILE = 'scripts/schemas/outputSchemas.ts';
		expect([
			...menu
				.filter((name) => !stated.includes(name))
				.map((name) => `${name} has no schema in ${FILE}`),
			...stated
				.filter((name) => !menu.includes(name))
				.map((name) => `${name} of ${FILE} is not in the menu`),
		]).toEqual([]);
	});

	it('lie where n8n looks for them', () => {
		assertBuilt();
		const nodes = path.join(__dirname, '..', '..', 'dist', 'nodes');
		const files = [
			'GenerationGateway/__schema__/v1.0.0/image/generate.json',
			'GenerationGatewayTrigger/__schema__/v1.0.0.json',
			'GenerationGatewayTrigger/__schema__/v1.0.0/output.json',
		];

		expect(files.filter((file) => !existsSync(path.join(nodes, file)))).toEqual([]);
	});
});

describe('a run of every operation', () => {
	const workflow = everyOperation();
	let run: EngineRun;
	beforeAll(async () => void (run = await runWorkflow(workflow, gateway.options())));

	// Before the others, because the log is empty once it was asked for.
	it("keeps the API key out of n8n's log", () => expect(gateway.logWithKey()).toEqual([]));

	it('gives items as the output schemas say', () => {
		expect(operationsLeftOut()).toEqual([]);
		expect(run.error && `${run.executed.at(-1)}: ${run.error.message}`).toBeUndefined();
		for (const { name, parameters } of workflow.nodes.filter(isGatewayNode)) {
			expect(run.json(name)).not.toEqual([]);
			assertOutputSchema(parameters, run.json(name));
		}
	});
});
