import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';
import { toHtml } from '../../catalog/labels';
import { formatQuota } from '../../catalog/pricing';
import type { Task } from '../../gateway/tasks/schema';
import { createLastingLink, LINK_DAYS, type Signer } from '../binary/signedLink';

const MOST = 12;
const COLUMNS = 4;
const WIDTH = 160;

interface Result {
	/** Results stand in the order of their items. */
	itemNumber: number;
	seconds?: number;
	/** Of the whole task, at its first file. */
	price?: string;
	data: IBinaryData;
}

/**
 * The first results of a run as pictures, in HTML for the output panel. Pictures are signed links to this
 * n8n, so they last and ask no other host. None where n8n keeps files in memory.
 */
export class Gallery {
	private readonly results: Result[] = [];

	add({ seconds, cost }: Task, itemNumber: number, binary: IBinaryKeyData): void {
		const files = Object.values(binary);
		const usd = cost === undefined ? undefined : formatQuota(cost);
		const price = usd && files.length > 1 ? `${usd} for ${files.length}` : usd;
		files.forEach((data, place) =>
			this.results.push({ itemNumber, seconds, data, ...(!place && { price }) }),
		);
	}

	render(node: Signer): string | undefined {
		const cells = [...this.results]
			.sort((a, b) => a.itemNumber - b.itemNumber)
			.slice(0, MOST)
			.flatMap((result) => {
				const link = createPath(node, result.data);
				return link ? [renderResult(result, link)] : [];
			});
		if (!cells.length) return undefined;
		const rows = Array.from({ length: Math.ceil(cells.length / COLUMNS) }, (_, row) =>
			cells.slice(row * COLUMNS, (row + 1) * COLUMNS).join('<td>&nbsp;</td>'),
		);
		const rest = this.results.length - cells.length;
		const more = rest > 0 ? `<br>and ${rest} more` : '';
		return `<table>${rows.map((row) => `<tr>${row}</tr>`).join('')}</table>${more}`;
	}
}

/** The link without its host, so that it leads to the editor. None where it fails: results matter more than pictures. */
function createPath(node: Signer, data: IBinaryData): string | undefined {
	try {
		const { pathname, search } = new URL(createLastingLink(node, data, LINK_DAYS)!);
		return `${pathname}${search}`;
	} catch {
		return undefined;
	}
}

function renderResult({ seconds, price, data }: Result, link: string): string {
	const name = toHtml(data.fileName ?? 'file');
	const facts = [name, seconds && `${seconds} s`, data.fileSize && toHtml(data.fileSize)];
	const file = data.mimeType.startsWith('image/')
		? `<img src="${toHtml(link)}" width="${WIDTH}"><br><b>${name}</b>`
		: `<a href="${toHtml(link)}" target="_blank">${facts.filter(Boolean).join(', ')}</a>`;
	return `<td>${file}${price ? `<br>${price}` : ''}</td>`;
}
