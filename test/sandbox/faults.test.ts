import { startSandbox } from '../../sandbox';
import { clientOf, delay, readError, useSandbox } from '../support/useSandbox';

const body = { model: 'imgn-4.0', prompt: 'a quay' };

describe('faults on order', () => {
	const fixture = useSandbox();
	const failure = (request: Promise<unknown>): Promise<string> =>
		request.then(
			() => 'none',
			(fault: { code?: string }) => fault.code ?? 'unknown',
		);

	it('answers with a status once, then goes on', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: '/v1/tasks' },
			kind: { status: 429, retryAfter: '1' },
		});
		const results = await fixture.submit(body);
		expect(readError(results)).toMatchObject({ status: 429, type: 'rate_limit_error' });
		expect(results.headers['retry-after']).toBe('1');
		expect((await fixture.submit(body)).status).toBe(200);
		expect(fixture.sandbox.requests.map(({ status, fault }) => [status, fault])).toEqual([
			[429, '429'],
			[200, undefined],
		]);
		expect(fixture.sandbox.tasks()).toHaveLength(1);
	});

	it('passes a date as Retry-After, and a code of its own', async () => {
		const date = new Date(Date.now() + 2000).toUTCString();
		fixture.sandbox.faults.add({ kind: { status: 429, retryAfter: date } });
		fixture.sandbox.faults.add({ kind: { status: 500, code: 'asset_store_error' } });
		expect((await fixture.http.get('/v1/assets')).headers['retry-after']).toBe(date);
		expect(readError(await fixture.http.get('/v1/assets'))).toMatchObject({
			status: 500,
			code: 'asset_store_error',
		});
	});

	it('affects only what it matches, as often as requested', async () => {
		fixture.sandbox.faults.add({
			match: { path: /^\/v1\/tasks\/task_/ },
			times: 2,
			kind: { status: 502 },
		});
		const { data } = await fixture.submit(body);
		const statuses = [];
		for (let i = 0; i < 3; i++) statuses.push((await fixture.read(data.task_id)).status);
		expect(statuses).toEqual([502, 502, 200]);
	});

	it('breaks the connection before or after the work', async () => {
		fixture.sandbox.faults.add({ kind: 'reset-before' });
		expect(await failure(fixture.submit(body))).toBe('ECONNRESET');
		expect(fixture.sandbox.tasks()).toHaveLength(0);
		fixture.sandbox.faults.add({ kind: 'reset-after' });
		expect(await failure(fixture.submit(body))).toBe('ECONNRESET');
		expect(fixture.sandbox.tasks()).toHaveLength(1);
		const seen = fixture.sandbox.requests;
		expect(seen.map(({ fault, status }) => [fault, status])).toEqual([
			['reset-before', undefined],
			['reset-after', undefined],
		]);
		expect(seen.map((request) => request.body)).toEqual([body, body]);
	});

	it('does the work and never answers', async () => {
		fixture.sandbox.faults.add({ kind: 'hang' });
		const request = fixture.http.post('/v1/tasks', body, { timeout: 300 });
		expect(await failure(request)).toBe('ECONNABORTED');
		expect(fixture.sandbox.tasks()).toHaveLength(1);
	});

	it('breaks the connection after a silence, as a proxy does', async () => {
		fixture.sandbox.faults.add({ kind: 'hang', hangMs: 100 });
		expect(await failure(fixture.submit(body))).toBe('ECONNRESET');
		expect(fixture.sandbox.tasks()).toHaveLength(1);
	});

	it('uses the injection where no plan matches', async () => {
		fixture.sandbox.faults.injection = ({ body: sent }) =>
			(sent as typeof body).prompt === body.prompt ? { kind: { status: 502 } } : undefined;
		fixture.sandbox.faults.add({ kind: { status: 500 } });
		const statuses = [];
		for (const prompt of [body.prompt, body.prompt, 'a mole'])
			statuses.push((await fixture.submit({ ...body, prompt })).status);
		expect(statuses).toEqual([500, 502, 200]);
	});

	it('cuts the JSON short, or sends it slowly', async () => {
		fixture.sandbox.faults.add({ kind: 'broken-json' });
		const broken = await fixture.submit(body);
		expect(broken.status).toBe(200);
		expect(typeof broken.data).toBe('string');
		fixture.sandbox.faults.add({ kind: 'slow-body', bodyMs: 300 });
		const started = Date.now();
		expect((await fixture.submit(body)).data.status).toBe('queued');
		expect(Date.now() - started).toBeGreaterThan(250);
	});

	it('breaks the connection within the reply', async () => {
		fixture.sandbox.faults.add({ match: { path: '/files/big' }, kind: 'reset-midway' });
		expect(
			await failure(
				fixture.http.get('/files/big?bytes=1000000', { headers: { authorization: undefined } }),
			),
		).not.toBe('none');
		fixture.sandbox.faults.add({ kind: 'reset-midway' });
		expect(await failure(fixture.submit(body))).not.toBe('none');
		expect(fixture.sandbox.tasks()).toHaveLength(1);
	});

	it('draws the same random numbers for the same seed', async () => {
		const round = async (): Promise<number[]> => {
			fixture.sandbox.reset();
			fixture.sandbox.faults.reseed(7);
			fixture.sandbox.faults.add({ kind: { status: 503 }, probability: 0.5, times: Infinity });
			const statuses = [];
			for (let i = 0; i < 12; i++) statuses.push((await fixture.http.get('/v1/models')).status);
			return statuses;
		};
		const first = await round();
		expect(new Set(first).size).toBe(2);
		expect(await round()).toEqual(first);
	});

	it('limits how many calls are in flight', async () => {
		Object.assign(fixture.sandbox.settings, { concurrencyLimit: 2, apiLatencyMs: 200 });
		const replies = await Promise.all(
			Array.from({ length: 5 }, () => fixture.http.get('/v1/models')),
		);
		expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
		expect(replies.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');
		await delay(20);
		expect((await fixture.http.get('/v1/models')).status).toBe(200);
	});

	it.each(['slow-body', 'broken-json', 'reset-midway', 'silent-body', 'silent-midway'] as const)(
		'spoils a reply only once by %s, also one whose client has left',
		async (kind) => {
			const warnings: string[] = [];
			const listen = ({ name }: Error) => void warnings.push(name);
			process.on('warning', listen);
			fixture.sandbox.settings.apiLatencyMs = 60;
			fixture.sandbox.faults.add({ kind, match: { method: 'POST' } });
			const leaves = { signal: AbortSignal.timeout(30) };
			await failure(fixture.http.post('/v1/tasks', body, leaves));
			await delay(200);
			process.off('warning', listen);
			fixture.sandbox.settings.apiLatencyMs = 0;

			// Each reply that is sent anew adds its listeners, until Node warns; fastify breaks at the third.
			expect(warnings).not.toContain('MaxListenersExceededWarning');
		},
	);

	it('closes at once while replies hang and waits wait', async () => {
		const sandbox = await startSandbox({ taskMs: Infinity });
		const http = clientOf(sandbox.url, { authorization: `Bearer ${sandbox.key}` });
		sandbox.faults.add({ kind: 'hang' });
		const calls = [failure(http.get('/v1/models'))];
		await delay(50);
		calls.push(failure(http.post('/v1/tasks', body, { headers: { prefer: 'wait=60' } })));
		await delay(50);
		await sandbox.close();
		expect(await Promise.all(calls)).not.toContain('none');
	});

	it('forgets everything but the settings on reset', async () => {
		await fixture.submit(body);
		fixture.sandbox.faults.add({ kind: { status: 500 }, times: 9 });
		fixture.sandbox.reset();
		expect(fixture.sandbox.tasks()).toEqual([]);
		expect(fixture.sandbox.requests).toEqual([]);
		expect((await fixture.http.get('/v1/models')).status).toBe(200);
	});
});
