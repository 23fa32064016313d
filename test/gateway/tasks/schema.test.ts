import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
	hasNoOutput,
	hasEnded,
	toIsoTime,
	readCharge,
	readTask,
	normalizeStatus,
	type Task,
} from '../../../nodes/gateway/tasks/schema';

const FOLDER = path.join(__dirname, '..', '..', 'fixtures', 'tasks');
const raw = (name: string): unknown =>
	JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'));
const nothing = {
	action: undefined,
	model: undefined,
	createdAt: undefined,
	completedAt: undefined,
	expiresAt: undefined,
	cost: undefined,
	held: undefined,
	reason: undefined,
};
const AT = '2025-11-20T12:00:00.000Z';
const ID = { taskId: 'task_01h8' };

/** What each raw reply means. */
const readings: Record<string, Omit<Task, 'raw'>> = {
	'submitted-milliseconds': {
		...nothing,
		...ID,
		model: 'clipk-v3',
		action: 'generate',
		status: 'queued',
		progress: 0,
		urls: [],
		createdAt: '2025-11-20T12:00:00.123Z',
		held: 178500,
	},
	'submitted-seconds': {
		...nothing,
		...ID,
		model: 'gmn-3-pro-image-preview',
		action: 'generate',
		status: 'queued',
		progress: 0,
		urls: [],
		createdAt: AT,
		held: 21250,
	},
	'submitted-legacy': { ...nothing, ...ID, status: 'queued', progress: 0, urls: [] },
	wrapped: { ...nothing, ...ID, status: 'queued', progress: 0, urls: [] },
	running: {
		...nothing,
		...ID,
		model: 'clipk-v3',
		action: 'generate',
		status: 'processing',
		progress: 45,
		urls: [],
		createdAt: AT,
		held: 178500,
	},
	completed: {
		...nothing,
		...ID,
		model: 'clipk-v3',
		action: 'generate',
		status: 'completed',
		progress: 100,
		cost: 178500,
		urls: ['https://files.example.com/a.mp4'],
		createdAt: AT,
		completedAt: '2025-11-20T12:01:02.000Z',
		expiresAt: '2025-11-21T12:01:02.000Z',
	},
	'completed-two-images': {
		...nothing,
		...ID,
		model: 'gmn-3-pro-image-preview',
		action: 'generate',
		status: 'completed',
		progress: 100,
		cost: 42500,
		urls: ['https://files.example.com/b.jpg', 'https://files.example.com/a.jpg'],
		createdAt: AT,
		completedAt: '2025-11-20T12:00:09.000Z',
		expiresAt: '2025-11-21T12:00:09.000Z',
	},
	'succeeded-with-more': {
		...nothing,
		...ID,
		model: 'sdn-2.5',
		action: 'generate',
		status: 'completed',
		progress: 100,
		cost: 150000,
		urls: ['https://files.example.com/a.mp4'],
		createdAt: AT,
		completedAt: '2025-11-20T12:01:02.000Z',
		expiresAt: '2025-11-21T12:01:02.000Z',
	},
	'failed-object': {
		...nothing,
		...ID,
		model: 'clipk-v3',
		action: 'generate',
		status: 'failed',
		progress: 60,
		urls: [],
		cost: 0,
		reason: 'The prompt was rejected.',
		createdAt: AT,
		completedAt: '2025-11-20T12:01:02.000Z',
	},
	'failed-text': {
		...nothing,
		...ID,
		status: 'failed',
		progress: 0,
		urls: [],
		cost: 0,
		reason: 'The upstream timed out.',
	},
	'failed-reason': {
		...nothing,
		...ID,
		status: 'failed',
		progress: 0,
		urls: [],
		reason: 'The upstream timed out.',
	},
	'failed-code': {
		...nothing,
		...ID,
		status: 'failed',
		progress: 0,
		urls: [],
		cost: 0,
		reason: 'upstream_busy',
	},
	'failed-mute': { ...nothing, ...ID, status: 'failed', progress: 0, urls: [], cost: 0 },
	cancelled: {
		...nothing,
		...ID,
		model: 'clipk-v3',
		action: 'generate',
		status: 'cancelled',
		progress: 10,
		urls: [],
		cost: 0,
		createdAt: AT,
		completedAt: '2025-11-20T12:00:03.000Z',
	},
};

describe('reading a task', () => {
	it.each(Object.entries(readings))(
		'reads the response %s, and keeps it untouched',
		(name, meant) => {
			const given = raw(name);
			const before = JSON.stringify(given);
			expect(readTask(given)).toEqual({ ...meant, raw: given });
			expect(JSON.stringify(given)).toBe(before);
		},
	);

	it('has a case for every fixture', () => {
		expect(
			readdirSync(FOLDER)
				.map((file) => file.replace('.json', ''))
				.sort(),
		).toEqual(Object.keys(readings).sort());
	});

	it.each([
		[0, 0],
		['0%', 0],
		[45, 45],
		['45%', 45],
		['45.5%', 45.5],
		['45', 45],
		[0.45, 45],
		[101, 100],
		[-3, 0],
		['soon', 0],
		[null, 0],
		[true, 0],
	])('reads the progress %p of a running task as %p', (progress, percent) => {
		expect(readTask({ task_id: 'task_1', status: 'processing', progress })?.progress).toBeCloseTo(
			percent,
			6,
		);
	});

	it('counts a completed task as 100, whatever it says', () => {
		expect(readTask({ task_id: 'task_1', status: 'completed', progress: '80%' })?.progress).toBe(
			100,
		);
	});

	it.each([
		['Succeeded', 'completed'],
		['success', 'completed'],
		['COMPLETED', 'completed'],
		['canceled', 'cancelled'],
		['failure', 'failed'],
		['error', 'failed'],
		[' queued ', 'queued'],
		['rendering', 'rendering'],
	])('takes the word %s for %s', (word, status) => expect(normalizeStatus(word)).toBe(status));

	it.each([
		['completed', true],
		['failed', true],
		['cancelled', true],
		['queued', false],
		['processing', false],
		['uploading', false],
	])('sees that a task that is %s has ended: %s', (status, ended) =>
		expect(hasEnded(readTask({ task_id: 'task_1', status })!)).toBe(ended),
	);

	it.each([
		[1763640000, AT],
		[1763640000123, '2025-11-20T12:00:00.123Z'],
		['1763640000', AT],
		['2025-11-20T12:00:00Z', AT],
		[0, undefined],
		[-1, undefined],
		['', undefined],
		['soon', undefined],
		[null, undefined],
		[undefined, undefined],
		[{}, undefined],
		[1e300, undefined],
		['99999999999999999999', undefined],
		[Infinity, undefined],
		[NaN, undefined],
	])('reads the moment %p as %p', (value, iso) => expect(toIsoTime(value)).toBe(iso));

	it.each(['2025-11-20T12:00:00', '2025-11-20 12:00:00'])(
		'reads %s as UTC, wherever the machine is',
		(value) => {
			const { parse } = Date;
			const parseInNewYork = (text: string) => parse(text.endsWith('Z') ? text : `${text}-05:00`);
			jest.spyOn(Date, 'parse').mockImplementation(parseInNewYork);
			const iso = toIsoTime(value);
			jest.restoreAllMocks();

			expect(iso).toBe(AT);
		},
	);

	it.each([
		['a string', 'ok'],
		['nothing', undefined],
		['null', null],
		['a list', []],
		['an object without an ID', { status: 'queued' }],
		['an error body', { error: { code: 400, message: 'No', type: 'invalid_request_error' } }],
		['an empty ID', { task_id: '' }],
		['a legacy error', { code: 'error', data: 'insufficient quota' }],
		['one with a number', { code: 4001, data: 'task_1 is unknown' }],
		['words without a code', { data: 'no such model' }],
		['a number for an ID', { task_id: 7 }],
		['a list of several', { data: [{ task_id: 'task_1' }, { task_id: 'task_2' }] }],
		['a list of something else', { error: 'No', data: [{ id: 'img_1' }] }],
	])('finds no task in %s', (_name, reply) => expect(readTask(reply)).toBeUndefined());

	it.each([
		[{ code: 'success', data: 'a1b2' }, 'a1b2'],
		[{ code: 'SUCCESS', data: 'task_1' }, 'task_1'],
		[{ code: 0, data: 'task_1' }, 'task_1'],
		[{ code: 200, data: { task_id: 'task_1' } }, 'task_1'],
		[{ code: 200, data: [{ task_id: 'task_1', status: 'queued' }] }, 'task_1'],
		[{ data: 'task_1' }, 'task_1'],
		[{ code: null, data: 'task_1' }, 'task_1'],
	])('finds the ID in the legacy response %p', (reply, taskId) =>
		expect(readTask(reply)).toMatchObject({ taskId, status: 'queued' }),
	);

	it.each([
		[null, undefined],
		['', undefined],
		[true, undefined],
		[[], undefined],
		[[5], undefined],
		['soon', undefined],
		[0, 0],
		['0', 0],
		['178500', 178500],
		[12.5, 12.5],
	])('reads the charge %p as %p: what is not known is not 0', (value, quota) =>
		expect(
			readTask({ task_id: 'task_1', status: 'completed', cost: value, pre_consumed_cost: value }),
		).toMatchObject({ cost: quota, held: quota }),
	);

	it.each([
		[{ images: [] }, 0, true],
		[{ videos: [{ url: '' }] }, 0, true],
		[undefined, 0, true],
		[{ images: [] }, 500, false],
		[{ images: [] }, undefined, false],
		[{ images: ['https://e.com/a'] }, 0, false],
	])(
		'a completed task with the result %p and the charge %p has no output: %p',
		(result, cost, isEmpty) =>
			expect(hasNoOutput(readTask({ task_id: 'task_1', status: 'completed', result, cost })!)).toBe(
				isEmpty,
			),
	);

	it.each([
		['settled', 0],
		['SETTLED', 0],
		['refunded', 0],
		[undefined, 0],
		['pending', undefined],
	])('reads the charge 0 of a completed task, with billing_status %p, as %p', (word, cost) => {
		const given = { task_id: 'task_1', cost: 0, ...(word && { billing_status: word }) };
		const completed = readTask({ ...given, status: 'completed', pre_consumed_cost: 500 })!;

		expect(completed.cost).toBe(cost);
		expect(readCharge(completed)).toBe(cost ?? 500);
		expect(hasNoOutput(completed)).toBe(cost === 0);
		expect(readTask({ ...given, status: 'failed' })).toMatchObject({ cost: 0 });
		expect(readTask({ ...given, status: 'completed', cost: 700 })).toMatchObject({ cost: 700 });
	});

	it('is not taken for an entry of its data', () => {
		const given = { id: 'task_1', status: 'completed', data: [{ id: 'img_1', status: 'ready' }] };
		expect(readTask(given)).toMatchObject({ taskId: 'task_1', status: 'completed' });
	});

	it('ignores fields whose types differ from the spec', () => {
		const odd = {
			task_id: 'task_1',
			model: 7,
			action: null,
			status: {},
			progress: [],
			created_at: {},
			result: 'soon',
			cost: {},
			pre_consumed_cost: 'much',
			error: 3,
		};
		expect(readTask(odd)).toEqual({
			...nothing,
			taskId: 'task_1',
			status: 'queued',
			progress: 0,
			urls: [],
			raw: odd,
		});
	});
});
