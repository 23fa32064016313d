import type { INodeProperties } from 'n8n-workflow';

/** What a property is apart from the operations that show it. */
function kindOf(property: INodeProperties): string {
	const { displayOptions, ...look } = property;
	return JSON.stringify([
		look,
		{ ...displayOptions, show: { ...displayOptions?.show, operation: [] } },
	]);
}

const operationsOf = ({ displayOptions }: INodeProperties) => displayOptions?.show?.operation ?? [];

/**
 * The panels of a resource's operations as one list: a property that several of them have is there once,
 * and each panel keeps its order. n8n goes through all properties of a node at every keystroke, shown or not.
 */
export function mergeProperties(panels: readonly INodeProperties[][]): INodeProperties[] {
	const list: { kind: string; property: INodeProperties }[] = [];
	for (const panel of panels) {
		let at = 0;
		for (const property of panel) {
			const kind = kindOf(property);
			const found = list.findIndex((known, index) => index >= at && known.kind === kind);
			if (found < 0) list.splice(at, 0, { kind, property });
			else
				list[found] = { kind, property: shownUnder(list[found]!.property, operationsOf(property)) };
			at = found < 0 ? at + 1 : found + 1;
		}
	}
	return list.map(({ property }) => property);
}

function shownUnder(
	property: INodeProperties,
	operations: NonNullable<ReturnType<typeof operationsOf>>,
): INodeProperties {
	const { displayOptions } = property;
	const operation = [...operationsOf(property), ...operations];
	return {
		...property,
		displayOptions: { ...displayOptions, show: { ...displayOptions?.show, operation } },
	};
}
