import type { INodeProperties } from 'n8n-workflow';
import {
	maximumCost,
	maximumDailyCost,
	maximumRunCost,
	unknownPrice,
} from '../GenerationGateway/account/costOptions';
import { linkDays, markAsAi } from '../GenerationGateway/tasks/outputOptions';
import { ifAlreadyMade } from '../GenerationGateway/tasks/parameters';
import { pollInterval, timeout, toolWaitParameter } from '../GenerationGateway/tasks/waitOptions';
import { modelLocator } from '../n8n/modelLocator';
import { fallbackModels, optionsCollection } from '../n8n/options';
import { objectParameter, textParameter } from '../n8n/parameters';

export const toolDescription = textParameter({
	name: 'toolDescription',
	displayName: 'Description',
	placeholder: 'e.g. Draws the cover of a story',
	description:
		'What the agent reads to decide when to call the tool. When empty, it says what the model makes and costs. The rules of the model are added.',
});

export const fixedFields = objectParameter({
	name: 'fixedFields',
	displayName: 'Fixed Fields',
	description:
		'Fields of the model that you set, as JSON, e.g. { "resolution": "1080p", "duration": 5 }. The agent neither sees nor changes them; it fills in all other fields.',
});

/** Without Match by Key: one key for all calls would give all of them one task. */
const ifCalledBefore: INodeProperties = {
	...ifAlreadyMade.property,
	options: [
		{ name: 'Make Again', value: 'make' },
		{ name: 'Use It', value: 'reuse', description: 'An equal call of the last 24 hours' },
	],
};

/** Without this text among the parameters, n8n's editor says that the agent fills none of the fields. */
const filledByAgent: INodeProperties = {
	displayName: 'Filled by the Agent',
	name: 'filledByAgent',
	type: 'hidden',
	default: 'The fields of the model, by $fromAI',
};

/** What the agent cannot change: model, fixed fields, limits. */
export const properties: INodeProperties[] = [
	modelLocator('tool'),
	toolDescription.property,
	fixedFields.property,
	toolWaitParameter.property,
	optionsCollection([
		maximumCost,
		maximumRunCost,
		maximumDailyCost,
		unknownPrice,
		ifCalledBefore,
		fallbackModels,
		linkDays,
		markAsAi,
		timeout,
		pollInterval,
	]),
	filledByAgent,
];
