import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../httpError';
import type { Body, Settings } from '../settings';
import { bodyOf } from '../tasks';
import type { Timers } from '../timers';
import { chat } from './chat';
import { message } from './messages';
import { generateContent } from './native';
import { charge } from './params';
import { respond } from './responses';
import { stream, type Event } from './stream';

type Speaker = (body: Body, settings: Settings) => { whole: Body; events: Event[] };

/** The four text endpoints of section 2.5. */
export function addText(app: FastifyInstance, settings: Settings, timers: Timers): void {
	const speak = (path: string, speaker: Speaker): void => {
		app.post(path, async (request: FastifyRequest, reply: FastifyReply) => {
			const body = bodyOf(request);
			const { whole, events } = speaker(body, settings);
			charge(settings);
			await timers.pause(settings.chatMs);
			return body.stream === true ? stream(reply, events, settings.chunkMs, timers) : whole;
		});
	};
	speak('/v1/chat/completions', chat);
	speak('/v1/responses', respond);
	speak('/v1/messages', message);

	app.post('/v1/models/*', async (request) => {
		const target = (request.params as { '*': string })['*'];
		const model = /^(.+):generateContent$/.exec(target)?.[1];
		if (model === undefined) throw new Refusal(404, `There is no POST /v1/models/${target}.`);
		const reply = generateContent(model, bodyOf(request), settings);
		charge(settings);
		await timers.pause(settings.chatMs);
		return reply;
	});
}
