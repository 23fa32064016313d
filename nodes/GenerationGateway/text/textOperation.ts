import type { IDataObject } from 'n8n-workflow';
import { validate } from '../../catalog/validate';
import { toText } from '../../catalog/labels';
import { textModelSpec, findEndpointIssue } from '../../n8n/textParameters';
import { convertValue } from '../../n8n/panel/readPanel';
import { textEndpoints, type TextEndpointId } from '../../catalog/families';
import { readModel } from '../../n8n/modelParameter';
import { InputError, showUnderOperation, type Item, type Operation } from '../operation';
import { complete, type TextPlan } from './complete';
import { readMessages } from './messageInput';
import { readObjectOption, createOptionReader } from '../../n8n/options';
import { textProperties } from './properties';
import { toMessages } from './toMessages';
import { toRequest, type OutputFormat } from './request';
import { textToItem } from './toItem';

function parametersOf(item: Item, style: TextEndpointId): IDataObject {
	const { fields } = textEndpoints[style];
	const given: IDataObject = {
		...(style === 'message' && { max_tokens: item.get('max_tokens', 1024) as number }),
		...item.options,
	};
	const set = Object.entries(fields).flatMap(([name, field]) => {
		const raw = given[name];
		if (raw === undefined || raw === '' || (Array.isArray(raw) && !raw.length)) return [];
		return [[name, convertValue(raw, field)] as const];
	});
	return Object.fromEntries(set) as IDataObject;
}

/** What Extra Body says of parameters that the endpoint states; those of the native style stand in generationConfig. */
function knownIn(extra: IDataObject | undefined, style: TextEndpointId): IDataObject {
	const { fields } = textEndpoints[style];
	const given = {
		...extra,
		...(style === 'generateContent' && (extra?.generationConfig as IDataObject | undefined)),
	};
	return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(fields, name)));
}

/** One style of text endpoint as an operation: spec sections 2.5 and 4. */
export function createTextOperation(style: TextEndpointId): Operation<TextPlan> {
	return {
		properties: showUnderOperation('text', [style], textProperties(style)),
		async plan(item) {
			const model = readModel(item);
			const parameters = parametersOf(item, style);
			const { messages, issues } = await readMessages(item, style);
			const extra = readObjectOption(item, 'extra_body', 'Extra Body');
			const schema = readObjectOption(item, 'jsonSchema', 'JSON Schema');
			const switches = createOptionReader(item);
			const simplify = switches.isOn('simplify', 'Simplify', true);
			const stream = 'stream' in item.options ? switches.isOn('stream', 'Stream') : undefined;
			const found = [
				findEndpointIssue(style, model),
				...issues,
				...validate(textModelSpec(style, model), { ...knownIn(extra.value, style), ...parameters })
					.issues,
				extra.issue,
				schema.issue,
				...switches.issues,
			].filter((issue) => issue !== undefined);
			if (found.length) throw new InputError(found);
			const wanted: OutputFormat = {
				json: item.get('outputFormat', 'text') === 'json',
				schema: schema.value,
			};
			const system = style === 'generateContent' ? '' : toText(item.get('system', '') ?? '').trim();
			const { index, context } = item;
			const more = { ...extra.value };
			// Whether it streams is an option: what reads the answer must know.
			delete more.stream;
			return {
				style,
				model,
				index,
				body: async () => ({
					...more,
					...(style !== 'generateContent' && { model }),
					...toRequest(
						style,
						await toMessages(messages, style, context, index),
						system,
						parameters,
						wanted,
					),
				}),
				stream,
				json: wanted.json,
				simplify,
			};
		},
		perform: async (plan, run) => [textToItem(await complete(plan, run), plan)],
	};
}
