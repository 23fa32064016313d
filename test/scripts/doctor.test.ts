import { listChanged } from '../support/listedModels';
import { runScript } from '../support/runScript';
import { useSandbox } from '../support/useSandbox';

const fixture = useSandbox();
const run = async (key = 'sandbox-key', url = fixture.sandbox.url) =>
	await runScript('scripts/doctor/index.ts', ['--url', url], { GATEWAY_KEY: key });

describe('npm run doctor', () => {
	it('ends with 0 where nothing differs', async () => {
		const { code, output } = await run();

		const host = new URL(fixture.sandbox.url).host;
		expect(output).toMatch(`## Models of ${host}: no differences\n`);
		expect(code).toBe(0);
		expect(fixture.sandbox.requests).toMatchObject([{ method: 'GET', path: '/v1/models' }]);
	});

	it('prints a report to paste, and ends with 1', async () => {
		fixture.sandbox.settings.listModels = listChanged;
		const { code, output } = await run();

		expect(output).toMatch(/^## Models of .*: 1 new, 1 missing, 1 listed again, 1 price moved\n/);
		for (const row of [
			'| `clipk-zz` | `video` | `{"currency":"USD","unit":"second","price":0.2}` | `nodes/catalog/families/clipk.ts` |',
			'| `clipk-v2.6` | video | `nodes/catalog/families/clipk.ts` |',
			'| `srx-2` | video | delisted | `nodes/catalog/families/srx.ts` |',
			'| `imgn-4.0` | 0.0425 USD (21,250 quota) | 0.05 | `{"currency":"USD","unit":"image","price":0.05}` | `nodes/catalog/families/imgn.ts` |',
		])
			expect(output).toContain(row);
		expect(output).not.toContain('sandbox-key');
		expect(code).toBe(1);
	});

	it('takes the address with its version prefix, and tries again after a fault', async () => {
		const fault = { match: { method: 'GET' }, times: 1, kind: { status: 503 } };
		fixture.sandbox.faults.add(fault);

		expect((await run('sandbox-key', `${fixture.sandbox.url}/v1/`)).code).toBe(0);
		expect(fixture.sandbox.requests).toHaveLength(2);
	});

	it.each<[string, string | undefined, string | undefined, RegExp]>([
		['a wrong key', 'wrong-key-1', undefined, /does not accept the API key.*Check GATEWAY_KEY\.$/],
		[
			'a port where nobody listens',
			undefined,
			'http://127.0.0.1:1',
			/could not be reached .*runs\.$/,
		],
		['an address of another kind', undefined, 'ftp://a.example.com', /^Base URL must start with/],
		['no address', undefined, 'gateway', /^The address is not a URL\.\n/],
		['no key', '', undefined, /^GATEWAY_KEY is empty\.\n/],
	])('names %s, and ends with 1', async (_name, key, url, message) => {
		const { code, output } = await run(key, url);
		expect(output.trim()).toMatch(message);
		expect(output).not.toContain('wrong-key-1');
		expect(code).toBe(1);
	});

	it('names a reply without a list', async () => {
		const fault = { match: { method: 'GET' }, times: 9, kind: 'broken-json' as const };
		fixture.sandbox.faults.add(fault);
		const { code, output } = await run();
		expect(output).toMatch(/The gateway sent a response that cannot be read \(status 200\)\. /);
		expect(code).toBe(1);
	});
});
