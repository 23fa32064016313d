import type { Body } from '../settings';
import type { ServerSentEvent } from './stream';

/** The shape of events is not shown in the spec: named ones, each with a running number. */
export function createResponseEvents(whole: Body, pieces: string[]): ServerSentEvent[] {
	const events: ServerSentEvent[] = [];
	const add = (type: string, rest: Body): void => {
		events.push({ name: type, data: { type, sequence_number: events.length, ...rest } });
	};
	const begun = { ...whole, status: 'in_progress', output: [], usage: null };
	add('response.created', { response: begun });
	add('response.in_progress', { response: begun });
	(whole.output as Body[]).forEach((item, index) => {
		add('response.output_item.added', { output_index: index, item: opened(item) });
		const at = { item_id: item.id, output_index: index };
		if (item.type === 'message') {
			const [part] = item.content as Body[];
			const text = { ...at, content_index: 0 };
			add('response.content_part.added', { ...text, part: { ...part, text: '' } });
			for (const delta of pieces) add('response.output_text.delta', { ...text, delta });
			add('response.output_text.done', { ...text, text: part?.text });
			add('response.content_part.done', { ...text, part });
		} else if (item.type === 'function_call') {
			add('response.function_call_arguments.delta', { ...at, delta: item.arguments });
			add('response.function_call_arguments.done', { ...at, arguments: item.arguments });
		}
		add('response.output_item.done', { output_index: index, item });
	});
	add('response.completed', { response: whole });
	return events;
}

function opened(item: Body): Body {
	if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
	return item.type === 'function_call' ? { ...item, status: 'in_progress', arguments: '' } : item;
}
