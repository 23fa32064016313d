import type { Task } from '../../../gateway/tasks/schema';

/** What a file says of the task that made it. */
export type AiDetails = Pick<Task, 'model' | 'taskId' | 'createdAt' | 'completedAt'>;

const AI_SOURCE = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
/** A segment of a JPEG holds 64 KB. */
const MOST_CHARACTERS = 200;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** XML has no control characters. */
const escapeXml = (text: string): string =>
	text
		.slice(0, MOST_CHARACTERS)
		.replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
		.replace(/[&<>]/g, (character) => ENTITIES[character]!);

/** IPTC's Digital Source Type and AI System Used (Photo Metadata 2025.1), the task as Job Identifier, and the time. */
export function createXmpPacket({ model, taskId, createdAt, completedAt }: AiDetails): Buffer {
	const properties = {
		'Iptc4xmpExt:DigitalSourceType': AI_SOURCE,
		'Iptc4xmpExt:AISystemUsed': model,
		'photoshop:TransmissionReference': taskId,
		'xmp:CreateDate': completedAt ?? createdAt,
	};
	const elements = Object.entries(properties).flatMap(([name, value]) =>
		value ? `   <${name}>${escapeXml(value)}</${name}>` : [],
	);
	return Buffer.from(`<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about=""
    xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
    xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
    xmlns:xmp="http://ns.adobe.com/xap/1.0/">
${elements.join('\n')}
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`);
}
