import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { RESPOND_INPUT, type TextEndpointId } from '../../catalog/families';
import { getBinary, getFileSize } from '../../n8n/binary/input';
import { InputError, type Item } from '../operation';

/** A file that goes with a message, known by its metadata until it is sent. */
export interface Attachment {
	field: string;
	type: string;
	/** Bytes; undefined where n8n does not know. */
	size?: number;
	/** Undefined where the input item has no such field. */
	data?: IBinaryData;
}

const MEGABYTE = 1024 * 1024;

/** The files named by a comma-separated list of binary fields of the item. */
export async function readAttachments(item: Item, names: string): Promise<Attachment[]> {
	const fields = names
		.split(',')
		.map((name) => name.trim())
		.filter(Boolean);
	return await Promise.all(
		fields.map(async (field): Promise<Attachment> => {
			const data = getBinary(item, field);
			return {
				field,
				type: data?.mimeType ?? '',
				size: data && (await getFileSize(item.context, data)),
				data,
			};
		}),
	);
}

/** Why a file cannot go with a message, or nothing (spec sections 2.5 and 8). */
export function findAttachmentProblem(
	{ field, type, size, data }: Attachment,
	style: TextEndpointId,
): string {
	if (!data) return `names the binary field "${field}", which the item does not have`;
	if (size === 0) return `has an empty file in "${field}"`;
	if (style !== 'respond')
		return /^(image|video|audio|application\/pdf|text)/.test(type)
			? ''
			: `has a file of type ${type || 'unknown'} in "${field}", and an image is needed`;
	const kind = type.startsWith('video/') ? 'video' : 'image';
	const { megabytes, types } = RESPOND_INPUT[kind];
	if (!(types as readonly string[]).includes(type))
		return `has a file of type ${type || 'unknown'} in "${field}"; images are JPEG, PNG, GIF or WebP and videos MP4, MOV, AVI or WebM`;
	if (size !== undefined && size > megabytes * MEGABYTE)
		return `has ${kind === 'image' ? 'an image' : 'a video'} of ${(size / MEGABYTE).toFixed(1)} MB in "${field}", and at most ${megabytes} MB is accepted`;
	return '';
}

/** The file as base64; read only now, so that waiting items hold no files. */
export async function readBase64(
	host: IExecuteFunctions,
	index: number,
	{ field, data }: Attachment,
): Promise<string> {
	if (data && !data.id) return data.data;
	if (!data) throw new InputError([{ field, message: `The item has no binary field "${field}"` }]);
	return (await host.helpers.getBinaryDataBuffer(index, field)).toString('base64');
}
