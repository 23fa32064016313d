import { families, type Field, type FileLimits } from '../../nodes/catalog/families';
import { describeFile, findFileViolation } from '../../nodes/catalog/fileLimits';

const MEGABYTE = 1024 * 1024;
const image = 'jpg png webp, 30 MB';
const video = 'mp4 mov, 100 MB';

/** Sections 2.3 and 8 of the spec, read a second time. */
const STATED = {
	Gmn: { image_urls: image },
	Flx: { image_urls: 'png jpg webp gif bmp' },
	Qwn: { image_urls: image },
	'Legacy Image': { mask_url: 'png, 4 MB' },
	Clipk: {
		first_frame_image: image,
		last_frame_image: image,
		'video_list.video_url': video,
		image_urls: image,
		video_urls: video,
	},
	'Gx Imagine Video': { image_urls: 'jpg png webp' },
};

const collect = (
	fields: Readonly<Record<string, Partial<Field>>>,
	path = '',
): [string, FileLimits][] =>
	Object.entries(fields).flatMap(([name, { file, items = {} }]) => [
		...(file ? [[path + name, file] as [string, FileLimits]] : []),
		...collect(items, `${name}.`),
	]);
const read = families
	.map(({ title, fields, models }) => {
		const ofModels = Object.values(models).map((model) => model.fields ?? {});
		return [title, [fields, ...ofModels].flatMap((each) => collect(each))] as const;
	})
	.filter(([, found]) => found.length > 0);

it('of the tables are those of the spec', () => {
	const words = ({ formats, mostMb }: FileLimits) =>
		formats.join(' ') + (mostMb === undefined ? '' : `, ${mostMb} MB`);
	const found = read.map(([title, limits]) => [
		title,
		Object.fromEntries(limits.map(([name, file]) => [name, words(file)])),
	]);

	// A family that is missing here is missing in STATED of this file.
	expect(found.map(([title]) => title).sort()).toEqual(Object.keys(STATED).sort());
	expect(Object.fromEntries(found)).toEqual(STATED);
});

it.each(
	read.flatMap(([title, limits]) => limits.map(([name, file]) => [`${title} ${name}`, file])),
)('of %s let through what they name, up to the size', (_name, limits) => {
	const { formats, mostMb = 1_000 } = limits as FileLimits;
	const of = (format: string, size = 1) =>
		findFileViolation(limits as FileLimits, { fileName: `a.${format}`, size });

	expect(formats.map((format) => of(format, mostMb * MEGABYTE))).toEqual(
		formats.map(() => undefined),
	);
	expect(of('tiff')).toBe('is TIFF');
	expect(of(formats[0]!, 1_000.5 * MEGABYTE)).toBe(
		'mostMb' in (limits as FileLimits) ? 'has 1000.5 MB' : undefined,
	);
});

it.each([
	[{ mimeType: 'image/jpeg' }, undefined],
	[{ mimeType: 'IMAGE/JPEG; q=1' }, undefined],
	[{ mimeType: 'image/gif', fileName: 'a.jpg' }, 'is GIF'],
	[{ mimeType: 'application/octet-stream', fileName: 'a.JPEG' }, undefined],
	[{ mimeType: 'application/octet-stream', fileName: 'a.gif' }, 'is GIF'],
	[{ mimeType: 'application/octet-stream', fileName: 'a' }, undefined],
	[{ mimeType: 'image/x-png' }, 'is PNG'],
	[{}, undefined],
])('go by the media type, then by the name: %j', (file, violation) => {
	expect(findFileViolation({ formats: ['jpg'] }, file)).toBe(violation);
});

it('know other names of a format', () => {
	const files = [{ mimeType: 'image/x-png' }, { mimeType: 'video/x-m4v' }];
	for (const file of files)
		expect(findFileViolation({ formats: ['png', 'mp4'] }, file)).toBeUndefined();
});

it('are said in words', () => {
	expect(describeFile({ formats: ['jpg', 'png', 'webp'], mostMb: 30 })).toBe(
		'JPG, PNG or WEBP, at most 30 MB',
	);
	expect(describeFile({ formats: ['png'] })).toBe('PNG');
});
