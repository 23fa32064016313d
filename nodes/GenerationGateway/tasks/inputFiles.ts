import type { IBinaryData } from 'n8n-workflow';
import type { Issue } from '../../catalog/validate';
import { getLabel } from '../../catalog/labels';
import { replaceLinks } from '../../catalog/links';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';
import { createSignedLink } from '../../n8n/binary/signedLink';
import { getBinary, getFileSize } from '../../n8n/binary/input';
import type { Item } from '../operation';

/** Stands for a file that cannot be sent, so that the rest of the request can be checked all the same. */
const UNSENT = 'https://unsent.invalid/';

/** A request whose files are in their places. */
export interface RequestWithFiles {
	/** As it is sent, unless there are issues: each file as a signed link, another one at every signing. */
	request: RequestBody;
	/** As it is recognised when it is repeated: each file by its ID in n8n's storage. */
	identity: RequestBody;
	issues: Issue[];
}

/** Why a file cannot stand in a field; a type that is not plainly another one passes. */
async function wrongFile(
	item: Item,
	data: IBinaryData,
	media: string,
): Promise<string | undefined> {
	const [kind = ''] = (data.mimeType ?? '').split('/');
	if (['image', 'video', 'audio'].includes(kind) && kind !== media)
		return `is of type ${data.mimeType}, and ${media} is needed`;
	return (await getFileSize(item.context, data)) === 0 ? 'is empty' : undefined;
}

/**
 * Where a model takes the link of a file, the name of a binary field of the item stands for a signed
 * link to it: the gateway takes public links only (spec section 2.2). Throws when n8n cannot make one.
 */
export async function resolveInputFiles(
	item: Item,
	{ fields }: ModelSpec,
	given: RequestBody,
): Promise<RequestWithFiles> {
	const files = new Map<string, IBinaryData>();
	const uses: { name: string; media: string; label: string; field: string; data: IBinaryData }[] =
		[];
	replaceLinks(fields, given, (text, name, field) => {
		const data = getBinary(item, text.trim());
		if (data)
			uses.push({
				name,
				media: field.media!,
				label: getLabel(name, field),
				field: text.trim(),
				data,
			});
		return text;
	});

	const issues: Issue[] = [];
	for (const { name, media, label, field, data } of uses) {
		const wrong = await wrongFile(item, data, media);
		if (wrong)
			issues.push({ field: name, message: `${label} (${name}): the file in "${field}" ${wrong}` });
		files.set(field, data);
	}
	const links = new Map<string, string>();
	for (const [field, data] of files)
		links.set(field, issues.length ? UNSENT : await createSignedLink(item.context, field, data));
	const named = (of: (field: string) => string | undefined) =>
		replaceLinks(fields, given, (text) => of(text.trim()) ?? text);
	return {
		request: named((field) => links.get(field)),
		identity: named((field) => files.get(field)?.id),
		issues,
	};
}
