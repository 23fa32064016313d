import type { AsyncCommand } from 'fast-check';
import { Execute, NextPassOfLoop, RetryInList, type Interruption, type Model } from './commands';
import { UNPRICED, type Behaviour } from './simulatedGateway';
import type { NodeSettings } from './simulatedN8n';
import type { World } from './world';

/** A run without faults, but for what is named. */
const like = (behaves: Partial<Behaviour>, interrupted: Interruption = {}) => ({
	behaviour: {
		faults: [],
		hold: 'right' as const,
		settled: 1,
		durationMs: 300,
		failing: 0,
		skewMs: 0,
		...behaves,
	},
	interruption: interrupted,
});
const rows = (count: number, more: Partial<NodeSettings>): NodeSettings[] => [
	{
		model: 'imgn-4.0',
		rows: count,
		isRandom: false,
		ownKey: 'none',
		wait: 'poll',
		maxWait: 10,
		tries: 1,
		onError: 'continue',
		...more,
	},
];

/** Rare sequences that broke a promise once. */
export const FOUND: Record<string, () => AsyncCommand<Model, World>[]> = {
	// The first row fails, so n8n tries again; the second one waits for the gateway when the user stops.
	'a stop in the second try, of a task that the first has made': () => [
		new Execute(
			like(
				{
					durationMs: 60_000,
					faults: [
						...(['unsent', undefined, 'unsent', 'unsent', 'unsent', 'unsent'] as const),
						...(['unsent', 'refused', 'refused', 'refused', 'refused', 'refused'] as const),
					],
				},
				{ stopAfterMs: 14_000 },
			),
			rows(2, { wait: 'none', tries: 2 }),
		),
	],
	'rows with one key that go on to the next model, and run again': () => [
		new Execute(
			like({
				faults: [
					...(['overloaded', 'refused', 'refused for long', 'refused for long'] as const),
					...(['failed', undefined, 'refused'] as const),
				],
				hold: 'small at first',
				settled: 2,
				failing: 3,
			}),
			rows(3, {
				...{ model: UNPRICED, ownKey: 'shared', fallback: 'qwn-image-2.0', tries: 3 },
				...{ perItem: 1, perDay: 2.5, onError: 'stop' },
			}),
		),
	],
	'a task that failed under a small hold, on the second try of a Retry': () => [
		new Execute(like({ failing: 1 }), rows(2, { wait: 'none', perExecution: 2.5, tries: 2 })),
		new RetryInList(like({ hold: 'small at first', settled: 2, failing: 3 }), false),
		new RetryInList(like({ faults: ['unsent'] }), false),
	],
	'a kill, and a Retry in which the rows have moved': () => [
		new Execute(like({ durationMs: 20_000 }, { killAfterMs: 5_000 }), rows(3, {})),
		new RetryInList(like({}), false, true),
	],
	'a lost reply of a row whose key another row shares': () => [
		new Execute(
			like({ faults: ['failed', 'refused', 'refused', undefined, 'refused for long'] }),
			rows(3, { ownKey: 'shared', perExecution: 1 }),
		),
		new NextPassOfLoop(like({}), 'next pass of a loop'),
	],
	'a refusal in a Retry, after a reply that was lost in the first execution': () => [
		new Execute(
			like({ faults: ['failed', 'refused for long'] }),
			rows(1, { fallback: 'qwn-image-2.0' }),
		),
		new RetryInList(like({ faults: ['refused for long'] }), false),
	],
	'a Retry of a row whose key had a task without a result before the one that is paid': () => [
		new Execute(
			like({ durationMs: 20_000 }),
			rows(4, { model: UNPRICED, perExecution: 2.5, tries: 2, onError: 'stop' }),
		),
		new RetryInList(
			like({
				faults: ['refused'],
				hold: 'small at first',
				settled: 2,
				failing: 3,
				skewMs: -60_000,
			}),
			false,
		),
		new RetryInList(
			like({ hold: 'small at first', settled: 0.5, durationMs: 3_000, skewMs: 60_000 }),
			false,
		),
	],
	'a key whose task is of a fallback model, and an execution that gets one of the first model':
		() => [
			new Execute(
				like({ faults: ['refused for long'] }),
				rows(1, { ownKey: 'row', fallback: 'qwn-image-2.0' }),
			),
			new Execute(like({}, { stopAfterMs: 1_000 }), rows(1, { ownKey: 'shared' })),
		],
	'a lost reply, and another execution that hears that its task has failed': () => [
		new Execute(
			like({ faults: ['failed', 'refused for long'], failing: 1 }),
			rows(1, { ownKey: 'shared' }),
		),
		new Execute(like({ settled: 2 }), rows(1, { ownKey: 'shared' })),
		new Execute(like({}), rows(1, { perDay: 2.5 })),
	],
	'a Retry that makes, in another process, what the first execution may have made': () => [
		new Execute(like({ faults: ['unsent', 'refused for long'] }), rows(1, { wait: 'none' })),
		new RetryInList(like({ hold: 'missing' }), true),
		new Execute(like({}), rows(1, { perDay: 1 })),
	],
	'a stop, after which the task of a key is found that another execution may have made': () => [
		new Execute(
			like({ faults: ['unsent', 'refused for long'] }),
			rows(1, { model: UNPRICED, ownKey: 'row' }),
		),
		new Execute(
			like({ faults: ['failed', 'unsent'] }, { stopAfterMs: 15 }),
			rows(1, { ownKey: 'row' }),
		),
		new Execute(like({}, { stopAfterMs: 15 }), rows(1, { perDay: 1 })),
	],
	'two executions at once with one key, of which the first is refused and the second makes the task':
		() => {
			const [row] = rows(1, { ownKey: 'row' });
			return [new Execute(like({ faults: ['refused'] }), [row!, row!])];
		},
	'a lost reply whose task has failed, in a Retry that the limit of a day ends, and its Retry':
		() => {
			const [row] = rows(3, { perDay: 2.5, tries: 3, onError: 'stop' });
			const faults = [
				undefined,
				undefined,
				'refused for long',
				'unsent',
				'refused for long',
			] as const;
			return [
				new Execute(like({ durationMs: 20_000, failing: 1 }), [row!, row!]),
				new RetryInList(like({ faults, hold: 'zero', settled: 15 }), true),
				new RetryInList(like({ settled: 15, failing: 3 }), false),
			];
		},
	'a lost reply of two executions with one key, of which one is stopped, and two others with limits of a day':
		() => {
			const [first] = rows(2, {
				ownKey: 'shared',
				wait: 'none',
				perDay: 1,
				tries: 2,
				onError: 'stop',
			});
			const [low] = rows(1, { perDay: 1 });
			const [high] = rows(1, { perDay: 2.5 });
			return [
				new Execute(like({ faults: ['lost'], hold: 'zero' }, { stopAfterMs: 15 }), [
					first!,
					first!,
				]),
				new Execute(like({}, { killAfterMs: 1_000 }), [low!, high!]),
			];
		},
	'tasks without a price in two executions, of which one is stopped': () => {
		const [two] = rows(2, { model: UNPRICED, perDay: 2.5 });
		const [one] = rows(1, { model: UNPRICED, perDay: 1 });
		const faults = [
			undefined,
			'failed',
			'refused for long',
			'unsent',
			undefined,
			'refused for long',
		] as const;
		return [new Execute(like({ faults, settled: 15 }, { stopAfterMs: 1_000 }), [two!, one!])];
	},
	'two rows with one key whose submissions are under way at a stop, and a refused call': () => [
		new Execute(
			like({ faults: [undefined, undefined, 'refused'], failing: 1 }, { stopAfterMs: 15 }),
			rows(3, { ownKey: 'shared', perDay: 1 }),
		),
	],
	'two executions with shared keys of which a task fails, and a limit of a day': () => {
		const [row] = rows(3, {
			ownKey: 'shared',
			isRandom: true,
			wait: 'none',
			tries: 2,
			onError: 'stop',
		});
		const faults = [undefined, undefined, undefined, 'refused for long'] as const;
		return [
			new Execute(like({ faults, hold: 'missing', failing: 1 }), [row!, row!]),
			new Execute(like({}), rows(1, { perDay: 2.5 })),
		];
	},
	'a lost reply in a second try that another row ends before anything is sent': () => [
		new Execute(
			like({
				faults: ['lost', undefined, undefined, undefined, undefined, 'refused for long'],
				settled: 15,
				failing: 3,
			}),
			rows(4, { perExecution: 4, tries: 2, onError: 'stop' }),
		),
	],
	'a lost reply of the second row that fails': () => [
		new Execute(
			like({
				faults: ['refused for long', 'unsent', 'refused for long', 'lost', 'refused for long'],
			}),
			rows(2, { model: UNPRICED, perExecution: 1, tries: 2, onError: 'stop' }),
		),
	],
	'a task that is found after the stop, and a Retry of two rows with its key': () => [
		new Execute(
			like(
				{ faults: ['unsent', 'refused for long', undefined, 'refused for long'] },
				{ stopAfterMs: 15 },
			),
			rows(3, { ownKey: 'shared', perExecution: 1 }),
		),
		new RetryInList(like({}), false),
	],
};
