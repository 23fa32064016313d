import { createGatewayContext, type CredentialContext } from '../../nodes/n8n/gatewayContext';
import { systemClock } from '../../nodes/n8n/systemClock';

let time = 0;
let key: string | Error;
let reads: number;
beforeEach(() => {
	[time, key, reads] = [1_000_000, 'first', 0];
	jest.spyOn(systemClock, 'now').mockImplementation(() => time);
});
afterEach(() => jest.restoreAllMocks());

const node = {
	async getCredentials() {
		reads += 1;
		if (key instanceof Error) throw key;
		return { apiKey: key };
	},
} as unknown as CredentialContext;

describe('the credential of a run', () => {
	it('is read once for what happens at the same time', async () => {
		const { getSecret } = createGatewayContext(node);
		await Promise.all(Array.from({ length: 100 }, getSecret));
		time += 4_999;

		expect(await getSecret()).toBe('first');
		expect(reads).toBe(1);
	});

	it('is read anew soon after it was replaced', async () => {
		const { getSecret } = createGatewayContext(node);
		await getSecret();
		[time, key] = [time + 5_000, 'second'];

		expect(await getSecret()).toBe('second');
	});

	it('is read again at once where it could not be read', async () => {
		const { getSecret } = createGatewayContext(node);
		key = new Error('No');
		expect(await getSecret()).toBe('');
		key = 'second';

		expect(await getSecret()).toBe('second');
	});
});
