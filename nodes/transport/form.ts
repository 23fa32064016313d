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

/** A stored file as a form file; a small one that n8n keeps in the item is sent from there. */
async function fileOf({ helpers }: IExecuteFunctions, data: IBinaryData, name: string, size: number): Promise<FormFile> {
  const type = data.mimeType;
  if (!data.id) return { name, type, size, stream: () => once(Buffer.from(data.data, 'base64')) };
  const bytes = await helpers.getBinaryStream(data.id);
  return { name, type, size, stream: () => bytes as AsyncIterable<Uint8Array> };
}

/** A multipart form of text fields and one file, to be made anew for each try. */
export async function formWith(
  host: IExecuteFunctions,
  fields: Record<string, string>,
  file: { data: IBinaryData; name: string; size: number },
): Promise<FormData> {
  const part = await fileOf(host, file.data, file.name, file.size);
  return streamedForm([...Object.entries(fields), ['file', part]]);
}
