import { HttpError } from '../httpError';
import { findLinkFault } from '../rules/checks';
import { defaultSettings, type Body } from '../settings';
import { isObject } from './params';

const settings = defaultSettings();
const mebibyte = 1024 * 1024;

interface Input {
	text: string;
	results?: string[];
	allText: string;
}

const refuse = (sentence: string): HttpError => new HttpError(400, sentence, 'input');

function checkImage(link: unknown): void {
	if (typeof link !== 'string') throw refuse('input_image needs an image_url.');
	const data = /^data:([^;,]*)(;base64)?,/i.exec(link);
	if (data === null) {
		if (findLinkFault(link, settings))
			throw refuse('image_url must be a public http(s) link or a base64 data URI.');
		return;
	}
	if (!/^image\/(jpe?g|png|gif|webp)$/i.test(data[1] ?? '') || data[2] === undefined) {
		throw refuse('image_url takes base64 of JPEG, PNG, GIF or WebP.');
	}
	const padding = /=*$/.exec(link.slice(-2))?.[0].length ?? 0;
	const bytes = ((link.length - data[0].length) * 3) / 4 - padding;
	if (bytes > 20 * mebibyte) throw refuse('input_image may have at most 20 MB.');
}

/** The text of one content item; images and videos are only checked. */
function readItem(item: unknown): string {
	if (!isObject(item)) throw refuse('content items must be objects.');
	if (item.type === 'input_image') checkImage(item.image_url);
	else if (item.type === 'input_video') {
		if (typeof item.video_url !== 'string' || findLinkFault(item.video_url, settings)) {
			throw refuse('input_video needs a video_url that is a public http(s) link.');
		}
	} else if (item.type === 'input_text' || item.type === 'output_text') {
		if (typeof item.text !== 'string') throw refuse(`${item.type} needs a text.`);
		return item.text;
	} else {
		throw refuse('content items are of type input_text, input_image or input_video.');
	}
	return '';
}

function readMessage(message: Body): string {
	if (!['user', 'assistant', 'system'].includes(String(message.role))) {
		throw refuse('input messages have a role of user, assistant, system.');
	}
	if (!Array.isArray(message.content)) throw refuse('content must be an array of items.');
	return message.content.map(readItem).join('');
}

/** A string, or messages; calls and their results (not in the spec) are taken for agents. */
export function readInput(input: unknown): Input {
	if (typeof input === 'string' && input !== '') return { text: input, allText: input };
	if (!Array.isArray(input) || input.length === 0) {
		throw refuse('input is required: a string or a non-empty array of messages.');
	}
	let text = '';
	let results: string[] = [];
	const all: string[] = [];
	for (const item of input as unknown[]) {
		if (!isObject(item)) throw refuse('input entries must be objects.');
		if (item.type === 'function_call') continue;
		if (item.type === 'function_call_output') {
			results.push(String(item.output));
			continue;
		}
		const words = readMessage(item);
		if (item.role === 'user') text = words;
		results = [];
		all.push(words);
	}
	return { text, allText: all.join(' '), ...(results.length > 0 ? { results } : {}) };
}
