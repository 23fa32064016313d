import { startSandbox } from '../../sandbox';
import { clientOf, pause, refusal, useSandbox } from '../support/useSandbox';

const body = { model: 'imgn-4.0', prompt: 'a quay' };

describe('faults on order', () => {
	const visitor = useSandbox();
	const failure = (call: Promise<unknown>): Promise<string> =>
		call.then(
			() => 'none',
			(fault: { code?: string }) => fault.code ?? 'unknown',
		);

	it('answers with a status once, then goes on', async () => {
		visitor.sandbox.faults.add({
			match: { method: 'POST', path: '/v1/tasks' },
			kind: { status: 429, retryAfter: '1' },
		});
		const struck = await visitor.submit(body);
		expect(refusal(struck)).toMatchObject({ status: 429, type: 'rate_limit_error' });
		expect(struck.headers['retry-after']).toBe('1');
		expect((await visitor.submit(body)).status).toBe(200);
		expect(visitor.sandbox.requests.map(({ status, fault }) => [status, fault])).toEqual([
			[429, '429'],
			[200, undefined],
		]);
		expect(visitor.sandbox.tasks()).toHaveLength(1);
	});

	it('passes a date as Retry-After, and a code of its own', async () => {
		const date = new Date(Date.now() + 2000).toUTCString();
		visitor.sandbox.faults.add({ kind: { status: 429, retryAfter: date } });
		visitor.sandbox.faults.add({ kind: { status: 500, code: 'asset_store_error' } });
		expect((await visitor.http.get('/v1/assets')).headers['retry-after']).toBe(date);
		expect(refusal(await visitor.http.get('/v1/assets'))).toMatchObject({
			status: 500,
			code: 'asset_store_error',
		});
	});

	it('strikes only what it matches, as often as it was told', async () => {
		visitor.sandbox.faults.add({
			match: { path: /^\/v1\/tasks\/task_/ },
			times: 2,
			kind: { status: 502 },
		});
		const { data } = await visitor.submit(body);
		const statuses = [];
		for (let i = 0; i < 3; i++) statuses.push((await visitor.read(data.task_id)).status);
		expect(statuses).toEqual([502, 502, 200]);
	});

	it('breaks the connection before or after the work', async () => {
		visitor.sandbox.faults.add({ kind: 'reset-before' });
		expect(await failure(visitor.submit(body))).toBe('ECONNRESET');
		expect(visitor.sandbox.tasks()).toHaveLength(0);
		visitor.sandbox.faults.add({ kind: 'reset-after' });
		expect(await failure(visitor.submit(body))).toBe('ECONNRESET');
		expect(visitor.sandbox.tasks()).toHaveLength(1);
		const seen = visitor.sandbox.requests;
		expect(seen.map(({ fault, status }) => [fault, status])).toEqual([
			['reset-before', undefined],
			['reset-after', undefined],
		]);
		expect(seen.map((request) => request.body)).toEqual([body, body]);
	});

	it('does the work and never answers', async () => {
		visitor.sandbox.faults.add({ kind: 'hang' });
		const call = visitor.http.post('/v1/tasks', body, { timeout: 300 });
		expect(await failure(call)).toBe('ECONNABORTED');
		expect(visitor.sandbox.tasks()).toHaveLength(1);
	});

	it('breaks the connection after a silence, as a proxy does', async () => {
		visitor.sandbox.faults.add({ kind: 'hang', hangMs: 100 });
		expect(await failure(visitor.submit(body))).toBe('ECONNRESET');
		expect(visitor.sandbox.tasks()).toHaveLength(1);
	});

	it('strikes what the weather says, where no plan strikes', async () => {
		visitor.sandbox.faults.injection = ({ body: asked }) =>
			(asked as typeof body).prompt === body.prompt ? { kind: { status: 502 } } : undefined;
		visitor.sandbox.faults.add({ kind: { status: 500 } });
		const statuses = [];
		for (const prompt of [body.prompt, body.prompt, 'a mole'])
			statuses.push((await visitor.submit({ ...body, prompt })).status);
		expect(statuses).toEqual([500, 502, 200]);
	});

	it('cuts the JSON short, or sends it slowly', async () => {
		visitor.sandbox.faults.add({ kind: 'broken-json' });
		const broken = await visitor.submit(body);
		expect(broken.status).toBe(200);
		expect(typeof broken.data).toBe('string');
		visitor.sandbox.faults.add({ kind: 'slow-body', bodyMs: 300 });
		const started = Date.now();
		expect((await visitor.submit(body)).data.status).toBe('queued');
		expect(Date.now() - started).toBeGreaterThan(250);
	});

	it('breaks the connection within the reply', async () => {
		visitor.sandbox.faults.add({ match: { path: '/files/big' }, kind: 'reset-midway' });
		expect(
			await failure(
				visitor.http.get('/files/big?bytes=1000000', { headers: { authorization: undefined } }),
			),
		).not.toBe('none');
		visitor.sandbox.faults.add({ kind: 'reset-midway' });
		expect(await failure(visitor.submit(body))).not.toBe('none');
		expect(visitor.sandbox.tasks()).toHaveLength(1);
	});

	it('rolls the same dice for the same seed', async () => {
		const round = async (): Promise<number[]> => {
			visitor.sandbox.reset();
			visitor.sandbox.faults.reseed(7);
			visitor.sandbox.faults.add({ kind: { status: 503 }, probability: 0.5, times: Infinity });
			const statuses = [];
			for (let i = 0; i < 12; i++) statuses.push((await visitor.http.get('/v1/models')).status);
			return statuses;
		};
		const first = await round();
		expect(new Set(first).size).toBe(2);
		expect(await round()).toEqual(first);
	});

	it('limits how many calls are in flight', async () => {
		Object.assign(visitor.sandbox.settings, { concurrencyLimit: 2, apiLatencyMs: 200 });
		const replies = await Promise.all(
			Array.from({ length: 5 }, () => visitor.http.get('/v1/models')),
		);
		expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
		expect(replies.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');
		await pause(20);
		expect((await visitor.http.get('/v1/models')).status).toBe(200);
	});

	it('closes at once while replies hang and waits wait', async () => {
		const sandbox = await startSandbox({ taskMs: Infinity });
		const http = clientOf(sandbox.url, { authorization: `Bearer ${sandbox.key}` });
		sandbox.faults.add({ kind: 'hang' });
		const calls = [failure(http.get('/v1/models'))];
		await pause(50);
		calls.push(failure(http.post('/v1/tasks', body, { headers: { prefer: 'wait=60' } })));
		await pause(50);
		await sandbox.close();
		expect(await Promise.all(calls)).not.toContain('none');
	});

	it('forgets everything but the settings on reset', async () => {
		await visitor.submit(body);
		visitor.sandbox.faults.add({ kind: { status: 500 }, times: 9 });
		visitor.sandbox.reset();
		expect(visitor.sandbox.tasks()).toEqual([]);
		expect(visitor.sandbox.requests).toEqual([]);
		expect((await visitor.http.get('/v1/models')).status).toBe(200);
	});
});
