import { randomUUID } from 'node:crypto';
import { HttpError } from './httpError';
import type { AssetLookup, ReferencedAsset } from './rules/references';
import type { Body, Settings } from './settings';

const DAY_MS = 86_400_000;
const toSeconds = (ms: number): number => Math.floor(ms / 1000);

export type AssetStatus = 'processing' | 'active' | 'failed';

/** One stored link. Its state follows from the clock, as a task's does. */
export interface Asset extends ReferencedAsset {
	account: string;
	link: string;
	duration?: number;
	createdAt: number;
	reviewedAt: number;
	rejection?: string;
	isDeleted: boolean;
	/** The status at the last refresh (every `assetRefreshMs`). */
	lastRead: { status: AssetStatus; at: number };
}

/** An asset as tests read it. */
export interface AssetRecord {
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

/** The assets of one sandbox. */
export class AssetStore implements AssetLookup {
	private readonly byId = new Map<string, Asset>();

	constructor(private readonly settings: Settings) {}

	add(account: string, asset: Pick<Asset, 'model' | 'type' | 'name' | 'link' | 'duration'>): Asset {
		const { assetLimit, assetReviewMs, assetUploadsPerMinute, now } = this.settings;
		const owned = this.list(account);
		if (owned.filter((asset) => asset.createdAt > now() - 60_000).length >= assetUploadsPerMinute) {
			throw new HttpError(429, 'Too many uploads; try again in a minute.');
		}
		if (owned.filter((asset) => this.status(asset) !== 'failed').length >= assetLimit) {
			throw new HttpError(
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
			isDeleted: false,
			lastRead: { status: 'processing', at: now() },
		};
		this.byId.set(added.id, added);
		return added;
	}

	/** The account's assets that are not deleted, newest first. */
	list(account: string): Asset[] {
		return [...this.byId.values()]
			.filter((asset) => asset.account === account && !asset.isDeleted)
			.reverse();
	}

	findOwned(id: string, account: string): Asset {
		const asset = this.byId.get(id);
		if (asset === undefined || asset.account !== account || asset.isDeleted) {
			throw new HttpError(404, `The asset ${id} was not found.`);
		}
		return asset;
	}

	findActive(id: string, account: string): Asset | undefined {
		const asset = this.byId.get(id);
		const isUsable =
			asset !== undefined &&
			asset.account === account &&
			!asset.isDeleted &&
			this.status(asset) === 'active';
		return isUsable ? asset : undefined;
	}

	isMisrouted(asset: ReferencedAsset, body: Body): boolean {
		return this.settings.routeMismatch(asset, body);
	}

	/** The asset object of section 2.4, with the status of the last refresh. */
	toObject(asset: Asset): Body {
		const now = this.settings.now();
		if (now - asset.lastRead.at >= this.settings.assetRefreshMs)
			asset.lastRead = { status: this.status(asset), at: now };
		const { status } = asset.lastRead;
		return {
			id: asset.id,
			object: 'asset',
			model: asset.model,
			type: asset.type,
			name: asset.name,
			status,
			...(asset.duration === undefined ? {} : { duration_seconds: asset.duration }),
			created_at: toSeconds(asset.createdAt),
			updated_at: toSeconds(status === 'processing' ? asset.createdAt : this.decidedAt(asset)),
			...(status === 'active' ? { asset_url: `asset://${asset.id}` } : {}),
			...(status === 'failed' ? { error: { message: asset.rejection ?? '审核超时' } } : {}),
		};
	}

	all(): AssetRecord[] {
		return [...this.byId.values()].map((asset) => ({
			id: asset.id,
			account: asset.account,
			model: asset.model,
			type: asset.type,
			name: asset.name,
			link: asset.link,
			status: asset.isDeleted ? 'deleted' : this.status(asset),
			created: asset.createdAt,
		}));
	}

	clear(): void {
		this.byId.clear();
	}

	/** Under review for 24 hours means failed (section 3). */
	private status(asset: Asset): AssetStatus {
		const now = this.settings.now();
		if (now < this.decidedAt(asset)) return 'processing';
		return asset.rejection !== undefined || asset.reviewedAt > asset.createdAt + DAY_MS
			? 'failed'
			: 'active';
	}

	private decidedAt(asset: Asset): number {
		return Math.min(asset.reviewedAt, asset.createdAt + DAY_MS);
	}
}
