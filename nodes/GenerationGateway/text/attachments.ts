import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { RESPOND_INPUT, type TextEndpointId } from '../../catalog/textEndpoints';
import type { MessageFile } from '../../gateway/text/adapter';
import { describeMissingFile, getBinary, getFileSize, readBytes } from '../../n8n/binary/input';
import { typeOf } from '../../n8n/binary/mediaTypes';
import { createSignedLink } from '../../n8n/binary/signedLink';
import type { ItemReader } from '../../n8n/itemReader';

/** A file of a message, read when it is sent. */
export interface Attachment {
	field: string;
	/** Media type, in lower case. */
	type: string;
	/** Undefined where n8n does not know. */
	size?: number;
	/** Undefined where the input item has no such field. */
	data?: IBinaryData;
}

const UNKNOWN_TYPE = 'of an unknown type. Give it a name with an ending, e.g. photo.png';
const MEGABYTE = 1024 * 1024;

/** By a comma-separated list of binary fields. */
export async function readAttachments(item: ItemReader, names: string): Promise<Attachment[]> {
	const fields = names
		.split(',')
		.map((name) => name.trim())
		.filter(Boolean);
	return await Promise.all(
		fields.map(async (field): Promise<Attachment> => {
			const data = getBinary(item, field);
			const size = data && (await getFileSize(item.context, data));
			return { field, type: data ? typeOf(data) : '', size, data };
		}),
	);
}

/** Returns why a file cannot be sent (spec sections 2.5 and 8). */
export function findAttachmentProblem(
	item: ItemReader,
	attachment: Attachment,
	endpoint: TextEndpointId,
): string {
	const { field, type, size, data } = attachment;
	const given = `in "${field}" is ${type || UNKNOWN_TYPE}`;
	if (!data) return `names a file, but ${describeMissingFile(item, field)}`;
	if (size === 0) return `has an empty file in "${field}"`;
	if (endpoint === 'respond') return findRespondProblem(attachment);
	if (endpoint === 'generateContent')
		return type ? '' : `takes files of a known type, but the file ${given}`;
	return type.startsWith('image/') ? '' : `takes images only, but the file ${given}`;
}

function findRespondProblem({ field, type, size }: Attachment): string {
	const kind = type.startsWith('video/') ? 'video' : 'image';
	const { megabytes, types } = RESPOND_INPUT[kind];
	if (!(types as readonly string[]).includes(type))
		return `takes images in JPEG, PNG, GIF or WebP and videos in MP4, MOV, AVI or WebM, but the file in "${field}" is ${type || UNKNOWN_TYPE}`;
	if (size !== undefined && size > megabytes * MEGABYTE)
		return `takes ${kind === 'image' ? 'images' : 'videos'} of at most ${megabytes} MB, but the one in "${field}" has ${(size / MEGABYTE).toFixed(1)} MB`;
	return '';
}

/** Section 2.5 names base64 for images only. */
export const isSentAsLink = ({ type }: Attachment, endpoint: TextEndpointId): boolean =>
	endpoint === 'respond' && type.startsWith('video/');

/** Reads the file only now, so that waiting items hold no files. An item without it was refused. */
export async function readFile(
	attachment: Attachment,
	endpoint: TextEndpointId,
	context: IExecuteFunctions,
): Promise<MessageFile> {
	const { field, type } = attachment;
	const data = attachment.data!;
	if (isSentAsLink(attachment, endpoint))
		return { type, base64: '', url: await createSignedLink(context, field, data) };
	const pieces: Uint8Array[] = [];
	for await (const piece of await readBytes(context, data)) pieces.push(piece);
	return { type, base64: Buffer.concat(pieces).toString('base64') };
}
