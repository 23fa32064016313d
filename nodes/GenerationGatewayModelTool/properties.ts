import type { INodeProperties } from 'n8n-workflow';
import {
	ifAlreadyMade,
	linkDays,
	markAsAi,
	maximumCost,
	maximumDailyCost,
	maximumRunCost,
	pollInterval,
	timeout,
	unknownPrice,
	toolWaitParameter,
} from '../GenerationGateway/tasks/parameters';
import { modelLocator } from '../n8n/modelLocator';
import { fallbackModels, optionsCollection } from '../n8n/options';
import { objectParameter, textParameter } from '../n8n/parameters';

export const toolDescription = textParameter({
	name: 'toolDescription',
	displayName: 'Description',
	placeholder: 'e.g. Draws the cover of a story. Use it once the story is written.',
	description:
		'What the agent reads to decide when to call the tool. When empty, it says what the model makes and costs. The rules of the model are added.',
});

export const fixedFields = objectParameter({
	name: 'fixedFields',
	displayName: 'Fixed Fields',
	placeholder: 'e.g. { "resolution": "1080p", "duration": 5 }',
	description:
		'Fields of the model that you set, as JSON. The agent neither sees nor changes them; all other fields are its own.',
});

export const wait = toolWaitParameter;

/** What the agent cannot change: model, fixed fields, limits. */
export const properties: INodeProperties[] = [
	modelLocator('tool'),
	toolDescription.property,
	fixedFields.property,
	wait.property,
	optionsCollection([
		maximumCost,
		maximumRunCost,
		maximumDailyCost,
		unknownPrice,
		ifAlreadyMade,
		fallbackModels,
		linkDays,
		markAsAi,
		timeout,
		pollInterval,
	]),
];
