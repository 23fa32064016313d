import type { INodeProperties } from 'n8n-workflow';

type OperationList = NonNullable<
	NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>[string]
>;

const operationsOf = ({ displayOptions }: INodeProperties): OperationList =>
	displayOptions?.show?.operation ?? [];

function withOperations(property: INodeProperties, operation: OperationList): INodeProperties {
	const { displayOptions } = property;
	return {
		...property,
		displayOptions: { ...displayOptions, show: { ...displayOptions?.show, operation } },
	};
}

/** Equal for properties that differ in nothing but the operations that show them. */
const keyOf = (property: INodeProperties): string => JSON.stringify(withOperations(property, []));

/**
 * The panels of a resource's operations as one list: a property that several of them have is there
 * once, and each panel keeps its order. n8n goes through all properties at every keystroke.
 */
export function mergeProperties(panels: readonly INodeProperties[][]): INodeProperties[] {
	const merged: { key: string; property: INodeProperties }[] = [];
	for (const panel of panels) {
		let position = 0;
		for (const property of panel) {
			const key = keyOf(property);
			const index = merged.findIndex((other, at) => at >= position && other.key === key);
			const same = merged[index];
			if (same) {
				const operations = [...operationsOf(same.property), ...operationsOf(property)];
				merged[index] = { key, property: withOperations(same.property, operations) };
			} else merged.splice(position, 0, { key, property });
			position = (same ? index : position) + 1;
		}
	}
	return merged.map(({ property }) => property);
}
