import type { IBinaryData } from 'n8n-workflow';
import { oneOf } from '../../catalog/labels';
import { SPEECH_FORMATS } from '../../catalog/families';
import { formWith } from '../../n8n/binary/form';
import { GatewayIssue } from '../../gateway/errors';
import { fileOf, inputField } from '../../n8n/binary/input';
import { modelLocator } from '../../n8n/modelLocator';
import { modelOf } from '../../n8n/modelParameter';
import { InputIssue, underOperation, type Operation } from '../operation';
import { concurrency, extraBody, objectOption, optionsOf } from '../../n8n/options';

interface Plan {
  file: { data: IBinaryData; name: string; size: number };
  fields: Record<string, string>;
}

const FORMATS: readonly string[] = SPEECH_FORMATS;
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
export function speechOperation(operation: 'transcribe' | 'translate', path: string): Operation<Plan> {
  return {
    properties: underOperation('audio', [operation], [
      modelLocator('audio'),
      inputField(`A file in ${oneOf(SPEECH_FORMATS)}`),
      optionsOf([concurrency, extraBody]),
    ]),
    async plan(item) {
      const model = modelOf(item);
      const { field, data, size } = await fileOf(item);
      const extra = objectOption(item, 'extra_body', 'Extra Body');
      if (extra.issue) throw new InputIssue([extra.issue]);
      const name = speechName(data);
      if (!name) {
        const given = [data.fileName, data.mimeType].filter(Boolean).join(', ');
        const message = `Input Data Field Name (binaryPropertyName): "${field}" holds ${given}, and ${oneOf(SPEECH_FORMATS)} is accepted`;
        throw new InputIssue([{ field: 'binaryPropertyName', message }]);
      }
      const fields = Object.entries({ ...extra.value, model }).map(([key, value]) => [key, String(value)]);
      return { file: { data, name, size }, fields: Object.fromEntries(fields) as Record<string, string> };
    },
    async perform({ file, fields }, { host, door }) {
      const { body } = await door.call({
        kind: 'write',
        method: 'POST',
        path,
        form: () => formWith(host, fields, file),
        timeoutMs: 900_000,
      });
      const { text } = body as { text?: unknown };
      if (typeof text === 'string') return [{ json: { ...(body as { text: string }) } }];
      throw new GatewayIssue('The gateway answered without a text', 'Run it again, or try another model.', { retry: true });
    },
  };
}
