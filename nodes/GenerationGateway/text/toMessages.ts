import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { TextEndpointId } from '../../catalog/families';
import { createSignedLink } from '../../n8n/binary/signedLink';
import { readBase64, type Attachment } from './attachments';
import type { MessageInput, Messages } from './messageInput';

interface File {
	type: string;
	base64: string;
	/** In place of base64, where a data URI is not documented. */
	link?: string;
}

const dataUri = ({ type, base64 }: File) => `data:${type};base64,${base64}`;

/**
 * How each endpoint words a message. The parts of chat and message content beyond text are not shown
 * (spec section 2.5), so they take the form that endpoints of these styles commonly read.
 */
const SHAPES: Record<TextEndpointId, (draft: MessageInput, files: File[]) => IDataObject> = {
	chat: ({ role, text, imageUrls }, files) => {
		const images = [...imageUrls, ...files.map(dataUri)].map((url) => ({
			type: 'image_url',
			image_url: { url },
		}));
		return {
			role,
			content: images.length ? [...(text ? [{ type: 'text', text }] : []), ...images] : text,
		};
	},
	respond: ({ role, text, imageUrls, videoUrls }, files) => ({
		role,
		content: [
			...(text ? [{ type: 'input_text', text }] : []),
			...imageUrls.map((image_url) => ({ type: 'input_image', image_url })),
			...videoUrls.map((video_url) => ({ type: 'input_video', video_url })),
			...files.map((file) =>
				file.type.startsWith('video/')
					? { type: 'input_video', video_url: file.link ?? dataUri(file) }
					: { type: 'input_image', image_url: dataUri(file) },
			),
		],
	}),
	message: ({ role, text, imageUrls }, files) => {
		const images = [
			...imageUrls.map((url) => ({ type: 'image', source: { type: 'url', url } })),
			...files.map(({ type, base64 }) => ({
				type: 'image',
				source: { type: 'base64', media_type: type, data: base64 },
			})),
		];
		return {
			role,
			content: images.length ? [...images, ...(text ? [{ type: 'text', text }] : [])] : text,
		};
	},
	generateContent: ({ role, text }, files) => ({
		role,
		parts: [
			...(text ? [{ text }] : []),
			...files.map(({ type, base64 }) => ({ inlineData: { mimeType: type, data: base64 } })),
		],
	}),
};

/** A file as it is sent: a video goes to the responses endpoint as a signed link, since section 2.5 names base64 for images only. */
async function sent(
	file: Attachment,
	style: TextEndpointId,
	host: IExecuteFunctions,
	index: number,
): Promise<File> {
	const { type, field, data } = file;
	if (data && style === 'respond' && type.startsWith('video/'))
		return { type, base64: '', link: await createSignedLink(host, field, data) };
	return { type, base64: await readBase64(host, index, file) };
}

/** The messages in the endpoint's own shape, with their files read in. */
export async function toMessages(
	messages: Messages,
	style: TextEndpointId,
	host: IExecuteFunctions,
	index: number,
): Promise<IDataObject[]> {
	if ('ready' in messages) return messages.ready as IDataObject[];
	return await Promise.all(
		messages.drafts.map(async (draft) => {
			const files = await Promise.all(draft.files.map((file) => sent(file, style, host, index)));
			return SHAPES[style](draft, files);
		}),
	);
}
