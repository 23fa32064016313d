import type { INode } from 'n8n-workflow';
import type { N8nHost } from '../../scripts/host/n8nHost';
import { Editor } from '../../test/support/browser';
import { median } from '../result';
import type { OpenedNode } from './contenders';

/** Milliseconds from the double click on a node to its panel, in a browser, the contenders in turn; medians. */
export async function measureOpening(
	contenders: OpenedNode[],
	host: N8nHost,
	rounds: number,
): Promise<number[]> {
	const nodes = contenders.map(
		({ label, opened: { type, typeVersion, parameters } }, at): INode => ({
			id: String(at),
			name: label,
			type,
			typeVersion,
			position: [0, at * 220],
			parameters: parameters as INode['parameters'],
		}),
	);
	const { id } = await host.rest<{ id: string }>('POST', '/workflows', {
		name: 'panels',
		active: false,
		nodes,
		connections: {},
		settings: {},
	});
	const editor = await Editor.open(host.url);
	try {
		await editor.openWorkflow(id);
		const times = contenders.map((): number[] => []);
		for (let round = 0; round <= rounds; round += 1)
			for (const [
				at,
				{
					label,
					opened: { shows },
				},
			] of contenders.entries()) {
				const ms = await editor.openingMs(label, shows);
				if (round > 0) times[at]!.push(ms);
			}
		return times.map(median);
	} finally {
		await editor.close();
	}
}
