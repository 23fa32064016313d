import type { IBinaryData } from 'n8n-workflow';
import { toText } from '../../catalog/json';
import { joinWords } from '../../catalog/labels';
import { quotaToUsd } from '../../catalog/pricing';
import { AUDIO_FORMATS } from '../../catalog/textEndpoints';
import { readAudioUsage, sendAudio, type AudioTask } from '../../gateway/audio/api';
import { readQuota } from '../../gateway/quota';
import { createForm } from '../../n8n/binary/form';
import { inputFieldParameter, keyOfFile, readInputFile } from '../../n8n/binary/input';
import type { ItemReader } from '../../n8n/itemReader';
import { modelLocator } from '../../n8n/modelLocator';
import { readModel } from '../../n8n/modelParameter';
import {
	concurrency,
	extraBody,
	includeInput,
	offerLater,
	optionsCollection,
} from '../../n8n/options';
import { costLimits } from '../account/costOptions';
import { reserveUsage } from '../account/usageAccount';
import type { Operation, Run } from '../operation';

const TYPES_OF_FORMATS = Object.entries({
	mp3: ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/mpeg3', 'audio/mpga'],
	m4a: ['audio/mp4', 'audio/m4a', 'audio/x-m4a'],
	wav: ['audio/wav', 'audio/wave', 'audio/x-wav', 'audio/vnd.wave'],
	webm: ['audio/webm', 'video/webm'],
	mp4: ['video/mp4'],
	mpeg: ['video/mpeg'],
});

/** A file name with the extension of its format, which the endpoints read. Undefined for another format. */
function toAudioFileName({ fileName = '', mimeType = '' }: IBinaryData): string | undefined {
	const ending = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase();
	if (AUDIO_FORMATS.some((format) => format === ending)) return fileName;
	const given = mimeType.split(';')[0]!.trim().toLowerCase();
	const [format] = TYPES_OF_FORMATS.find(([, types]) => types.includes(given)) ?? [];
	return format && `${fileName.replace(/\.\w+$/, '') || 'speech'}.${format}`;
}

/** `file` is in the form already. `stream` would make the gateway stream. */
const NO_FIELDS = new Set(['file', 'stream']);

/** Texts of the form: one part for each entry of a list. What has no value is left out. */
const toFields = (given: Record<string, unknown>): [name: string, text: string][] =>
	Object.entries(given)
		.filter(([name]) => !NO_FIELDS.has(name))
		.flatMap(([name, value]) => [value].flat().map((part): [string, unknown] => [name, part]))
		.filter(([, part]) => part !== undefined && part !== null)
		.map(([name, part]) => [name, toText(part)]);

const options = optionsCollection([
	concurrency,
	...costLimits(offerLater),
	extraBody,
	includeInput,
]);

const inputField = inputFieldParameter(`A file in ${joinWords(AUDIO_FORMATS)}`);

async function readPlan(item: ItemReader, run: Run, task: AudioTask) {
	const model = readModel(item, 'audio');
	const { field, data, size } = await readInputFile(item);
	const extra = item.option(extraBody);
	const name = toAudioFileName(data);
	if (!name) {
		const facts = [data.fileName, data.mimeType].filter(Boolean).join(', ');
		const given = facts || 'of an unknown type';
		throw item.failWith(
			inputField.name,
			`${inputField.property.displayName}: the file in "${field}" must be ${joinWords(AUDIO_FORMATS)}, but is ${given}`,
		);
	}
	const fields = toFields({ ...extra, model });
	item.assertValid();
	const row = run.rows.find(item.index, [task, fields, keyOfFile(data)]);
	// How long a recording is, only the answer tells.
	const spend = await reserveUsage(item, run, row, [model], {});
	return { file: { data, name, size }, fields, model, row, spend };
}

type Plan = Awaited<ReturnType<typeof readPlan>>;

/** Speech to text, in its own language or in English: multipart, spec section 2.5. */
export function createAudioOperation(task: AudioTask): Operation<Plan> {
	return {
		properties: [modelLocator('audio'), inputField.property, options],
		plan: (item, run) => readPlan(item, run, task),
		async perform({ file, fields, model, row, spend }, { context, client }) {
			if (row.outputs) return row.outputs;
			const transcribe = async () => {
				const answer = await sendAudio(client, task, () => createForm(context, fields, file));
				return { answer, model, usage: readAudioUsage(answer), cost: readQuota(answer.cost) };
			};
			const { answer, cost } = await spend(transcribe);
			const price = cost !== undefined && { cost, cost_usd: quotaToUsd(cost) };
			return (row.outputs = [{ json: { ...answer, ...price } as { text: string } }]);
		},
	};
}
