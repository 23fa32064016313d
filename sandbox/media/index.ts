import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import type { Body } from '../settings';
import { createMovie } from './movie';
import { paint, sizeOf, type Picture } from './picture';
import { createWebp } from './webp';

export const contentTypes: Record<string, string> = {
	png: 'image/png',
	jpg: 'image/jpeg',
	webp: 'image/webp',
	mp4: 'video/mp4',
};

function createPng({ width, height, data }: Picture): Buffer {
	const image = new PNG({ width, height });
	data.copy(image.data);
	return PNG.sync.write(image, { filterType: 1 });
}

/** The file of one output: always the same bytes for the same body and index. */
export function render(body: Body, index: number, extension: string): Buffer {
	const title = `${String(body.prompt)}#${index}#${String(body.seed ?? '')}`;
	if (extension === 'mp4') {
		const { width, height } = sizeOf(body.aspect_ratio, 320, '16:9');
		return createMovie(title, width, height, typeof body.duration === 'number' ? body.duration : 5);
	}
	const { width, height } = sizeOf(body.aspect_ratio ?? body.size, 320, '1:1');
	const picture = paint(title, width, height);
	if (extension === 'jpg') return jpeg.encode(picture, 85).data;
	return extension === 'webp' ? createWebp(picture) : createPng(picture);
}
