import type { IBinaryData, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { InputError, type Item } from '../../GenerationGateway/operation';

export const inputField = (hint: string): INodeProperties => ({
	displayName: 'Input Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. data',
	hint,
	description: 'The name of the input binary field that holds the file',
});

/** The size of a stored file in bytes, without reading it. */
export async function getFileSize(
	{ helpers }: IExecuteFunctions,
	data: IBinaryData,
): Promise<number | undefined> {
	if (!data.id) return Buffer.byteLength(data.data, 'base64');
	return (await helpers.getBinaryMetadata(data.id)).fileSize;
}

export function getBinary({ context, index }: Item, field: string): IBinaryData | undefined {
	const binary = context.getInputData()[index]?.binary ?? {};
	return Object.hasOwn(binary, field) ? binary[field] : undefined;
}

/** The file an item's binary field holds, with its size; says which fields there are when it holds none. */
export async function readInputFile(
	item: Item,
): Promise<{ field: string; data: IBinaryData; size: number }> {
	const field = String(item.get('binaryPropertyName', 'data') ?? '').trim();
	const issue = (message: string) =>
		new InputError([
			{
				field: 'binaryPropertyName',
				message: `Input Data Field Name (binaryPropertyName): ${message}`,
			},
		]);
	const data = getBinary(item, field);
	if (!data) {
		const fields = Object.keys(item.context.getInputData()[item.index]?.binary ?? {});
		throw issue(
			`the item has no file in "${field}"; ${fields.length ? `it has ${fields.join(', ')}` : 'it carries no files'}`,
		);
	}
	const size = (await getFileSize(item.context, data)) ?? 0;
	if (!size) throw issue(`the file in "${field}" is empty`);
	return { field, data, size };
}
