import type { IBinaryData } from 'n8n-workflow';
import { getOwn } from '../../catalog/json';

/** By the ending of a file name. The first ending of a type is the usual one. */
const TYPES: Record<string, string> = {
	jpg: 'image/jpeg',
	jpeg: 'image/jpeg',
	png: 'image/png',
	webp: 'image/webp',
	gif: 'image/gif',
	bmp: 'image/bmp',
	tif: 'image/tiff',
	tiff: 'image/tiff',
	avif: 'image/avif',
	heic: 'image/heic',
	mp4: 'video/mp4',
	m4v: 'video/mp4',
	mov: 'video/quicktime',
	webm: 'video/webm',
	avi: 'video/x-msvideo',
	mkv: 'video/x-matroska',
	mpg: 'video/mpeg',
	mpeg: 'video/mpeg',
	mp3: 'audio/mpeg',
	mpga: 'audio/mpeg',
	m4a: 'audio/mp4',
	wav: 'audio/wav',
	ogg: 'audio/ogg',
	flac: 'audio/flac',
	aac: 'audio/aac',
	opus: 'audio/opus',
	pdf: 'application/pdf',
	txt: 'text/plain',
};

const typeOfName = (fileName: string): string | undefined =>
	getOwn(TYPES, /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '');

/** The usual ending of a type. */
export const endingOf = (type: string): string | undefined =>
	Object.keys(TYPES).find((ending) => TYPES[ending] === type.replace('image/jpg', 'image/jpeg'));

/** `image`, `video` or `audio`, by the file name. */
export const findMedia = (fileName: string): string | undefined =>
	typeOfName(fileName)?.split('/')[0];

/** In lower case. Empty where n8n has no type. */
function statedType({ mimeType = '' }: IBinaryData): string {
	const type = mimeType.split(';')[0]!.trim().toLowerCase();
	if (/^((application|binary)\/octet-stream)?$/.test(type)) return '';
	return type === 'image/jpg' ? 'image/jpeg' : type;
}

/** The stated type, otherwise that of the file name. Empty where neither says it. */
export const typeOf = (data: IBinaryData): string =>
	statedType(data) || (typeOfName(data.fileName ?? '') ?? '');

/** Whether a file is certainly of another kind. Its type decides, then its name. */
export function isOtherMedia(data: IBinaryData, media: string): boolean {
	const type = statedType(data);
	if (/^(image|video|audio)\//.test(type)) return !type.startsWith(`${media}/`);
	return type !== '' && findMedia(data.fileName ?? '') !== media;
}
