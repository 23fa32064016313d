import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import axios from 'axios';

export interface StreamedAnswer {
	/** When the first line with words came, Unix milliseconds. */
	firstWordAt: number;
	/** Lines with words. */
	lines: number;
	/** All words, as they came. */
	text: string;
}

/** Calls a workflow that streams and reads what it sends, line by line, as a client of n8n's chat does. */
export async function readStreamedAnswer(url: string, prompt: string): Promise<StreamedAnswer> {
	const { data } = await axios.post<Readable>(url, { prompt }, { responseType: 'stream' });
	let firstWordAt = 0;
	const words: string[] = [];
	for await (const line of createInterface({ input: data })) {
		const { type, content } = JSON.parse(line || '{}') as { type?: string; content?: string };
		if (type === 'error') throw new Error(`The workflow streamed an error: ${content}`);
		if (type !== 'item' || !content) continue;
		if (content.includes('word')) firstWordAt ||= Date.now();
		words.push(content);
	}
	if (!words.length) throw new Error('The workflow streamed no words');
	return { firstWordAt, lines: words.length, text: words.join('') };
}
