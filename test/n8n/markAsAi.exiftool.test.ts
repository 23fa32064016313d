import { execFileSync } from 'node:child_process';
import { markFileAsAi } from '../../nodes/n8n/binary/mark/markAsAi';
import { collect, inPieces, MARKABLE } from '../support/mediaFiles';

const task = {
	taskId: 'task_01h8&',
	model: 'imgn-4.0 <凧>',
	createdAt: '2026-11-24T03:00:00.000Z',
	completedAt: '2026-11-24T03:00:05.000Z',
};

/** What exiftool reads in a file. */
function readMetadata(file: Buffer): Record<string, unknown> {
	try {
		const output = execFileSync(
			'exiftool',
			['-json', '-G1', '-validate', '-warning', '-all', '-'],
			{
				input: file,
			},
		);
		return (JSON.parse(output.toString()) as Record<string, unknown>[])[0]!;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		throw new Error('This test needs exiftool: apt-get install libimage-exiftool-perl');
	}
}

it.each(Object.entries(MARKABLE))('exiftool reads the mark of %s', async (_name, original) => {
	const marked = readMetadata(await collect(markFileAsAi(inPieces(original), task)));
	const before = readMetadata(original);

	expect(marked).toMatchObject({
		'XMP-iptcExt:DigitalSourceType':
			'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
		'XMP-iptcExt:AISystemUsed': task.model,
		'XMP-photoshop:TransmissionReference': task.taskId,
		'XMP-xmp:CreateDate': '2026:11:24 03:00:05.000Z',
	});
	for (const name of ['File:ImageWidth', 'File:ImageHeight', 'Track1:ImageWidth', 'File:MIMEType'])
		expect(marked[name]).toEqual(before[name]);
	expect(marked['ExifTool:Warning']).toEqual(before['ExifTool:Warning']);
});
