import { extname } from 'node:path';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { audioModels } from './models';
import { HttpError } from './httpError';
import type { Settings } from './settings';
import { charge } from './text/params';
import type { Timers } from './timers';

const EXTENSIONS = ['.mp3', '.mp4', '.mpeg', '.mpga', '.m4a', '.wav', '.webm'];

const CONTENT_TYPES =
	/^((audio|video)\/(mp3|mp4|mpeg|mpga|webm)|audio\/(m4a|x-m4a|wav|x-wav|wave|vnd\.wave))(;|$)/i;

/** Sandbox-only: how long a recording is. */
const BYTES_A_SECOND = 100;

interface AudioFile {
	name: string;
	bytes: number;
}

/** A file name with an extension is checked by it, one without by its content type. */
function checkFormat(name: string, type: string): void {
	const extension = extname(name).toLowerCase();
	const isKnown = extension === '' ? CONTENT_TYPES.test(type) : EXTENSIONS.includes(extension);
	if (!isKnown)
		throw new HttpError(
			400,
			`file must be one of ${EXTENSIONS.join(', ').replaceAll('.', '')}.`,
			'file',
		);
}

/** Reads the form as it arrives; the sound is counted, never kept. */
async function readForm(
	request: FastifyRequest,
): Promise<{ audioFile?: AudioFile; model?: unknown; format?: unknown }> {
	if (!request.isMultipart()) throw new HttpError(400, 'The body must be multipart/form-data.');
	let audioFile: AudioFile | undefined;
	let model: unknown;
	let format: unknown;
	let formatError: unknown;
	for await (const part of request.parts()) {
		if (part.type === 'field') {
			if (part.fieldname === 'model') model = part.value;
			if (part.fieldname === 'response_format') format = part.value;
			continue;
		}
		let bytes = 0;
		for await (const chunk of part.file) bytes += (chunk as Buffer).length;
		if (part.fieldname !== 'file') continue;
		try {
			checkFormat(part.filename, part.mimetype);
		} catch (fault) {
			formatError = fault;
		}
		audioFile = { name: part.filename, bytes };
	}
	if (formatError !== undefined) throw formatError;
	return { audioFile, model, format };
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

	const addEndpoint = (path: string, transcribe: (audioFile: AudioFile) => string): void => {
		app.post(path, async (request) => {
			const { audioFile, model, format } = await readForm(request);
			if (audioFile === undefined) throw new HttpError(400, 'file is required.', 'file');
			if (audioFile.bytes === 0) throw new HttpError(400, 'file is empty.', 'file');
			if (model === undefined) throw new HttpError(400, 'model is required.', 'model');
			if (![...audioModels, ...settings.extraTextModels].includes(String(model)))
				throw new HttpError(400, 'model must be asr-1.', 'model');
			charge(settings);
			await timers.delay(settings.chatMs);
			const text = transcribe(audioFile);
			return format === 'verbose_json'
				? { text, duration: audioFile.bytes / BYTES_A_SECOND }
				: { text };
		});
	};
	addEndpoint(
		'/v1/audio/transcriptions',
		({ name, bytes }) => `Transcript of ${name} (${bytes} bytes).`,
	);
	addEndpoint(
		'/v1/audio/translations',
		({ name, bytes }) => `English translation of ${name} (${bytes} bytes).`,
	);
}
