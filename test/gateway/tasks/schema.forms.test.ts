import { readTask } from '../../../nodes/gateway/tasks/schema';

const LINK = 'https://e.com/a';

describe('a task in a form that the spec does not show', () => {
	it.each([
		[{ status: 'succeed' }, 'completed'],
		[{ status: 'finished' }, 'completed'],
		[{ status: 'Done' }, 'completed'],
		[{ status: 'fail' }, 'failed'],
		[{ status: 'rejected' }, 'failed'],
		[{ status: 'Ready', completed_at: 1763640000, output: 'https://e.com/a' }, 'completed'],
		[{ status: 'ready', billing_status: 'settled', result: { images: [LINK] } }, 'completed'],
		[{ status: 'expired', billing_status: 'refunded' }, 'failed'],
		[{ status: 'expired', billing_status: 'refunded', result: { input: [LINK] } }, 'failed'],
		[{ status: 'processing_failed', billing_status: 'refunded' }, 'failed'],
		[{ status: 'blocked', completed_at: 1763640000, cost: 0, result: [LINK] }, 'blocked'],
		[{ status: 'rendered', output: LINK }, 'rendered'],
		[{ status: 'cancelled_by_user', billing_status: 'refunded', cost: 0 }, 'failed'],
		[{ status: 'ready', completed_at: 1763640000, message: 'success', cost: 500 }, 'ready'],
		[{ status: 'expired', completed_at: 1763640000, error: 'Too late' }, 'expired'],
		[{ status: 'pending_review', billing_status: 'settled', output: LINK }, 'pending_review'],
		[{ status: 'in_progress', completed_at: 1763640000, output: LINK }, 'in_progress'],
		[{ status: 'queued', billing_status: 'refunded' }, 'queued'],
		[{ completed_at: 1763640000, error: 'No' }, 'queued'],
	])('takes the state of %j for %s', (reply, status) =>
		expect(readTask({ task_id: 'task_1', ...reply })?.status).toBe(status),
	);

	it.each([
		[
			'a list',
			[{ url: ['https://e.com/a'] }, { url: 'https://e.com/b' }],
			['https://e.com/a', 'https://e.com/b'],
		],
		['links alone', { images: ['https://e.com/a', ''] }, ['https://e.com/a']],
		['one object', { video: { urls: ['https://e.com/a'] } }, ['https://e.com/a']],
		['nothing', null, []],
		[
			'images beside other lists',
			{
				images: [{ url: ['https://e.com/a'] }],
				prompts: ['a red kite'],
				pages: ['https://e.com/p'],
			},
			['https://e.com/a'],
		],
		[
			'lists of other names, links only',
			{ outputs: ['https://e.com/a', 'a red kite', '/relative'] },
			['https://e.com/a'],
		],
		[
			'images and videos',
			{ images: ['https://e.com/a'], videos: [{ url: 'https://e.com/b' }] },
			['https://e.com/a', 'https://e.com/b'],
		],
		[
			'several links in one entry',
			{ images: [{ url: ['https://e.com/a', 'https://e.com/b'] }] },
			['https://e.com/a', 'https://e.com/b'],
		],
		['a link', ' https://e.com/a\n', ['https://e.com/a']],
		['a link under another name', { video_url: LINK, seed: 7 }, [LINK]],
		['entries of another form', { data: [{ image: LINK }] }, [LINK]],
		['a link that is there twice', { video: LINK, outputs: { url: LINK } }, [LINK]],
		['an empty list beside its input', { images: [], input: LINK }, []],
		['the files of the user', { input: { image_urls: [LINK] }, reference_image: LINK }, []],
		[
			'fields of a request',
			{ data: { image_urls: [LINK], video_url: 'https://e.com/b' } },
			['https://e.com/b'],
		],
		['addresses of the gateway', { urls: { get: LINK, cancel: LINK }, callback_url: LINK }, []],
	])('finds the outputs in %s', (_name, result, urls) => {
		expect(readTask({ task_id: 'task_1', status: 'completed', result })?.urls).toEqual(urls);
	});

	it.each([
		[{ output: LINK }, [LINK]],
		[{ images: [{ url: LINK }], result: null }, [LINK]],
		[{ output: LINK, result: { images: [] } }, []],
		[{ images: [LINK], result: { seed: 7 } }, []],
		[{ output: LINK, cost: 0 }, []],
		[{ output: LINK, cost: 0, billing_status: 'pending' }, [LINK]],
		[{ urls: { get: LINK }, url: LINK }, []],
	])('finds the outputs beside the result in %j', (reply, urls) => {
		expect(readTask({ task_id: 'task_1', status: 'completed', ...reply })?.urls).toEqual(urls);
	});

	it.each([
		[{ error: { message: 'No' } }, 'No'],
		[{ error: { reason: 'No', code: 7 } }, 'No'],
		[{ error: { reason: 'Bad Request', detail: 'No' } }, 'No'],
		[{ error: { code: 'no_capacity' } }, 'no_capacity'],
		[{ error: { code: 500, msg: 'No' } }, 'No'],
		[{ error: { error: { message: 'No' } } }, 'No'],
		[{ error: 'No' }, 'No'],
		[{ error: 4001 }, '4001'],
		[{ error: [{ message: 'No' }] }, 'No'],
		[{ errors: [{ message: 'No' }] }, 'No'],
		[{ error: { detail: [{ msg: 'No' }] } }, 'No'],
		[{ error: null, fail_reason: 'No' }, 'No'],
		[{ error: {}, message: 'No' }, 'No'],
		[{ error: { message: '', code: 'x' }, fail_reason: 'No' }, 'No'],
		[{ reason: 'No' }, 'No'],
		[{}, undefined],
	])('reads the reason in %j', (reply, reason) =>
		expect(readTask({ task_id: 'task_1', status: 'failed', ...reply })?.reason).toBe(reason),
	);
});
