import { listModels } from '../../../nodes/gateway/models/api';
import { catchError } from '../../support/gatewayClient';
import { createVirtualGateway, ok } from '../../support/virtualGateway';

it('lists the models that the gateway offers', async () => {
	const { client, clock, requests } = createVirtualGateway(() => ok({ data: ['gp-5'] }));

	expect(await clock.run(listModels(client))).toEqual([{ id: 'gp-5', raw: 'gp-5' }]);
	expect(requests).toMatchObject([{ method: 'GET', path: '/v1/models' }]);
});

it('reports an error that comes with status 200', async () => {
	const { client, clock } = createVirtualGateway(() => ok({ error: { message: 'Not today.' } }));

	expect(await clock.run(catchError(listModels(client)))).toMatchObject({
		code: 'unreadable_response',
		message: 'The gateway answered without a list of models: Not today.',
	});
});
