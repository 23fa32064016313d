import { fromParameter, webhookDescriptionFields, type INodeProperties } from 'n8n-workflow';
import { optionsCollection, simplify, split } from '../n8n/options';

/** Missing in older hosts. */
const declareFields = webhookDescriptionFields as typeof webhookDescriptionFields | undefined;

/** The last part of the callback URL. Newer hosts read it without evaluating an expression. */
export const callbackPath = declareFields
	? declareFields({ path: fromParameter('secret', 'callback') })
	: { path: '={{$parameter["secret"] || "callback"}}' };

export const properties: INodeProperties[] = [
	{
		displayName:
			'Copy a URL from Webhook URLs above into Callback URL of your tasks: the production URL, or the test URL for a test. A callback is not trusted: the node fetches the task with the credential before the workflow starts.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: [
			{ name: 'Cancelled', value: 'cancelled', action: 'On task cancelled' },
			{ name: 'Completed', value: 'completed', action: 'On task completed' },
			{ name: 'Failed', value: 'failed', action: 'On task failed' },
		],
		default: ['completed', 'failed'],
		description: 'How a task must have ended to start the workflow',
	},
	{
		displayName: 'Secret',
		name: 'secret',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		placeholder: 'e.g. kite-7f3a9c51e2',
		description:
			'Last part of the URL, in letters, digits and hyphens. When empty, it is callback, and the random ID before it protects the URL.',
	},
	optionsCollection([
		{
			displayName: 'Output Field Name',
			name: 'download',
			type: 'string',
			default: 'data',
			placeholder: 'e.g. data',
			hint: 'The name of the output binary field to put the file in',
			description:
				'Downloads the results. Further files of an item go to data_1, data_2 and so on.',
		},
		split,
		simplify,
	]),
];
