import { modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();

describe('Output', () => {
	const one = async (output?: string, download?: string) =>
		(
			await gateway.run('image:generate', {
				model: modelId('imgn-4.0'),
				prompt: 'a kite',
				options: { ...(output && { output }), ...(download && { download }) },
			})
		).items(NODE)[0]!;

	it.each([
		[undefined, undefined, 'data', true],
		['both', undefined, 'data', true],
		['files', undefined, 'data', false],
		['files', 'kite', 'kite', false],
		['links', 'kite', undefined, true],
		[undefined, 'kite', 'kite', true],
	])('%s with the field %s puts the file into %s, and has links: %s', async (...row) => {
		const [output, field, file, hasLinks] = row;
		const { json, binary } = await one(output, field);

		expect(Object.keys(binary ?? {})).toEqual(file ? [file] : []);
		expect('urls' in json).toBe(hasLinks);
		expect('expires_at' in json).toBe(hasLinks);
	});
});
