import dns from 'node:dns';

const HOST = 'gateway.example.com';

/** The address of a server of this machine under a public name, which leads here for the rest of the test file. */
export function toPublicUrl(url: string): string {
	const lookup = dns.lookup.bind(dns) as (...args: unknown[]) => void;
	if (!jest.isMockFunction(dns.lookup))
		jest
			.spyOn(dns, 'lookup')
			.mockImplementation(((name: string, ...more: unknown[]) =>
				lookup(name === HOST ? '127.0.0.1' : name, ...more)) as never);
	return url.replace('127.0.0.1', HOST);
}
