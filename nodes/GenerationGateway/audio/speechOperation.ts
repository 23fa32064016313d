import type { IBinaryData } from 'n8n-workflow';
import { joinWords } from '../../catalog/labels';
import { AUDIO_FORMATS } from '../../catalog/families';
import { createForm } from '../../n8n/binary/form';
import { GatewayError } from '../../gateway/errors';
import { readInputFile, inputField } from '../../n8n/binary/input';
import { modelLocator } from '../../n8n/modelLocator';
import { readModel } from '../../n8n/modelParameter';
import { InputError, showUnderOperation, type Operation } from '../operation';
import { concurrency, extraBody, readObjectOption, optionsCollection } from '../../n8n/options';

interface Plan {
	file: { data: IBinaryData; name: string; size: number };
	fields: Record<string, string>;
}

const FORMATS: readonly string[] = AUDIO_FORMATS;
const BY_TYPE: Record<string, string> = {
	'audio/mpeg': 'mp3',
	'audio/mp3': 'mp3',
	'audio/mp4': 'm4a',
	'audio/m4a': 'm4a',
	'audio/x-m4a': 'm4a',
	'audio/wav': 'wav',
	'audio/wave': 'wav',
	'audio/x-wav': 'wav',
	'audio/vnd.wave': 'wav',
	'audio/webm': 'webm',
	'video/webm': 'webm',
	'video/mp4': 'mp4',
	'video/mpeg': 'mpeg',
};

/** A file name that tells the format, since that is how speech endpoints know it; undefined for another format. */
function speechName({ fileName = '', mimeType }: IBinaryData): string | undefined {
	const ending = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase();
	if (ending && FORMATS.includes(ending)) return fileName;
	const format = BY_TYPE[mimeType.split(';')[0]!.trim().toLowerCase()];
	return format && `${fileName.replace(/\.\w+$/, '') || 'speech'}.${format}`;
}

/** Speech to text, in its own language or in English: multipart, spec section 2.5. */
export function createAudioOperation(
	operation: 'transcribe' | 'translate',
	path: string,
): Operation<Plan> {
	return {
		properties: showUnderOperation(
			'audio',
			[operation],
			[
				modelLocator('audio'),
				inputField(`A file in ${joinWords(AUDIO_FORMATS)}`),
				optionsCollection([concurrency, extraBody]),
			],
		),
		async plan(item) {
			const model = readModel(item);
			const { field, data, size } = await readInputFile(item);
			const extra = readObjectOption(item, 'extra_body', 'Extra Body');
			if (extra.issue) throw new InputError([extra.issue]);
			const name = speechName(data);
			if (!name) {
				const given = [data.fileName, data.mimeType].filter(Boolean).join(', ');
				const message = `Input Data Field Name (binaryPropertyName): "${field}" holds ${given}, and ${joinWords(AUDIO_FORMATS)} is accepted`;
				throw new InputError([{ field: 'binaryPropertyName', message }]);
			}
			const fields = Object.entries({ ...extra.value, model }).map(([key, value]) => [
				key,
				String(value),
			]);
			return {
				file: { data, name, size },
				fields: Object.fromEntries(fields) as Record<string, string>,
			};
		},
		async perform({ file, fields }, { context, client }) {
			const { body } = await client.request({
				kind: 'write',
				method: 'POST',
				path,
				form: () => createForm(context, fields, file),
				timeoutMs: 900_000,
			});
			const { text } = body as { text?: unknown };
			if (typeof text === 'string') return [{ json: { ...(body as { text: string }) } }];
			throw new GatewayError(
				'The gateway answered without a text',
				'Run it again, or try another model.',
				{ retry: true },
			);
		},
	};
}
