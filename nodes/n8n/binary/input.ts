import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { getOwn } from '../../catalog/json';
import { unreadableFileError } from '../../gateway/errors';
import type { ItemReader } from '../itemReader';
import { textParameter } from '../parameters';

const LABEL = 'Input Data Field Name';

export const inputFieldParameter = (hint: string) =>
	textParameter({
		name: 'binaryPropertyName',
		displayName: LABEL,
		description: 'The name of the input binary field that holds the file',
		placeholder: 'e.g. data',
		hint,
		shown: 'data',
		required: true,
	});

/** In bytes. Undefined where n8n does not know. Throws where it has lost the file, or cannot reach it. */
export async function getFileSize(
	{ helpers }: IExecuteFunctions,
	data: IBinaryData,
): Promise<number | undefined> {
	// The text may hold line breaks, which are no bytes.
	if (!data.id) return Buffer.from(data.data ?? '', 'base64').length;
	try {
		return (await helpers.getBinaryMetadata(data.id)).fileSize;
	} catch (error) {
		throw unreadableFileError(error, data.fileName);
	}
}

/** The same file after a run: n8n moves those of a Webhook or Form Trigger, and the end of the ID stays. */
export const keyOfFile = ({ id, data }: IBinaryData): string => id?.split('/').pop() ?? data;

type Bytes = AsyncIterable<Uint8Array> & { destroy?: () => void };

/** The bytes of a file, wherever n8n keeps it. */
export async function readBytes(
	{ helpers }: IExecuteFunctions,
	{ id, data }: IBinaryData,
): Promise<Bytes> {
	if (id) return (await helpers.getBinaryStream(id)) as Bytes;
	return (async function* () {
		yield Buffer.from(data, 'base64');
	})();
}

/** The file in a binary field of the item; undefined where there is none. With files in the JSON, a path to it. */
export const getBinary = ({ files }: ItemReader, field: string): IBinaryData | undefined =>
	getOwn(files, field) ?? getOwn(files, field.replace(/^_files\./, ''));

/** That the item has no such file, and which it has. */
export function describeMissingFile(item: ItemReader, field: string): string {
	const fields = Object.keys(item.files);
	const there = fields.length
		? `it has ${fields.join(', ')}`
		: 'it carries no files. Put the node that gives the file before this one';
	return `the item has no file in "${field}"; ${there}`;
}

const inputField = inputFieldParameter('');

export type InputFile = Awaited<ReturnType<typeof readInputFile>>;

/** Reads the file of an item; its size in bytes. Throws which fields have one. */
export async function readInputFile(item: ItemReader) {
	const field = item.parameter(inputField);
	item.assertValid();
	const fail = (problem: string) => item.failWith(inputField.name, `${LABEL}: ${problem}`);
	const data = getBinary(item, field);
	if (!data) throw fail(describeMissingFile(item, field));
	const size = (await getFileSize(item.context, data)) ?? 0;
	if (!size) throw fail(`the file in "${field}" is empty`);
	return { field, data, size };
}
