import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { collectNumbers, compareModels } from '../catalog/drift';
import { NO_PRICE } from '../catalog/modelList';
import { BoundedMap } from '../gateway/boundedMap';
import { listModels } from '../gateway/models/api';
import type { ListedModel } from '../gateway/models/schema';
import { CREDENTIAL, readCredential } from './credential';
import { createNodeClient } from './gatewayContext';
import type { ListedChoice } from './modelLocator';
import { isExpression } from './outsideNames';
import { systemClock } from './systemClock';

/** Someone looks at the list. */
const LONGEST_MS = 2_000;
const ONCE = { attempts: 1, budgetMs: 0, firstDelayMs: 0, refusals: 0 };
/** How long a list is kept, and how long a gateway that did not answer is not asked. */
const FRESH_MS = 300_000;
const FAILED_MS = 60_000;
const MOST_KNOWN = 100;

/** By credential. */
const known = new BoundedMap<string, { models?: ListedModel[]; until: number }>(MOST_KNOWN);

/** Undefined without a credential, and when the gateway does not answer in time. */
export async function getLiveModels(
	context: ILoadOptionsFunctions,
): Promise<ListedModel[] | undefined> {
	const credential = context.getNode().credentials?.[CREDENTIAL];
	if (!credential) return undefined;
	const { baseUrl } = await readCredential(context).catch(() => ({ baseUrl: '' }));
	const key = `${credential.id} ${String(baseUrl)}`;
	const found = known.get(key);
	if (found && systemClock.now() < found.until) return found.models;
	const client = createNodeClient(context, {
		concurrency: 1,
		retry: ONCE,
		longestMs: LONGEST_MS,
	});
	const models = await listModels(client).catch(() => undefined);
	const until = systemClock.now() + (models ? FRESH_MS : FAILED_MS);
	known.set(key, { models, until });
	return models;
}

/**
 * Compares the choices with the gateway's list: missing models go to the end, new ones are added. A gateway
 * that lists none of the choices does not list this kind. Default kind: images and videos.
 */
export function mergeLive(
	choices: readonly ListedChoice[],
	live: readonly ListedModel[] | undefined,
	kind: string | undefined,
): ListedChoice[] {
	if (!live) return choices.map(markPackagePrice);
	const { newModels, missingModels, skippedKinds, movedPrices } = compareModels(live);
	const missingIds = new Set(missingModels.map(({ id }) => id));
	const isOffered = ({ id }: ListedChoice) => !missingIds.has(id);
	if (!choices.some(isOffered) || skippedKinds.some((skipped) => skipped === kind))
		return choices.map(markPackagePrice);
	const added = newModels
		.filter(({ id, type }) => isOfKind(type, kind) && !isExpression(id))
		.map(({ id }): ListedChoice => ({
			id,
			abilities: 'new at the gateway',
			searchText: `${id} new`.toLowerCase(),
		}));
	const missing = choices
		.filter((choice) => !isOffered(choice))
		.map((choice) => ({ ...choice, price: '', abilities: 'not offered by your gateway now' }));
	const offered = choices.filter(isOffered).map((choice): ListedChoice => {
		const moved = movedPrices.find(({ id }) => id === choice.id)?.listedNumbers;
		const config = live.find(({ id }) => id === choice.id)?.priceConfig;
		const numbers = moved ?? (choice.price === NO_PRICE ? collectNumbers(config) : []);
		const [lowest, ...higher] = [...new Set(numbers)]
			.filter((number) => number > 0)
			.sort((a, b) => a - b);
		if (lowest === undefined) return choice;
		return { ...choice, price: `listed ${higher.length ? 'from' : 'at'} ${lowest}` };
	});
	return [...offered, ...added, ...missing];
}

/** The gateway did not answer, or does not list this kind of model. */
const markPackagePrice = (choice: ListedChoice): ListedChoice =>
	choice.price?.includes('$') ? { ...choice, price: `last known ${choice.price}` } : choice;

/** Task > Submit takes all kinds, also unknown ones. */
const isOfKind = (type: string | undefined, kind: string | undefined): boolean =>
	kind ? type?.toLowerCase() === kind : !type || /image|video/i.test(type);
