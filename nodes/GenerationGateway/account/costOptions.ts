import type { ItemReader } from '../../n8n/itemReader';
import { IS_ADDED, offerLater, offerWhen, type Option } from '../../n8n/options';
import { choiceParameter, numberParameter } from '../../n8n/parameters';
import type { CostLimits } from './charge';

export const maximumCost = numberParameter({
	name: 'maximumCost',
	displayName: 'Cost Limit per Item ($)',
	description: 'A request with a higher estimate is not sent',
	min: 0,
	shown: 1,
});

export const maximumRunCost = numberParameter({
	name: 'maximumRunCost',
	displayName: 'Cost Limit per Execution ($)',
	description:
		'Counts this node only, with all its runs in a loop. A request that would pass the limit is not sent.',
	min: 0,
	shown: 10,
});

export const maximumDailyCost = numberParameter({
	name: 'maximumDailyCost',
	displayName: 'Cost Limit per Day ($)',
	description:
		'Counts all executions with the API key in this n8n process since midnight UTC. Text and audio count in nodes with a cost limit. What would pass the limit is not sent.',
	min: 0,
	shown: 10,
});

export const unknownPrice = choiceParameter({
	name: 'unknownPrice',
	displayName: 'Cost If Price Is Unknown',
	options: [
		{ name: 'Do Not Send', value: 'refuse' },
		{ name: 'Send', value: 'send' },
	],
	fallback: 'refuse',
	description: 'What to do when a cost limit is set and no price is known',
});

/** Cost If Price Is Unknown is offered once, whichever limits are added. `offer`: how the first two are. */
export const costLimits = (offer: (option: Option) => Option = (option) => option) => [
	offer(maximumCost),
	offer(maximumRunCost),
	offerLater(maximumDailyCost),
	offerWhen(unknownPrice, { show: { maximumCost: IS_ADDED } }),
	offerWhen(unknownPrice, { show: { maximumRunCost: IS_ADDED }, hide: { maximumCost: IS_ADDED } }),
	offerWhen(unknownPrice, {
		show: { maximumDailyCost: IS_ADDED },
		hide: { maximumCost: IS_ADDED, maximumRunCost: IS_ADDED },
	}),
];

export const readCostLimits = (
	item: ItemReader,
	noun: CostLimits['noun'] = 'task',
): CostLimits => ({
	noun,
	perItem: item.option(maximumCost),
	perExecution: item.option(maximumRunCost),
	perDay: item.option(maximumDailyCost),
	sendsUnpriced: item.option(unknownPrice) === 'send',
});
