import type { INodeProperties } from 'n8n-workflow';

/** The menu whose choices show a property. */
type Menu = 'resource' | 'operation';
type Choices = NonNullable<
	NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>[string]
>;

const choicesOf = ({ displayOptions }: INodeProperties, menu: Menu): Choices =>
	displayOptions?.show?.[menu] ?? [];

function withChoices(property: INodeProperties, menu: Menu, choices: Choices): INodeProperties {
	const { displayOptions } = property;
	return {
		...property,
		displayOptions: { ...displayOptions, show: { ...displayOptions?.show, [menu]: choices } },
	};
}

/** Equal for properties that differ in nothing but the choices of the menu that show them. */
const keyOf = (property: INodeProperties, menu: Menu): string =>
	JSON.stringify(withChoices(property, menu, []));

/** The second property, shown under the choices of the first one too. */
const join = (first: INodeProperties, second: INodeProperties, menu: Menu): INodeProperties =>
	withChoices(second, menu, [...choicesOf(first, menu), ...choicesOf(second, menu)]);

/**
 * The panels of a resource's operations as one list: a property that several of them have is there
 * once, and each panel keeps its order. n8n goes through all properties at every keystroke.
 */
export function mergeProperties(panels: readonly INodeProperties[][]): INodeProperties[] {
	const merged: { key: string; property: INodeProperties }[] = [];
	for (const panel of panels) {
		let position = 0;
		for (const property of panel) {
			const key = keyOf(property, 'operation');
			const index = merged.findIndex((other, at) => at >= position && other.key === key);
			const same = merged[index];
			if (same) merged[index] = { key, property: join(same.property, property, 'operation') };
			else merged.splice(position, 0, { key, property });
			position = (same ? index : position) + 1;
		}
	}
	return merged.map(({ property }) => property);
}

/**
 * The properties of all resources as one list: those with which two resources that follow each other
 * both end are there once, after the others of both.
 */
export function mergeResources(resources: readonly INodeProperties[][]): INodeProperties[] {
	const lists = resources.map((properties) => [...properties]);
	for (const [at, list] of lists.entries()) {
		const following = lists[at + 1] ?? [];
		for (let place = following.length - 1; place >= 0; place -= 1) {
			const [last, other] = [list.at(-1), following[place]!];
			if (!last || keyOf(last, 'resource') !== keyOf(other, 'resource')) break;
			following[place] = join(last, other, 'resource');
			list.pop();
		}
	}
	return lists.flat();
}
