import type { IBinaryData } from 'n8n-workflow';
import type { Issue } from '../../catalog/validate';
import { labelOf } from '../../catalog/labels';
import { withLinksReplaced } from '../../catalog/links';
import type { Body } from '../../catalog/rules';
import type { Sheet } from '../../catalog/modelSpec';
import { publicLink } from '../../n8n/binary/signedLink';
import { binaryAt, sizeOf } from '../../n8n/binary/input';
import type { Item } from '../operation';

/** Stands for a file that cannot be sent, so that the rest of the request can be checked all the same. */
const UNSENT = 'https://unsent.invalid/';

/** A request whose files are in their places. */
export interface Filed {
  /** As it is sent, unless there are issues: each file as a signed link, another one at every signing. */
  request: Body;
  /** As it is recognised when it is repeated: each file by its ID in n8n's storage. */
  identity: Body;
  issues: Issue[];
}

/** Why a file cannot stand in a field; a type that is not plainly another one passes. */
async function wrongFile(item: Item, data: IBinaryData, media: string): Promise<string | undefined> {
  const [kind = ''] = (data.mimeType ?? '').split('/');
  if (['image', 'video', 'audio'].includes(kind) && kind !== media) return `is of type ${data.mimeType}, and ${media} is needed`;
  return (await sizeOf(item.host, data)) === 0 ? 'is empty' : undefined;
}

/**
 * Where a model takes the link of a file, the name of a binary field of the item stands for a signed
 * link to it: the gateway takes public links only (spec section 2.2). Throws when n8n cannot make one.
 */
export async function withFiles(item: Item, { fields }: Sheet, given: Body): Promise<Filed> {
  const files = new Map<string, IBinaryData>();
  const uses: { name: string; media: string; label: string; field: string; data: IBinaryData }[] = [];
  withLinksReplaced(fields, given, (text, name, field) => {
    const data = binaryAt(item, text.trim());
    if (data) uses.push({ name, media: field.media!, label: labelOf(name, field), field: text.trim(), data });
    return text;
  });

  const issues: Issue[] = [];
  for (const { name, media, label, field, data } of uses) {
    const wrong = await wrongFile(item, data, media);
    if (wrong) issues.push({ field: name, message: `${label} (${name}): the file in "${field}" ${wrong}` });
    files.set(field, data);
  }
  const links = new Map<string, string>();
  for (const [field, data] of files) links.set(field, issues.length ? UNSENT : await publicLink(item.host, field, data));
  const named = (of: (field: string) => string | undefined) => withLinksReplaced(fields, given, (text) => of(text.trim()) ?? text);
  return { request: named((field) => links.get(field)), identity: named((field) => files.get(field)?.id), issues };
}
