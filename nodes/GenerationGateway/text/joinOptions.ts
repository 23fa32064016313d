import type { INodeProperties } from 'n8n-workflow';
import { textEndpoints, type TextEndpointId } from '../../catalog/textEndpoints';
import { offerWhen, propertyOf, type Option } from '../../n8n/options';

const ENDPOINTS = Object.keys(textEndpoints) as TextEndpointId[];

/** What the endpoints offer, each shown under the operations that offer it. What has one name stands together. */
export function joinOptions(list: (endpoint: TextEndpointId) => Option[]): INodeProperties[] {
	const joined = new Map<string, { property: INodeProperties; offeredBy: string[] }>();
	for (const endpoint of ENDPOINTS)
		for (const option of list(endpoint)) {
			const property = propertyOf(option);
			const key = JSON.stringify(property);
			const { offeredBy = [] } = joined.get(key) ?? {};
			joined.set(key, { property, offeredBy: [...offeredBy, endpoint] });
		}
	const names = [...joined.values()].map(({ property }) => property.name);
	return [...joined.values()]
		.map(({ property, offeredBy }) => {
			if (offeredBy.length === ENDPOINTS.length) return property;
			const { show, ...others } = property.displayOptions ?? {};
			return offerWhen(property, { ...others, show: { ...show, '/operation': offeredBy } });
		})
		.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}
