import { joinWords, quote, toText } from '../../catalog/labels';
import { textEndpoints, type TextEndpointId } from '../../catalog/families';
import type { Issue } from '../../catalog/validate';
import type { Item } from '../operation';
import { readAttachments, findAttachmentProblem, type Attachment } from './attachments';

/** One message as the panel has it; files are named here and read when it is sent. */
export interface MessageInput {
	role: string;
	text: string;
	imageUrls: string[];
	videoUrls: string[];
	files: Attachment[];
}

/** Messages that are already in the endpoint's own shape, or drafts to bring into it. */
export type Messages = { ready: unknown[] } | { drafts: MessageInput[] };

const listOf = (value: unknown): string[] =>
	[value]
		.flat(2)
		.filter((entry) => entry !== undefined && entry !== null && entry !== '')
		.map((entry) => String(entry).trim());

/** The messages of an item with everything that is wrong with them. */
export async function readMessages(
	item: Item,
	style: TextEndpointId,
): Promise<{ messages: Messages; issues: Issue[] }> {
	if (item.get('messagesFrom', 'fields') === 'json') return fromJson(item, style);
	const { entry = [] } = item.get('messages', {}) as { entry?: Record<string, unknown>[] };
	const drafts = await Promise.all(
		entry.map(async (given): Promise<MessageInput> => ({
			role: String(given.role ?? 'user'),
			text: toText(given.text ?? ''),
			imageUrls: listOf(given.image_url),
			videoUrls: listOf(given.video_url),
			files: await readAttachments(item, String(given.binaryFields ?? '')),
		})),
	);
	const found = drafts.flatMap((draft, index) =>
		brokenDraft(draft, style).map((what) => `message ${index + 1} ${what}`),
	);
	const order = orderIssue(
		drafts.map(({ role }) => role),
		style,
	);
	return { messages: { drafts }, issues: issuesOf([...found, ...order]) };
}

const issuesOf = (found: string[]): Issue[] =>
	found.map((what) => ({ field: 'messages', message: `Messages (messages): ${what}` }));

function fromJson(item: Item, style: TextEndpointId): { messages: Messages; issues: Issue[] } {
	const given = item.get('messagesJson', '[]');
	let list = given;
	try {
		if (typeof given === 'string') list = JSON.parse(given);
	} catch (error) {
		return {
			messages: { ready: [] },
			issues: issuesOf([`this is not JSON (${(error as Error).message})`]),
		};
	}
	if (!Array.isArray(list))
		return {
			messages: { ready: [] },
			issues: issuesOf([`${quote(list)} is given, and a JSON list is needed`]),
		};
	const roles = list.map((entry: { role?: unknown } | null) => String(entry?.role ?? ''));
	const strange = list.flatMap((entry: unknown, index) =>
		strangeEntry(entry, style).map((what) => `message ${index + 1} ${what}`),
	);
	return { messages: { ready: list }, issues: issuesOf([...strange, ...orderIssue(roles, style)]) };
}

/** What tool turns look like is not shown: a role of chat's for them passes, and so do entries of respond that name no role. */
function strangeEntry(entry: unknown, style: TextEndpointId): string[] {
	if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
		return [`is ${quote(entry)}, and an object is needed`];
	const { roles } = textEndpoints[style];
	const { role } = entry as { role?: unknown };
	const passes =
		role === undefined
			? style === 'respond'
			: roles.includes(String(role)) || (style === 'chat' && role === 'tool');
	return passes
		? []
		: [
				role === undefined
					? `has no role, and ${joinWords(roles)} is accepted`
					: roleIssue(role, style),
			];
}

const roleIssue = (role: unknown, style: TextEndpointId) =>
	`has the role ${quote(role)}, and ${joinWords(textEndpoints[style].roles)} is accepted`;

function brokenDraft(
	{ role, text, imageUrls, videoUrls, files }: MessageInput,
	style: TextEndpointId,
): string[] {
	const { roles } = textEndpoints[style];
	const links = [...imageUrls, ...videoUrls].filter((link) => !/^(https?:\/\/.|data:)/i.test(link));
	const isEmpty = !text.trim() && !imageUrls.length && !videoUrls.length && !files.length;
	return [
		roles.includes(role) ? '' : roleIssue(role, style),
		isEmpty ? 'is empty' : '',
		...links.map(
			(link) =>
				`has ${quote(link)}, which is not a link; give one that starts with http:// or https://`,
		),
		...files.map((file) => findAttachmentProblem(file, style)),
	].filter(Boolean);
}

/** Empty lists, and roles that do not take turns where the endpoint asks for it (spec section 2.5). */
function orderIssue(roles: string[], style: TextEndpointId): string[] {
	if (!roles.length) return ['there is none, and at least one is needed'];
	if (!textEndpoints[style].alternates) return [];
	const twice = roles.findIndex((role, index) => index > 0 && role === roles[index - 1]);
	if (twice < 0) return [];
	return [
		`messages ${twice} and ${twice + 1} are both of the ${roles[twice]}, and user and assistant must take turns`,
	];
}
