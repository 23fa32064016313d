import type { INodeTypeDescription } from 'n8n-workflow';
import type { Media } from '../catalog/families';
import { describePanelTypes, panelTypeName, SHARED_TYPES } from '../n8n/panel/builderTypes';

/** What the types by model do not say. */
const TYPES_BY_MODEL = [
	`${panelTypeName('image')} and ${panelTypeName('video')} say what each model takes: set nothing else. Expressions may stand for all but model and action,`,
	'names of binary fields of the input for links. A model that is not listed takes extra_body: its request as JSON.',
	SHARED_TYPES,
].join('\n');

const describePanel = (media: Media) => ({
	content: describePanelTypes(media),
	displayOptions: { show: { resource: [media], operation: ['generate'] } },
});

/** What n8n's AI builder reads beside the properties. */
export const builderHint: INodeTypeDescription['builderHint'] = {
	searchHint: [
		'Image > Generate and Video > Generate wait for the result and give its file in the binary field data, without Wait or HTTP Request.',
		'Thousands of rows: Task > Submit, then Task > Await.',
		'Options: cost limits (maximumCost, maximumRunCost, maximumDailyCost), fallback models, a price check (dryRun).',
	].join(' '),
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-generation-gateway.generationGatewayTrigger',
			relationHint: 'Starts a workflow when a task has ended',
		},
		{
			nodeType: 'n8n-nodes-generation-gateway.lmChatGenerationGateway',
			relationHint: 'Text models for agents and chains',
		},
	],
	extraTypeDefContent: [
		{ content: TYPES_BY_MODEL },
		describePanel('image'),
		describePanel('video'),
	],
};
