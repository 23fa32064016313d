import { nativeModels } from '../models';
import { HttpError } from '../httpError';
import { object, real, whole, type Check } from '../rules/checks';
import type { Body, Settings } from '../settings';
import { complete } from './completion';
import { checkList, checkModel, checkParams, isObject } from './params';

const number: Check = (value) => (typeof value === 'number' ? undefined : 'must be a JSON number');

const generation = {
	temperature: real(0, 2),
	maxOutputTokens: whole(0),
	topP: number,
	topK: number,
};

function checkPart(part: unknown): string {
	if (isObject(part)) {
		if (typeof part.text === 'string') return part.text;
		const { inlineData } = part;
		if (
			isObject(inlineData) &&
			typeof inlineData.mimeType === 'string' &&
			typeof inlineData.data === 'string'
		)
			return '';
	}
	throw new HttpError(
		400,
		'parts entries carry text or inlineData with mimeType and data.',
		'contents',
	);
}

function checkContent(content: unknown): { role: unknown; text: string } {
	if (!isObject(content) || (content.role !== 'user' && content.role !== 'model')) {
		throw new HttpError(400, 'contents entries have a role of user or model.', 'contents');
	}
	const text = checkList(content.parts, 'parts').map(checkPart).join('');
	return { role: content.role, text };
}

/** Section 2.5, native generateContent-style. */
export function generateContent(model: string, body: Body, settings: Settings): Body {
	checkModel(model, nativeModels, settings);
	const contents = checkList(body.contents, 'contents').map(checkContent);
	checkParams(body, { generationConfig: object });
	const config = (body.generationConfig ?? {}) as Body;
	checkParams(config, generation, 'generationConfig.');
	const completion = complete({
		model,
		text: contents.filter(({ role }) => role === 'user').at(-1)?.text ?? '',
		allText: contents.map(({ text }) => text).join(' '),
		tools: [],
		json:
			config.responseMimeType === 'application/json'
				? { schema: config.responseSchema }
				: undefined,
		maxTokens: typeof config.maxOutputTokens === 'number' ? config.maxOutputTokens : undefined,
	});
	return {
		candidates: [
			{
				content: { role: 'model', parts: [{ text: completion.text }] },
				finishReason: completion.endReason === 'length' ? 'MAX_TOKENS' : 'STOP',
				safetyRatings: [],
			},
		],
		usageMetadata: {
			promptTokenCount: completion.inputTokens,
			candidatesTokenCount: completion.outputTokens,
			totalTokenCount: completion.inputTokens + completion.outputTokens,
		},
	};
}
