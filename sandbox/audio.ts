import { extname } from 'node:path';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { speechModels } from './models';
import { Refusal } from './httpError';
import type { Settings } from './settings';
import { charge } from './text/params';
import type { Timers } from './timers';

const endings = ['.mp3', '.mp4', '.mpeg', '.mpga', '.m4a', '.wav', '.webm'];

const types =
	/^((audio|video)\/(mp3|mp4|mpeg|mpga|webm)|audio\/(m4a|x-m4a|wav|x-wav|wave|vnd\.wave))(;|$)/i;

interface Sound {
	name: string;
	bytes: number;
}

/** A name with an ending is judged by that, one without by its content type. */
function checkFormat(name: string, type: string): void {
	const ending = extname(name).toLowerCase();
	const known = ending === '' ? types.test(type) : endings.includes(ending);
	if (!known)
		throw new Refusal(
			400,
			`file must be one of ${endings.join(', ').replaceAll('.', '')}.`,
			'file',
		);
}

/** Reads the form as it arrives; the sound is counted, never kept. */
async function readForm(request: FastifyRequest): Promise<{ sound?: Sound; model?: unknown }> {
	if (!request.isMultipart()) throw new Refusal(400, 'The body must be multipart/form-data.');
	let sound: Sound | undefined;
	let model: unknown;
	let refusal: unknown;
	for await (const part of request.parts()) {
		if (part.type === 'field') {
			if (part.fieldname === 'model') model = part.value;
			continue;
		}
		let bytes = 0;
		for await (const chunk of part.file) bytes += (chunk as Buffer).length;
		if (part.fieldname !== 'file') continue;
		try {
			checkFormat(part.filename, part.mimetype);
		} catch (fault) {
			refusal = fault;
		}
		sound = { name: part.filename, bytes };
	}
	if (refusal !== undefined) throw refusal;
	return { sound, model };
}

/** Transcription and translation (section 2.5). */
export async function addAudio(
	app: FastifyInstance,
	settings: Settings,
	timers: Timers,
): Promise<void> {
	await app.register(multipart, {
		limits: { fileSize: Infinity, files: 10, parts: 1000 },
		throwFileSizeLimit: false,
	});

	const endpoint = (path: string, say: (sound: Sound) => string): void => {
		app.post(path, async (request) => {
			const { sound, model } = await readForm(request);
			if (sound === undefined) throw new Refusal(400, 'file is required.', 'file');
			if (sound.bytes === 0) throw new Refusal(400, 'file is empty.', 'file');
			if (model === undefined) throw new Refusal(400, 'model is required.', 'model');
			if (![...speechModels, ...settings.extraTextModels].includes(String(model)))
				throw new Refusal(400, 'model must be asr-1.', 'model');
			charge(settings);
			await timers.pause(settings.chatMs);
			return { text: say(sound) };
		});
	};
	endpoint(
		'/v1/audio/transcriptions',
		({ name, bytes }) => `Transcript of ${name} (${bytes} bytes).`,
	);
	endpoint(
		'/v1/audio/translations',
		({ name, bytes }) => `English translation of ${name} (${bytes} bytes).`,
	);
}
