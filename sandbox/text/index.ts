import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../httpError';
import type { Body, Settings } from '../settings';
import { readBody } from '../tasks';
import type { Timers } from '../timers';
import { chat } from './chat';
import { createMessage } from './messages';
import { generateContent } from './native';
import { charge } from './params';
import { respond } from './responses';
import { sendEvents, type ServerSentEvent } from './stream';

type TextHandler = (body: Body, settings: Settings) => { whole: Body; events: ServerSentEvent[] };

/** The four text endpoints of section 2.5. */
export function addText(app: FastifyInstance, settings: Settings, timers: Timers): void {
	const addEndpoint = (path: string, handler: TextHandler): void => {
		app.post(path, async (request: FastifyRequest, response: FastifyReply) => {
			const body = readBody(request);
			const { whole, events } = handler(body, settings);
			charge(settings);
			await timers.delay(settings.chatMs);
			return body.stream === true ? sendEvents(response, events, settings.chunkMs, timers) : whole;
		});
	};
	addEndpoint('/v1/chat/completions', chat);
	addEndpoint('/v1/responses', respond);
	addEndpoint('/v1/messages', createMessage);

	app.post('/v1/models/*', async (request) => {
		const target = (request.params as { '*': string })['*'];
		const model = /^(.+):generateContent$/.exec(target)?.[1];
		if (model === undefined) throw new HttpError(404, `There is no POST /v1/models/${target}.`);
		const response = generateContent(model, readBody(request), settings);
		charge(settings);
		await timers.delay(settings.chatMs);
		return response;
	});
}
