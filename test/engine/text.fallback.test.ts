import type { IDataObject } from 'n8n-workflow';
import type { FaultInjection } from '../../sandbox/faults';
import { textEndpoints } from '../../nodes/catalog/textEndpoints';
import { ENDPOINTS, STREAMING, textParameters, toMessage } from '../support/conversation';
import { NODE, useGateway } from '../support/gateway';

const gateway = useGateway();

describe.each(ENDPOINTS)('a text of $style', (one) => {
	const other = textEndpoints[one.style].models.find((id) => id !== one.model)!;
	const parameters = textParameters(one, [toMessage('Hello')], {
		options: { fallbackModels: other },
	});
	const isFirst = ({ path, body }: Parameters<FaultInjection>[0]) =>
		path.includes(`/${one.model}:`) || (body as IDataObject | undefined)?.model === one.model;

	it.each([false, true])(
		'comes from the next model when the first is overloaded (stream: %s)',
		async (stream) => {
			gateway.sandbox.faults.injection = (request) =>
				isFirst(request) ? { kind: { status: 503 } } : undefined;
			const options = {
				fallbackModels: other,
				...(stream && STREAMING.includes(one) && { stream }),
			};
			const run = await gateway.run(one.menu, { ...parameters, options });
			expect(run.json(NODE)).toMatchObject([
				{
					text: 'You said: Hello',
					model: other,
					fallback_from: one.model,
					fallback_reason: expect.stringContaining('could not process the request'),
				},
			]);
			expect(gateway.sandbox.requests).toHaveLength(2);
		},
	);

	it('comes from no other model where the first may have been paid', async () => {
		gateway.sandbox.faults.injection = (request) =>
			isFirst(request) ? { kind: 'reset-after' } : undefined;
		await gateway.run(one.menu, parameters);
		expect(gateway.sandbox.requests).toHaveLength(1);
	});

	it('refuses a fallback model of another endpoint before anything is sent', async () => {
		const options = { fallbackModels: 'imgn-4.0' };
		const run = await gateway.run(one.menu, { ...parameters, options });
		expect(run.nodeError(NODE)!.message).toBe('Fallback model imgn-4.0 is for images, not text');
		expect(gateway.sandbox.requests).toEqual([]);
	});
});
