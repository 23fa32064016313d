import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { unreadableFileError } from '../../gateway/errors';
import type { FormUpload } from '../../gateway/request';
import { readBytes } from './input';

/**
 * A form that n8n sends as multipart without holding the file: it reads the entries when it sends. The class
 * is made here, because naming FormData loads Node's HTTP client, which takes 20 ms.
 */
function createStreamedForm(entries: readonly [string, object | string][]): FormData {
	class StreamedForm extends FormData {
		entries(): never {
			return entries[Symbol.iterator]() as never;
		}

		[Symbol.iterator](): never {
			return this.entries();
		}
	}
	return new StreamedForm();
}

/** The same bytes. A form whose file is shorter than it says would wait for the rest for ever. */
async function* assertSize(
	bytes: AsyncIterable<Uint8Array>,
	size: number,
	name: string,
): AsyncGenerator<Uint8Array> {
	let left = size;
	for await (const piece of bytes) {
		left -= piece.length;
		if (left < 0) break;
		yield piece;
	}
	if (left) throw unreadableFileError(new Error('it has changed while it was sent'), name);
}

/** For one attempt. */
export async function createForm(
	context: IExecuteFunctions,
	fields: readonly [name: string, text: string][],
	{ data, name, size }: { data: IBinaryData; name: string; size: number },
): Promise<FormUpload> {
	const bytes = await readBytes(context, data);
	// Its bytes are read while they are sent.
	const stream = () => assertSize(bytes, size, name);
	const file = { name, type: data.mimeType, size, stream };
	return {
		data: createStreamedForm([...fields, ['file', file]]),
		close: () => bytes.destroy?.(),
	};
}
