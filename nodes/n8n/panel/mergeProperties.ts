import type { INodeProperties } from 'n8n-workflow';
import { mergeLists } from './mergeLists';

/** The menu whose choices show a property. */
type Menu = 'resource' | 'operation';
type Conditions = NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>;
type Choices = NonNullable<Conditions[string]>;

const choicesOf = ({ displayOptions }: INodeProperties, menu: Menu): Choices =>
	displayOptions?.show?.[menu] ?? [];

const withShow = (property: INodeProperties, show: Conditions): INodeProperties => ({
	...property,
	displayOptions: { ...property.displayOptions, show },
});

const withChoices = (property: INodeProperties, menu: Menu, choices: Choices): INodeProperties =>
	withShow(property, { ...property.displayOptions?.show, [menu]: choices });

/** Equal for properties that differ in nothing but the choices of the menu that show them. */
const keyOf = (property: INodeProperties, menu: Menu): string =>
	JSON.stringify(withChoices(property, menu, []));

/** The second property, shown under the choices of the first one too. */
const join = (first: INodeProperties, second: INodeProperties, menu: Menu): INodeProperties =>
	withChoices(second, menu, [
		...new Set([...choicesOf(first, menu), ...choicesOf(second, menu)]),
	] as Choices);

/**
 * Several panels as one list: a property that some of them have is there once, and each panel keeps
 * its order. n8n goes through all properties at every keystroke.
 */
export function mergeProperties(
	panels: readonly INodeProperties[][],
	menu: Menu,
): INodeProperties[] {
	return mergeLists(
		panels,
		(property) => keyOf(property, menu),
		(first, second) => join(first, second, menu),
	);
}

/** A place of the menu. */
export interface Place {
	resource: string;
	operation: string;
}

/**
 * The property with the conditions in the order in which most others are left at once, and without
 * the operation where all operations of its resources show it: each condition costs time at every keystroke.
 */
export function withFewConditions(
	property: INodeProperties,
	places: readonly Place[],
): INodeProperties {
	const { resource, operation, ...others } = property.displayOptions?.show ?? {};
	if (!resource || !operation) return property;
	const isEach = places.every(
		(place) => !resource.includes(place.resource) || operation.includes(place.operation),
	);
	return withShow(property, { resource, ...(!isEach && { operation }), ...others });
}
