import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { mergeLists } from './mergeLists';
import type { Place } from './mergeProperties';

/** A member of collections, and the places of the menu whose collection has it. */
interface Member {
	key: string;
	property: INodeProperties;
	places: Place[];
}

const isShownAt = ({ displayOptions }: INodeProperties, { resource, operation }: Place) => {
	const { resource: resources, operation: operations } = displayOptions?.show ?? {};
	return Boolean(resources?.includes(resource) && (operations?.includes(operation) ?? true));
};

const isForm = ({ type }: INodeProperties) => type === 'fixedCollection';

/** The members of a collection, or the fields of one item of a form. */
const getMembers = (property: INodeProperties): INodeProperties[] =>
	isForm(property)
		? (property.options as INodePropertyCollection[])[0]!.values
		: (property.options as INodeProperties[]);

const withMembers = (property: INodeProperties, members: INodeProperties[]): INodeProperties => {
	const [form] = property.options as INodePropertyCollection[];
	return { ...property, options: isForm(property) ? [{ ...form!, values: members }] : members };
};

/** The members of all collections, each once, in an order that each collection keeps. */
function listMembers(collections: readonly INodeProperties[], places: readonly Place[]): Member[] {
	const lists = collections.map((collection) => {
		const itsPlaces = places.filter((place) => isShownAt(collection, place));
		return getMembers(collection).map((property): Member => ({
			key: JSON.stringify(property),
			property,
			places: itsPlaces,
		}));
	});
	return mergeLists(
		lists,
		({ key }) => key,
		(first, second) => ({ ...first, places: [...first.places, ...second.places] }),
	);
}

/** The member under the conditions that show it at its places and at no other; none where it is at all of them. */
function withPlaces({ property, places }: Member, all: readonly Place[]): INodeProperties {
	if (places.length === all.length) return property;
	const resources = [...new Set(places.map(({ resource }) => resource))];
	const operations = [...new Set(places.map(({ operation }) => operation))];
	const byResource = ({ resource }: Place) => resources.includes(resource);
	const byOperation = ({ operation }: Place) => operations.includes(operation);
	const areThese = (isShown: (place: Place) => boolean) =>
		all.filter(isShown).length === places.length;
	const show = areThese(byOperation)
		? { '/operation': operations }
		: areThese(byResource)
			? { '/resource': resources }
			: { '/resource': resources, '/operation': operations };
	if (!areThese((place) => byResource(place) && byOperation(place)))
		throw new Error(`${property.name} is in a part of the places that no condition names`);
	return {
		...property,
		displayOptions: {
			...property.displayOptions,
			show: { ...show, ...property.displayOptions?.show },
		},
	};
}

/** The collection, shown at the places and at no other. */
function showAt(
	property: INodeProperties,
	places: readonly Place[],
	menu: readonly Place[],
): INodeProperties {
	const resource = [...new Set(places.map((place) => place.resource))];
	const operation = [...new Set(places.map((place) => place.operation))];
	const shown = menu.filter(
		(at) => resource.includes(at.resource) && operation.includes(at.operation),
	);
	if (shown.length !== places.length)
		throw new Error(`${property.name} is at places that no condition names`);
	const show = { ...property.displayOptions?.show, resource, operation };
	return { ...property, displayOptions: { ...property.displayOptions, show } };
}

/**
 * The collections or forms of one name as one for each group of places, whose members are shown where they were:
 * n8n goes through the members of all collections at every keystroke. It stands where the last of them
 * did. A place is of the first group that takes it.
 */
export function mergeCollections(
	properties: readonly INodeProperties[],
	name: string,
	groups: readonly ((place: Place) => boolean)[],
	menu: readonly Place[],
): INodeProperties[] {
	const list = [...properties];
	const all = list.filter((property) => property.name === name);
	for (const isOfGroup of groups) {
		const isFirst = (place: Place) => groups.find((takes) => takes(place)) === isOfGroup;
		const collections = all.filter((one) => menu.some((at) => isShownAt(one, at) && isFirst(at)));
		const last = collections.at(-1);
		if (!last) continue;
		const places = menu.filter((at) => collections.some((one) => isShownAt(one, at)));
		const members = listMembers(collections, places).map((member) => withPlaces(member, places));
		list[list.indexOf(last)] = showAt(withMembers(last, members), places, menu);
		for (const other of collections.slice(0, -1)) list.splice(list.indexOf(other), 1);
	}
	return list;
}
