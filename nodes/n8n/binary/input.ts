import type { IBinaryData, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { InputIssue, type Item } from '../../GenerationGateway/operation';

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
export async function sizeOf({ helpers }: IExecuteFunctions, data: IBinaryData): Promise<number | undefined> {
  if (!data.id) return Buffer.byteLength(data.data, 'base64');
  return (await helpers.getBinaryMetadata(data.id)).fileSize;
}

export function binaryAt({ host, index }: Item, field: string): IBinaryData | undefined {
  const binary = host.getInputData()[index]?.binary ?? {};
  return Object.hasOwn(binary, field) ? binary[field] : undefined;
}

/** The file an item's binary field holds, with its size; says which fields there are when it holds none. */
export async function fileOf(item: Item): Promise<{ field: string; data: IBinaryData; size: number }> {
  const field = String(item.get('binaryPropertyName', 'data') ?? '').trim();
  const issue = (message: string) =>
    new InputIssue([{ field: 'binaryPropertyName', message: `Input Data Field Name (binaryPropertyName): ${message}` }]);
  const data = binaryAt(item, field);
  if (!data) {
    const fields = Object.keys(item.host.getInputData()[item.index]?.binary ?? {});
    throw issue(`the item has no file in "${field}"; ${fields.length ? `it has ${fields.join(', ')}` : 'it carries no files'}`);
  }
  const size = (await sizeOf(item.host, data)) ?? 0;
  if (!size) throw issue(`the file in "${field}" is empty`);
  return { field, data, size };
}
