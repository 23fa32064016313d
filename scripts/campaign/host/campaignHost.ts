import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import axios from 'axios';
import { createHost } from '../../host/createHost';
import type { N8nHost } from '../../host/n8nHost';
import { findFreePort } from '../../host/ports';
import type { HostVersion } from '../../host/versions';
import type { Account, LeakDetector } from '../account';
import type { Levels } from './levels';
import { createWorkflows, type Addresses } from './workflows';

/** The address under which the gateway of the campaign reaches n8n; both are on this machine. */
const getPublicAddress = (port: number): string => `http://127.0.0.1:${port}`;

const SECRET = 'kite-5b1d90c7e2';
const WEBHOOK_ID = 'campaign-arrivals';

/** Scans the log chunk by chunk, also across the boundary of two chunks. */
function createLogScanner(watch: LeakDetector): (text: string) => void {
	let before = '';
	return (text) => {
		watch.scan('log of n8n', before + text);
		before = text.slice(-100);
	};
}

interface Listed {
	results: { id: string; status: string }[];
}

/** A real n8n with this package and the campaign's workflows, which can be killed and started again. */
export class CampaignHost {
	/** When it was killed, Unix milliseconds. */
	readonly kills: number[] = [];

	private constructor(
		private readonly host: N8nHost,
		private readonly userFolder: string,
		private readonly publicUrl: string,
		readonly addresses: Addresses,
	) {}

	static async start(
		version: HostVersion,
		folder: string,
		{ url, collector }: { url: string; collector: string },
		account: Account,
		watch: LeakDetector,
		levels?: Levels,
	): Promise<CampaignHost> {
		const [userFolder, port] = [path.join(folder, 'user'), await findFreePort()];
		const publicUrl = getPublicAddress(port);
		const scan = createLogScanner(watch);
		const host = await createHost(version, {
			userFolder,
			gateway: { url, key: account.key },
			port,
			env: { WEBHOOK_URL: publicUrl, N8N_LOG_LEVEL: 'debug', ...levels?.env },
			onPrint: (text) => {
				scan(text);
				levels?.read(text);
			},
		});
		const addresses = {
			collector,
			secret: SECRET,
			webhookId: WEBHOOK_ID,
			trigger: `${publicUrl}/webhook/${WEBHOOK_ID}/${SECRET}`,
		};
		const workflows = createWorkflows(addresses);
		await host.importWorkflows(workflows);
		await host.start();
		await host.signIn();
		for (const { id } of workflows) await host.publish(id);
		return new CampaignHost(host, userFolder, publicUrl, addresses);
	}

	/** Sends rows to a workflow; false when n8n did not accept them. */
	async send(workflow: 'suspend' | 'send' | 'fetch', rows: object[]): Promise<boolean> {
		const options = { validateStatus: () => true, timeout: 30_000, proxy: false as const };
		const sent = await axios
			.post(`${this.publicUrl}/webhook/campaign-${workflow}`, { rows }, options)
			.catch(() => undefined);
		return sent?.status === 200;
	}

	/** Kills n8n as a crash would, and starts it again. */
	async killAndStart(): Promise<void> {
		this.kills.push(Date.now());
		await this.host.stop('SIGKILL');
		await this.host.start();
	}

	/** How many executions have not ended. */
	async unfinished(): Promise<number> {
		const { results } = await this.host.rest<Listed>(
			'GET',
			'/executions?limit=100&filter=' +
				encodeURIComponent('{"status":["new","running","waiting"]}'),
		);
		return results.filter(({ status }) => ['new', 'running', 'waiting'].includes(status)).length;
	}

	/** How large what the workflows keep in their static data is. */
	async staticBytes(): Promise<number> {
		const ids = createWorkflows(this.addresses).map(({ id }) => id);
		const workflows = await Promise.all(
			ids.map(
				async (id) => await this.host.rest<{ staticData?: unknown }>('GET', `/workflows/${id}`),
			),
		);
		return workflows.reduce(
			(sum, { staticData }) => sum + JSON.stringify(staticData ?? null).length,
			0,
		);
	}

	/** Stops n8n, and searches for keys in its database and logs. Its own credentials are encrypted. */
	async stop(watch: LeakDetector): Promise<void> {
		await this.host.stop();
		const folder = path.join(this.userFolder, '.n8n');
		for (const name of await readdir(folder))
			if (/\.(sqlite|sqlite-wal|log)$/.test(name))
				watch.scan(`${name} of n8n`, await readFile(path.join(folder, name)));
	}
}
