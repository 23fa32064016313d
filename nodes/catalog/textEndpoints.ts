import type { Field, Fields } from './schema';

/** The four text endpoints: spec sections 2.5 and 4. */
export type TextEndpointId = 'chat' | 'respond' | 'message' | 'generateContent';

interface TextEndpoint {
	/** Its name in the menu. */
	title: string;
	/** "more are added over time" */
	models: readonly string[];
	/** Of messages. */
	roles: readonly string[];
	alternates?: true;
	takesImageUrls?: true;
	takesVideoUrls?: true;
	/** Beside model and messages. */
	fields: Fields;
}

const CHAT_MODELS = [
	'gp-5',
	'gp-5-mini',
	'gp-5-nano',
	'gp-5.1',
	'gp-5.2',
	'gp-5.4',
	'gp-4.1',
	'gp-4.1-mini',
	'gp-4.1-nano',
	'gp-4o',
	'gp-4o-mini',
	'o1',
	'o3-mini',
	'o4-mini',
	'cld-opus-4.6',
	'cld-sonnet-4.6',
	'cld-opus-4.5',
	'cld-sonnet-4.5',
	'cld-haiku-4.5',
	'gmn-2.5-pro',
	'gmn-2.5-flash',
	'gmn-2.5-flash-lite',
	'gmn-3-flash-preview',
	'gmn-3.1-pro-preview',
	'dsk-r1-0528',
	'dsk-v3.2',
	'dsk-v3.2-exp',
	'mmx-m2.1',
	'mmx-m2.5',
	'kmi-k2.5',
	'kmi-k2-thinking',
	'zg-4.6',
	'zg-4.7',
	'zg-5',
	'zg-5.1',
] as const;

/** "available only on this endpoint": section 2.5, responses-style. */
const RESPOND_ONLY = [
	'gp-5-pro',
	'gp-5-codex',
	'gp-5.1-codex',
	'gp-5.1-codex-mini',
	'gp-5.2-codex',
	'gp-5.3-codex',
] as const;

const temperature = (max: number): Field => ({
	type: 'number',
	min: 0,
	max,
	default: 1,
	description: 'How random the answer is; lower is more predictable',
});
const topP: Field = {
	type: 'number',
	min: 0,
	max: 1,
	default: 1,
	label: 'Top P',
	description: 'Share of the likeliest words to choose from',
};
const penalty = (description: string): Field => ({
	type: 'number',
	min: -2,
	max: 2,
	default: 0,
	description,
});
const maxTokens: Field = {
	type: 'integer',
	shown: 1024,
	label: 'Maximum Tokens',
	description: 'Maximum length of the answer in tokens',
};
const stops: Field = {
	type: 'texts',
	maxItems: 4,
	label: 'Stop Sequences',
	description: 'Texts at which the answer ends',
};
const topK: Field = {
	type: 'number',
	shown: 40,
	label: 'Top K',
	description: 'Number of likeliest words to choose from',
};

export const textEndpoints: Readonly<Record<TextEndpointId, TextEndpoint>> = {
	chat: {
		title: 'Send a Message',
		models: CHAT_MODELS,
		roles: ['user', 'assistant', 'system'],
		takesImageUrls: true,
		fields: {
			temperature: temperature(2),
			max_tokens: maxTokens,
			top_p: topP,
			frequency_penalty: penalty('Positive values make the model repeat words less often'),
			presence_penalty: penalty('Positive values make the model bring up new topics'),
			stop: { ...stops, acceptsOne: true },
			n: {
				type: 'integer',
				default: 1,
				label: 'Number of Answers',
				description: 'Number of answers to create',
			},
			tools: {
				type: 'objects',
				placeholder: 'e.g. [{ "type": "function", "function": { "name": "lookup" } }]',
				description: 'Tools the model may call, as a JSON list',
			},
		},
	},
	respond: {
		title: 'Send a Message with Tools or Video',
		models: [...CHAT_MODELS, ...RESPOND_ONLY],
		roles: ['user', 'assistant', 'system'],
		takesImageUrls: true,
		takesVideoUrls: true,
		fields: {
			temperature: temperature(2),
			max_tokens: maxTokens,
			tools: {
				type: 'objects',
				placeholder: 'e.g. [{ "type": "web_search" }]',
				description: 'Tools the model may use, as a JSON list',
				items: {
					type: {
						type: 'string',
						required: true,
						enum: ['web_search', 'file_search', 'function', 'remote_mcp'],
						description: 'Kind of tool',
					},
				},
			},
		},
	},
	message: {
		title: 'Send a Message (Messages Format)',
		models: CHAT_MODELS.filter((id) => id.startsWith('cld-')),
		roles: ['user', 'assistant'],
		alternates: true,
		takesImageUrls: true,
		fields: {
			max_tokens: {
				...maxTokens,
				required: true,
				min: 1,
				description: 'Longest answer, in tokens; this endpoint always needs it',
			},
			temperature: temperature(1),
			top_p: topP,
			top_k: topK,
			stop_sequences: { ...stops, description: `${stops.description}, of at most 32 tokens each` },
			metadata: { type: 'object', description: 'Metadata of the request, as JSON' },
		},
	},
	generateContent: {
		title: 'Generate Content (Native Format)',
		models: [
			'gmn-3.1-pro-preview',
			'gmn-3-flash-preview',
			'gmn-2.5-pro',
			'gmn-2.5-flash',
			'gmn-2.5-flash-lite',
		],
		roles: ['user', 'model'],
		fields: {
			temperature: temperature(2),
			maxOutputTokens: { ...maxTokens, label: 'Maximum Output Tokens' },
			topP: { type: 'number', shown: 1, label: 'Top P', description: topP.description },
			topK,
			safetySettings: {
				type: 'objects',
				label: 'Safety Settings',
				description: 'Safety settings in the native format, as a JSON list',
			},
		},
	},
};

/** Examples (spec section 2.5): any other ID passes. */
export const AUDIO_MODELS = ['asr-1'] as const;
export const EMBEDDING_MODELS = ['text-embedding-3-small', 'text-embedding-3-large'] as const;

/** Of transcription (spec section 2.5), by extension or media type. */
export const AUDIO_FORMATS = ['mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'wav', 'webm'] as const;

/** Files in a request to the responses-style endpoint: spec sections 2.5 and 8. */
export const RESPOND_INPUT = {
	image: { megabytes: 20, types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] },
	video: {
		megabytes: 200,
		types: [
			'video/mp4',
			'video/quicktime',
			'video/x-msvideo',
			'video/msvideo',
			'video/vnd.avi',
			'video/avi',
			'video/webm',
		],
	},
} as const;
