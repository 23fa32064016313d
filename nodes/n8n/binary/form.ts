import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

/** A file of a multipart form whose bytes are read while they are sent. */
export interface FormFile {
	name: string;
	type: string;
	size: number;
	stream: () => AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
}

type Entry = [string, FormFile | string];

/**
 * A form that n8n's HTTP layer sends as multipart with a content length, file bytes passing through
 * without being held. It reads the entries when it sends; a plain FormData would want the whole file.
 * The class is made here because naming FormData loads Node's HTTP client, 20 ms at the start of n8n.
 */
function streamedForm(parts: readonly Entry[]): FormData {
	class StreamedForm extends FormData {
		entries(): never {
			return parts[Symbol.iterator]() as never;
		}

		[Symbol.iterator](): never {
			return this.entries();
		}
	}
	return new StreamedForm();
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
	yield bytes;
}

/** A form for one try. */
export interface Form {
	data: FormData;
	/** To be called when the try is over: a call that did not come about leaves its file half read. */
	close: () => void;
}

/** A stored file as it is read; a small one that n8n keeps in the item is read from there. */
async function bytesOf(
	{ helpers }: IExecuteFunctions,
	{ id, data }: IBinaryData,
): Promise<AsyncIterable<Uint8Array> & { destroy?: () => void }> {
	return id
		? ((await helpers.getBinaryStream(id)) as AsyncIterable<Uint8Array>)
		: once(Buffer.from(data, 'base64'));
}

/** A multipart form of text fields and one file, to be made anew for each try. */
export async function createForm(
	host: IExecuteFunctions,
	fields: Record<string, string>,
	file: { data: IBinaryData; name: string; size: number },
): Promise<Form> {
	const { data, name, size } = file;
	const bytes = await bytesOf(host, data);
	const part = { name, type: data.mimeType, size, stream: () => bytes };
	return {
		data: streamedForm([...Object.entries(fields), ['file', part]]),
		close: () => bytes.destroy?.(),
	};
}
