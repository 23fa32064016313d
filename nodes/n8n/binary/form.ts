import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import type { FormUpload } from '../../gateway/request';

/** A file of a multipart form whose bytes are read while they are sent. */
interface FormFile {
	name: string;
	type: string;
	size: number;
	stream: () => AsyncIterable<Uint8Array>;
}

/**
 * A form that n8n's HTTP layer sends as multipart with a content length, file bytes passing through
 * without being held. It reads the entries when it sends; a plain FormData would want the whole file.
 * The class is made here because naming FormData loads Node's HTTP client, 20 ms at the start of n8n.
 */
function createStreamedForm(entries: readonly [string, FormFile | string][]): FormData {
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

type Bytes = AsyncIterable<Uint8Array> & { destroy?: () => void };

/** A stored file as it is read; a small one that n8n keeps in the item is read from there. */
async function readBytes(
	{ helpers }: IExecuteFunctions,
	{ id, data }: IBinaryData,
): Promise<Bytes> {
	if (id) return (await helpers.getBinaryStream(id)) as Bytes;
	return (async function* () {
		yield Buffer.from(data, 'base64');
	})();
}

/** A multipart form of text fields and one file, to be made anew for each try. */
export async function createForm(
	context: IExecuteFunctions,
	fields: Record<string, string>,
	{ data, name, size }: { data: IBinaryData; name: string; size: number },
): Promise<FormUpload> {
	const bytes = await readBytes(context, data);
	const file: FormFile = { name, type: data.mimeType, size, stream: () => bytes };
	return {
		data: createStreamedForm([...Object.entries(fields), ['file', file]]),
		close: () => bytes.destroy?.(),
	};
}
