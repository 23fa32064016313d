import type { IExecuteFunctions } from 'n8n-workflow';
import { isObject, toText } from '../../catalog/json';
import { joinWords, quote } from '../../catalog/labels';
import { describeMissing, FINDS_NOTHING, findsNothing } from '../../catalog/links';
import { textEndpoints, type TextEndpointId } from '../../catalog/textEndpoints';
import type { TextMessage, TextRequest } from '../../gateway/text/adapter';
import { joinParts } from '../../gateway/text/schema';
import { keyOfFile } from '../../n8n/binary/input';
import type { ItemReader } from '../../n8n/itemReader';
import {
	findAttachmentProblem,
	isSentAsLink,
	readAttachments,
	readFile,
	type Attachment,
} from './attachments';

/** One message of the panel. Its files are read when it is sent. */
interface MessageInput extends Omit<TextMessage, 'files' | 'toolCalls' | 'toolResult'> {
	attachments: Attachment[];
}

/** In the format of the endpoint already, or to be converted. */
export type MessagesInput = { raw: unknown[] } | { inputs: MessageInput[] };

const LINKS = { image_url: 'Image URL', video_url: 'Video URL' };

const toList = (value: unknown): string[] =>
	[value]
		.flat(2)
		.map((element) => toText(element ?? '').trim())
		.filter(Boolean);

/** Reads the messages of an item, and adds an issue for everything that is wrong. */
export async function readMessages(
	item: ItemReader,
	endpoint: TextEndpointId,
): Promise<MessagesInput> {
	return item.raw('messagesFrom', 'fields') === 'json'
		? readJsonMessages(item, endpoint)
		: await readFieldMessages(item, endpoint);
}

async function readFieldMessages(
	item: ItemReader,
	endpoint: TextEndpointId,
): Promise<MessagesInput> {
	const { entry: messages = [] } = item.raw('messages', {}) as {
		entry?: Record<string, unknown>[];
	};
	const inputs = await Promise.all(
		messages.map(async (given): Promise<MessageInput> => ({
			role: toText(given.role ?? 'user'),
			text: toText(given.text ?? ''),
			imageUrls: toList(given.image_url),
			videoUrls: toList(given.video_url),
			attachments: await readAttachments(
				item,
				[given.binaryFields]
					.flat()
					.map((name) => toText(name ?? ''))
					.join(),
			),
		})),
	);
	for (const [index, input] of inputs.entries()) {
		const given = messages[index]!;
		const ofMessage = `of message ${index + 1}`;
		for (const [name, label] of Object.entries(LINKS))
			if (!item.isTool && name in given && findsNothing(given[name]))
				item.addIssue('messages', `${label} ${ofMessage} ${FINDS_NOTHING}`);
		if (!item.isTool && 'binaryFields' in given && given.binaryFields === undefined)
			item.addIssue(
				'messages',
				`Input Data Field Names ${ofMessage} ${describeMissing('$json.field')}`,
			);
		item.checkMissing(given, 'text', `Text ${ofMessage}`);
		if (Number.isNaN(given.text))
			item.addIssue('messages', `Text ${ofMessage} must be text, but is NaN`);
		for (const problem of findMessageProblems(item, input, endpoint))
			item.addIssue('messages', `Message ${index + 1} ${problem}`);
	}
	const roles = inputs.map(({ role }) => role);
	checkOrder(item, roles, endpoint);
	return { inputs };
}

function readJsonMessages(item: ItemReader, endpoint: TextEndpointId): MessagesInput {
	const given = item.raw('messagesJson', '[]');
	const fail = (problem: string): MessagesInput => {
		item.addIssue('messages', `Messages must be a JSON list, but ${problem}`);
		return { raw: [] };
	};
	let list = given;
	try {
		if (typeof given === 'string') list = JSON.parse(given);
	} catch (error) {
		return fail(`this is not JSON: ${(error as Error).message}`);
	}
	if (!Array.isArray(list)) return fail(`is ${quote(list)}`);
	for (const [index, message] of list.entries()) {
		const problem = findJsonMessageProblem(message, endpoint);
		if (problem) item.addIssue('messages', `Message ${index + 1} ${problem}`);
	}
	const roles = list.map((message: { role?: unknown } | null) => String(message?.role ?? ''));
	checkOrder(item, roles, endpoint);
	return { raw: list };
}

/**
 * Tool messages are not shown in the spec: role `tool` of chat passes, and so do items of respond without a role.
 * Section 2.5 does not call the role required at generateContent.
 */
function findJsonMessageProblem(message: unknown, endpoint: TextEndpointId): string | undefined {
	if (!isObject(message)) return `must be an object, but is ${quote(message)}`;
	const { roles } = textEndpoints[endpoint];
	const { role } = message;
	if (role === undefined)
		return endpoint === 'respond' || endpoint === 'generateContent'
			? undefined
			: `has no role; it must be ${joinWords(roles)}`;
	const isKnown = roles.includes(String(role)) || (endpoint === 'chat' && role === 'tool');
	return isKnown ? undefined : roleProblem(role, endpoint);
}

const roleProblem = (role: unknown, endpoint: TextEndpointId) =>
	`must have the role ${joinWords(textEndpoints[endpoint].roles)}, but has ${quote(role)}`;

function findMessageProblems(
	item: ItemReader,
	{ role, text, imageUrls, videoUrls, attachments }: MessageInput,
	endpoint: TextEndpointId,
): string[] {
	const { roles } = textEndpoints[endpoint];
	const urls = [...imageUrls, ...videoUrls];
	const wrongUrls = urls.filter((url) => !/^(https?:\/\/.|data:)/i.test(url));
	const several = urls.filter((url) => /[\s,]https?:\/\//i.test(url));
	const isEmpty = !text.trim() && !urls.length && !attachments.length;
	return [
		roles.includes(role) ? '' : roleProblem(role, endpoint),
		isEmpty ? 'is empty' : '',
		wrongUrls.length
			? `must have links that start with http:// or https://, but has ${joinWords(wrongUrls.map(quote), 'and')}. Put names of binary fields into Input Data Field Names`
			: '',
		...several.map((url) => `has several links in one text, ${quote(url)}. Give a list of them`),
		...attachments.map((attachment) => findAttachmentProblem(item, attachment, endpoint)),
	].filter(Boolean);
}

/** The list must not be empty. The roles of some endpoints must alternate (spec section 2.5). */
function checkOrder(item: ItemReader, roles: string[], endpoint: TextEndpointId): void {
	if (!roles.length) item.addIssue('messages', 'Messages is empty. Add at least one message');
	if (!textEndpoints[endpoint].alternates) return;
	const twice = roles.findIndex((role, index) => index > 0 && role === roles[index - 1]);
	if (twice < 0) return;
	item.addIssue(
		'messages',
		`Messages ${twice} and ${twice + 1} both have the role ${roles[twice]}, but user and assistant must take turns`,
	);
}

/** What a last message of the assistant says: the answer goes on from there (spec section 2.5). */
export function readBeginning(messages: MessagesInput): string {
	const list = 'raw' in messages ? messages.raw : messages.inputs;
	const { role, text, content = text } = list.at(-1) as Record<string, unknown>;
	return role === 'assistant' ? joinParts(content) : '';
}

/** Tells messages from others, also after a run: files by their keys. */
export const identifyMessages = (messages: MessagesInput): unknown =>
	'raw' in messages
		? messages.raw
		: messages.inputs.map(({ attachments, ...message }) => ({
				...message,
				files: attachments.map(({ data }) => data && keyOfFile(data)),
			}));

/** Of files that the request holds. */
export const sizeOfFiles = (messages: MessagesInput, endpoint: TextEndpointId): number =>
	'raw' in messages
		? 0
		: messages.inputs
				.flatMap(({ attachments }) => attachments)
				.filter((attachment) => !isSentAsLink(attachment, endpoint))
				.reduce((bytes, { size = 0 }) => bytes + size, 0);

export async function loadMessages(
	messages: MessagesInput,
	endpoint: TextEndpointId,
	context: IExecuteFunctions,
): Promise<TextRequest['messages']> {
	if ('raw' in messages) return messages;
	return await Promise.all(
		messages.inputs.map(async ({ attachments, ...message }) => ({
			...message,
			files: await Promise.all(attachments.map((file) => readFile(file, endpoint, context))),
		})),
	);
}
