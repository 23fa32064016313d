import { randomUUID } from 'node:crypto';
import { Refusal } from './httpError';
import type { AssetLookup, Referable } from './rules/references';
import type { Body, Settings } from './settings';

const day = 86_400_000;
const seconds = (ms: number): number => Math.floor(ms / 1000);

export type AssetStatus = 'processing' | 'active' | 'failed';

/** One stored link. Its state follows from the clock, as a task's does. */
export interface Asset extends Referable {
	account: string;
	link: string;
	duration?: number;
	createdAt: number;
	reviewedAt: number;
	rejection?: string;
	deleted: boolean;
	/** What the status was when it was last looked at (refreshed every `assetRefreshMs`). */
	seen: { status: AssetStatus; at: number };
}

/** What a test may want to see of an asset. */
export interface AssetEntry {
	id: string;
	account: string;
	model: string;
	type: string;
	name: string;
	link: string;
	status: AssetStatus | 'deleted';
	created: number;
}

/** Reasons of section 7, by the word after "reject-" in name or link; messages are in Chinese. */
const rejections: Record<string, string> = {
	pixels: '素材总像素数超出 407696 至 8295044 的范围',
	ratio: '模型不支持该素材的宽高比',
	duration: '模型不支持该素材的时长',
	format: '不支持的素材格式',
	timeout: '上游处理超时',
	register: '素材注册失败',
};

function rejectionOf(text: string): string | undefined {
	const found = /reject(?:-([a-z]+))?/i.exec(text);
	return found === null ? undefined : (rejections[found[1] ?? ''] ?? '素材未通过模型供应商审核');
}

export class AssetStore implements AssetLookup {
	private readonly byId = new Map<string, Asset>();

	constructor(private readonly settings: Settings) {}

	add(account: string, asset: Pick<Asset, 'model' | 'type' | 'name' | 'link' | 'duration'>): Asset {
		const { assetLimit, assetReviewMs, assetUploadsPerMinute, now } = this.settings;
		const own = this.of(account);
		if (own.filter((entry) => entry.createdAt > now() - 60_000).length >= assetUploadsPerMinute) {
			throw new Refusal(429, 'Too many uploads; try again in a minute.');
		}
		if (own.filter((entry) => this.status(entry) !== 'failed').length >= assetLimit) {
			throw new Refusal(
				400,
				`An account has at most ${assetLimit} assets in processing plus active.`,
			);
		}
		const added: Asset = {
			...asset,
			id: `ast_${randomUUID().replaceAll('-', '')}`,
			account,
			createdAt: now(),
			reviewedAt: now() + assetReviewMs,
			rejection: rejectionOf(`${asset.name} ${asset.link}`),
			deleted: false,
			seen: { status: 'processing', at: now() },
		};
		this.byId.set(added.id, added);
		return added;
	}

	/** The account's assets that are not deleted, newest first. */
	of(account: string): Asset[] {
		return [...this.byId.values()]
			.filter((asset) => asset.account === account && !asset.deleted)
			.reverse();
	}

	own(id: string, account: string): Asset {
		const asset = this.byId.get(id);
		if (asset === undefined || asset.account !== account || asset.deleted) {
			throw new Refusal(404, `The asset ${id} was not found.`);
		}
		return asset;
	}

	active(id: string, account: string): Asset | undefined {
		const asset = this.byId.get(id);
		const usable =
			asset !== undefined &&
			asset.account === account &&
			!asset.deleted &&
			this.status(asset) === 'active';
		return usable ? asset : undefined;
	}

	misrouted(asset: Referable, body: Body): boolean {
		return this.settings.routeMismatch(asset, body);
	}

	/** The asset object of section 2.4, with the status of the last refresh. */
	view(asset: Asset): Body {
		const now = this.settings.now();
		if (now - asset.seen.at >= this.settings.assetRefreshMs)
			asset.seen = { status: this.status(asset), at: now };
		const { status } = asset.seen;
		return {
			id: asset.id,
			object: 'asset',
			model: asset.model,
			type: asset.type,
			name: asset.name,
			status,
			...(asset.duration === undefined ? {} : { duration_seconds: asset.duration }),
			created_at: seconds(asset.createdAt),
			updated_at: seconds(status === 'processing' ? asset.createdAt : this.decidedAt(asset)),
			...(status === 'active' ? { asset_url: `asset://${asset.id}` } : {}),
			...(status === 'failed' ? { error: { message: asset.rejection ?? '审核超时' } } : {}),
		};
	}

	all(): AssetEntry[] {
		return [...this.byId.values()].map((asset) => ({
			id: asset.id,
			account: asset.account,
			model: asset.model,
			type: asset.type,
			name: asset.name,
			link: asset.link,
			status: asset.deleted ? 'deleted' : this.status(asset),
			created: asset.createdAt,
		}));
	}

	forget(): void {
		this.byId.clear();
	}

	/** Under review for 24 hours means failed (section 3). */
	private status(asset: Asset): AssetStatus {
		const now = this.settings.now();
		if (now < this.decidedAt(asset)) return 'processing';
		return asset.rejection !== undefined || asset.reviewedAt > asset.createdAt + day
			? 'failed'
			: 'active';
	}

	private decidedAt(asset: Asset): number {
		return Math.min(asset.reviewedAt, asset.createdAt + day);
	}
}
