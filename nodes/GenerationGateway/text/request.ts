import type { IDataObject } from 'n8n-workflow';
import type { TextEndpointId } from '../../catalog/families';

/** What the answer should be: free text, JSON, or JSON of a schema. */
export interface OutputFormat {
	json: boolean;
	schema?: IDataObject;
}

const askForJson = ({ schema }: OutputFormat): string =>
	`Answer with JSON only, without any other text.${schema ? ` It must match this JSON schema: ${JSON.stringify(schema)}` : ''}`;

const paragraphs = (...parts: string[]) => parts.filter(Boolean).join('\n\n');

/**
 * The request body of each style. Chat and respond have a parameter for JSON; message and
 * generateContent document none, so there the model is asked in words.
 */
export function toRequest(
	style: TextEndpointId,
	messages: IDataObject[],
	system: string,
	parameters: IDataObject,
	wanted: OutputFormat,
): IDataObject {
	const { json, schema } = wanted;
	const instructed = system ? [{ role: 'system', content: system }, ...messages] : messages;
	switch (style) {
		case 'chat': {
			const format = schema
				? { type: 'json_schema', json_schema: { name: 'answer', schema } }
				: { type: 'json_object' };
			return { messages: instructed, ...(json && { response_format: format }), ...parameters };
		}
		case 'respond': {
			const format = schema
				? { type: 'json_schema', name: 'answer', schema }
				: { type: 'json_object' };
			const first = system
				? [{ role: 'system', content: [{ type: 'input_text', text: system }] }]
				: [];
			return { input: [...first, ...messages], ...(json && { text: { format } }), ...parameters };
		}
		case 'message': {
			const told = paragraphs(system, json ? askForJson(wanted) : '');
			return { messages, ...(told && { system: told }), ...parameters };
		}
		case 'generateContent': {
			const { safetySettings, ...config } = parameters;
			const last = messages.at(-1) as { role: string; parts: IDataObject[] } | undefined;
			const contents =
				json && last
					? [
							...messages.slice(0, -1),
							{ ...last, parts: [...(last.parts ?? []), { text: askForJson(wanted) }] },
						]
					: messages;
			return {
				contents,
				...(Object.keys(config).length && { generationConfig: config }),
				...(safetySettings !== undefined && { safetySettings }),
			};
		}
	}
}

/** JSON in an answer, also where the model put it into a code block or a sentence around it. */
export function extractJson(text: string): { value: unknown } | undefined {
	const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
	const braced = /[[{][\s\S]*[\]}]/.exec(text)?.[0];
	for (const candidate of [text, fenced, braced]) {
		if (candidate === undefined) continue;
		try {
			return { value: JSON.parse(candidate) };
		} catch {
			continue;
		}
	}
	return undefined;
}
