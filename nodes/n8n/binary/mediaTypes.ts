import type { IBinaryData } from 'n8n-workflow';
import { getOwn } from '../../catalog/json';

/** The endings of file names by type, the usual one first. */
const ENDINGS: Record<string, readonly string[]> = {
	'image/jpeg': ['jpg', 'jpeg'],
	'image/png': ['png'],
	'image/webp': ['webp'],
	'image/gif': ['gif'],
	'image/bmp': ['bmp'],
	'image/tiff': ['tif', 'tiff'],
	'image/avif': ['avif'],
	'image/heic': ['heic'],
	'video/mp4': ['mp4', 'm4v'],
	'video/quicktime': ['mov'],
	'video/webm': ['webm'],
	'video/x-msvideo': ['avi'],
	'video/x-matroska': ['mkv'],
	'video/mpeg': ['mpg', 'mpeg'],
	'audio/mpeg': ['mp3', 'mpga'],
	'audio/mp4': ['m4a'],
	'audio/wav': ['wav'],
	'audio/ogg': ['ogg'],
	'audio/flac': ['flac'],
	'audio/aac': ['aac'],
	'audio/opus': ['opus'],
	'application/pdf': ['pdf'],
	'text/plain': ['txt'],
};

function typeOfName(fileName: string): string | undefined {
	const ending = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	return Object.keys(ENDINGS).find((type) => ENDINGS[type]!.includes(ending));
}

/** The usual ending of a type. */
export const endingOf = (type: string): string | undefined =>
	getOwn(ENDINGS, type.replace('image/jpg', 'image/jpeg'))?.[0];

/** `image`, `video` or `audio`, by the file name. */
export const findMedia = (fileName: string): string | undefined =>
	typeOfName(fileName)?.split('/')[0];

/** In lower case. Empty where n8n has no type. */
function statedType({ mimeType = '' }: IBinaryData): string {
	const type = mimeType.split(';')[0]!.trim().toLowerCase();
	if (/^((application|binary)\/octet-stream)?$/.test(type)) return '';
	return type === 'image/jpg' ? 'image/jpeg' : type;
}

const MEDIA = /^(image|video|audio)\//;

/** The stated type, otherwise that of the file name, which also wins over plain text. Empty where neither says it. */
export function typeOf(data: IBinaryData): string {
	const [stated, named = ''] = [statedType(data), typeOfName(data.fileName ?? '')];
	return stated === 'text/plain' && MEDIA.test(named) ? named : stated || named;
}

/** Whether a file is certainly of another kind. Its type decides, then its name. */
export function isOtherMedia(data: IBinaryData, media: string): boolean {
	const type = statedType(data);
	// n8n takes the type of a recording from its name.
	if (media === 'audio' && /^video\/(webm|ogg)$/.test(type)) return false;
	if (MEDIA.test(type)) return !type.startsWith(`${media}/`);
	return type !== '' && findMedia(data.fileName ?? '') !== media;
}
