import { createHash } from 'crypto';
import type { IBinaryData } from 'n8n-workflow';
import { describeFile, findFileViolation } from '../../catalog/fileLimits';
import { getLabel } from '../../catalog/labels';
import { replaceLinks } from '../../catalog/links';
import type { Issue, RequestBody } from '../../catalog/rules';
import type { Field } from '../../catalog/schema';
import type { ModelSpec } from '../../catalog/modelSpec';
import { describeMissingFile, getBinary, getFileSize, readBytes } from '../../n8n/binary/input';
import { isOtherMedia } from '../../n8n/binary/mediaTypes';
import { createSignedLink, fileOfSignedLink } from '../../n8n/binary/signedLink';
import type { ItemReader } from '../../n8n/itemReader';

/** Stands for a file that cannot be sent, so that the rest can be checked. */
const UNSENT = 'https://unsent.invalid/';

export interface RequestWithFiles {
	/** As it is sent: each file as a signed link, which differs every time. */
	request: RequestBody;
	/** As it is recognised when it is repeated: each file of n8n by its bytes, without the callback. */
	identity: RequestBody;
	issues: Issue[];
}

/** A text where a link is expected. */
interface GivenLink {
	text: string;
	/** Of the field that has it. */
	name: string;
	field: Field;
	/** The file in the binary field of the item with that name. */
	data?: IBinaryData;
}

/** The name of a binary field, not a link or the ID of an asset. */
const FIELD_NAME = /^(?!ast_)[\w -]{1,60}$/;

const MEDIA_NOUNS: Record<string, string> = { image: 'an image', video: 'a video', audio: 'audio' };

/** Returns why the field does not take the file. */
async function findFileProblem(
	item: ItemReader,
	{ text, name, field, data }: GivenLink,
): Promise<string | undefined> {
	const label = getLabel(name, field);
	if (!data) return `${label}: ${describeMissingFile(item, text)}`;
	const { media, file: limits } = field;
	const file = `${label}: the file in "${text}"`;
	if (isOtherMedia(data, media!))
		return `${file} must be ${MEDIA_NOUNS[media!]}, but is ${data.mimeType}`;
	const size = await getFileSize(item.context, data);
	if (size === 0) return `${file} is empty`;
	const violation = limits && findFileViolation(limits, { ...data, size });
	return violation && `${file} must be ${describeFile(limits)}, but ${violation}`;
}

async function digest({ context }: ItemReader, data: IBinaryData): Promise<string> {
	const hash = createHash('sha256');
	for await (const piece of await readBytes(context, data)) hash.update(piece);
	return hash.digest('hex');
}

function findLinks(item: ItemReader, { fields }: ModelSpec, given: RequestBody): GivenLink[] {
	const links: GivenLink[] = [];
	replaceLinks(fields, given, (link, name, field) => {
		const text = link.trim();
		links.push({ text, name, field, data: getBinary(item, text) });
		return link;
	});
	return links;
}

/**
 * Replaces names of binary fields by signed links, where a model takes links: the gateway takes public links
 * only (spec section 2.2). Throws when n8n cannot make one. `waitMs`: the longest time until it is sent.
 */
export async function resolveInputFiles(
	item: ItemReader,
	spec: ModelSpec,
	given: RequestBody,
	waitMs: number,
): Promise<RequestWithFiles> {
	const found = findLinks(item, spec, given);
	const uses = found.filter(
		({ text, field, data }) => data ?? (!field.anyLink && FIELD_NAME.test(text)),
	);
	const issues: Issue[] = [];
	for (const use of uses) {
		const problem = await findFileProblem(item, use);
		if (problem) issues.push({ field: use.name, message: problem });
	}
	const files = new Map(uses.map(({ text, data }) => [text, data]));
	const links = new Map<string, string>();
	const digests = new Map<string, string>();
	for (const [field, data] of files) {
		links.set(field, UNSENT);
		if (!data || issues.length) continue;
		links.set(field, await createSignedLink(item.context, field, data, waitMs));
		digests.set(field, await digest(item, data));
	}
	for (const link of new Set(found.map(({ text }) => text))) {
		// At whatever address n8n is reached. Where the file cannot be read, the link counts as it stands.
		const id = fileOfSignedLink(link);
		const bytes = id && (await digest(item, { id } as IBinaryData).catch(() => undefined));
		if (bytes) digests.set(link, bytes);
	}
	const replaceFields = (replacements: ReadonlyMap<string, string>) =>
		replaceLinks(spec.fields, given, (text) => replacements.get(text.trim()) ?? text);
	const digested = Object.entries(replaceFields(digests));
	const identity = Object.fromEntries(digested.filter(([name]) => !name.startsWith('callback_')));
	return { request: replaceFields(links), identity, issues };
}
