import type { IHookFunctions } from 'n8n-workflow';
import { GenerationGatewayTrigger } from '../../nodes/GenerationGatewayTrigger/GenerationGatewayTrigger.node';

describe('a secret that cannot be part of a URL', () => {
	const activate = (secret: string) => {
		const node = {
			getNode: () => ({ name: 'Trigger' }),
			getWorkflow: () => ({ name: 'Nightly' }),
			getNodeParameter: () => secret,
		} as unknown as IHookFunctions;
		return new GenerationGatewayTrigger().webhookMethods.default.checkExists.call(node);
	};

	it.each(['.', '..', 'a b', 'a/b', ':id', '*', 'ä', 'a?b', 'a#b', 'a%20b'])(
		'is refused when the workflow is activated: "%s"',
		async (secret) =>
			await expect(activate(secret)).rejects.toThrow(/^Secret of Trigger in Nightly m(ay|ust) /),
	);

	it('names all characters that it may hold', async () => {
		await expect(activate('a b')).rejects.toThrow(
			'Secret of Trigger in Nightly may hold letters, digits and - _ . ~ only',
		);
	});

	it.each(['', '...', '.a', 'a.b', 'kite-7f3a_~'])('"%s" is none', async (secret) => {
		await expect(activate(secret)).resolves.toBe(true);
	});
});
