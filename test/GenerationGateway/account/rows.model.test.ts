import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { FaultKind, RecordedRequest } from '../../../sandbox';
import { retryExecution, runWorkflow, type EngineRun } from '../../../scripts/engine';
import { onFastClock } from '../../support/fastClock';
import { gatewayNode, modelId, NODE, PHOTO, useGateway, type Menu } from '../../support/gateway';
import { inLoop } from '../../support/loop';
import { restartProcess } from '../../support/restartProcess';

/** As many random sequences; for more: `SEQUENCES=5000 npx jest test/GenerationGateway/account/rows.model`. */
const RUNS = Number(process.env.SEQUENCES ?? 100);
const SEED = Number(process.env.SEED ?? 20_261_126);

const gateway = useGateway({ assetReviewMs: 0 });

/** Operations that pay for or change something without a key of the gateway, with the texts of a row. */
const OPERATIONS: Record<Menu, (texts: string) => IDataObject> = {
	'text:chat': (texts) => ({
		model: modelId('gp-5-mini'),
		messages: { entry: [{ role: 'user', text: `={{ ${texts}[0] }}` }] },
	}),
	'embedding:create': (texts) => ({
		model: modelId('text-embedding-3-small'),
		input: `={{ ${texts} }}`,
		options: { batchSize: 1 },
	}),
	'asset:create': (texts) => ({
		assetModel: 'sdn-2.0',
		assetType: 'image',
		url: PHOTO,
		name: `={{ ${texts}[0] }}`,
	}),
};

/** `reset-after` and `status: 500` leave open whether the request was carried out; a 400 was not. */
const FAULTS = {
	none: undefined,
	refused: { status: 400 },
	failed: { status: 500 },
	overloaded: { status: 429, retryAfter: '0' },
	lost: 'reset-after',
	unsent: 'reset-before',
	broken: 'broken-json',
} as const satisfies Record<string, FaultKind | undefined>;

/** An execution, or a Retry of the one before, in the same process or in another one. */
interface Attempt {
	/** Of its calls, in order; the rest are answered. */
	faults: (keyof typeof FAULTS)[];
	isRestarted: boolean;
}
const attempt: fc.Arbitrary<Attempt> = fc.record({
	faults: fc.array(fc.constantFrom('none', ...(Object.keys(FAULTS) as (keyof typeof FAULTS)[])), {
		maxLength: 6,
	}),
	isRestarted: fc.boolean(),
});
const settings = fc.record({
	menu: fc.constantFrom(...(Object.keys(OPERATIONS) as Menu[])),
	/** A row has one text, which is another one in each try. */
	isRandom: fc.boolean(),
	/** Texts of each row. */
	rows: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
	tries: fc.integer({ min: 1, max: 3 }),
	onError: fc.constantFrom(undefined, undefined, 'continueRegularOutput' as const),
	concurrency: fc.constantFrom(1, 3),
	/** Each row is a run of its own. */
	isLoop: fc.boolean(),
});

type NodeSettings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;

const isCall = ({ method, path }: { method: string; path: string }) =>
	method === 'POST' && path.startsWith('/v1') && path !== '/v1/tasks';

function injectFaults(faults: Attempt['faults']): void {
	const left = [...faults];
	gateway.sandbox.faults.injection = (request) => {
		const kind = isCall(request) ? FAULTS[left.shift() ?? 'none'] : undefined;
		return kind && { kind };
	};
}

/** The texts that the gateway has answered in full, so that the node must know it. */
const answered = (): string[] =>
	gateway.sandbox.requests
		.filter((request) => isCall(request) && request.fault === undefined && request.status! < 300)
		.flatMap(({ body }: RecordedRequest) => JSON.stringify(body).match(/row \d+\.\d+/g) ?? []);

/** An execution and its Retries. The last one meets no fault. */
async function execute(
	{ menu, isRandom, rows, tries, onError, concurrency, isLoop }: NodeSettings,
	attempts: Attempt[],
): Promise<void> {
	gateway.sandbox.reset();
	restartProcess();
	const items = rows.map((count, row) => ({
		texts: Array.from({ length: isRandom ? 1 : count }, (_, index) => `row ${row}.${index}`),
	}));
	const node = { retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1, onError };
	const random = '$json.texts.map((text) => text + " " + Math.random())';
	const { options, ...parameters } = OPERATIONS[menu]!(isRandom ? random : '$json.texts');
	const given = { ...parameters, options: { ...(options as IDataObject), concurrency } };
	const start = async () =>
		isLoop
			? await runWorkflow(inLoop(gatewayNode(menu, given, node), items), gateway.options())
			: await gateway.run(menu, given, { items, node });
	let run: EngineRun | undefined;
	for (const { faults, isRestarted } of [...attempts, { faults: [], isRestarted: false }]) {
		if (run && run.status !== 'error') break;
		injectFaults(faults);
		// A Retry with other texts asks for something else.
		if (isRandom) gateway.sandbox.requests.length = 0;
		if (isRestarted) restartProcess();
		run = run ? await retryExecution(run) : await start();
		const texts = answered();
		expect(texts).toEqual([...new Set(texts)]);
	}
	expect(run!.error?.message).toBeUndefined();
	const runs = run!.run.data.resultData.runData[NODE]!;
	expect(runs.flatMap(({ data }) => data?.main?.[0] ?? [])).toHaveLength(rows.length);
}

describe('rows without a key', () => {
	const plain: Omit<NodeSettings, 'menu'> = {
		isRandom: false,
		rows: [2, 1],
		tries: 1,
		onError: undefined,
		concurrency: 1,
		isLoop: false,
	};
	it.each(Object.keys(OPERATIONS) as Menu[])(
		'are paid once each without a fault: %s',
		async (menu) => execute({ ...plain, menu }, []),
	);

	it(
		`are paid once each in ${RUNS} random sequences of tries, retries and faults`,
		onFastClock(async () => {
			const attempts = fc.array(attempt, { minLength: 1, maxLength: 4 });
			const property = fc.asyncProperty(settings, attempts, execute);
			await fc.assert(property, { numRuns: RUNS, seed: SEED });
		}),
		7_200_000,
	);
});
