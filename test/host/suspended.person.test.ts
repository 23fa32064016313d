import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox';
import { linear, type NodeSpec, type WorkflowJson } from '../../scripts/engine';
import { startCollector, type Collector } from '../../scripts/host/collector';
import { createHost } from '../../scripts/host/createHost';
import {
	createMailCredential,
	startMailbox,
	type Mail,
	type Mailbox,
} from '../../scripts/host/mailbox';
import type { N8nHost } from '../../scripts/host/n8nHost';
import { hostsOr } from '../support/hosts';

/** How a person confirms: by a call, by a form, by the button of a mail. */
type Means = 'POST' | 'GET' | 'form' | 'mail';
const MEANS: readonly Means[] = ['POST', 'GET', 'form', 'mail'];
const ORDERS = ['after', 'before'] as const;
const WORKFLOWS = MEANS.flatMap((means) =>
	ORDERS.map((order) => ({ id: `${order}-${means}`, means, order })),
);
interface Flow {
	id: string;
	means: Means;
	order: (typeof ORDERS)[number];
	/** Max Suspension. */
	hours?: number;
}
/** Longer than the own checks of a suspended execution that are the closest together, and the gateway's repeats. */
const WATCHED_MS = 45_000;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

interface Reached {
	id: string;
	place: string;
	url: string;
	formUrl: string;
}

let sandbox: Sandbox;
let collector: Collector<Reached>;
let mailbox: Mailbox;
let host: N8nHost;
let folder: string;
const mails: Mail[] = [];

const gateway = (name: string, parameters: Record<string, unknown>): NodeSpec => ({
	name,
	type: 'n8n-nodes-generation-gateway.generationGateway',
	credentials: 'generationGatewayApi',
	parameters: parameters as never,
});

/** Tells the collector that the execution has come so far, with the links that a person would be sent. */
const createReport = (id: string, place: string): NodeSpec => ({
	name: `Reached ${place}`,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		method: 'POST',
		url: collector.url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify({ id: "${id}", place: "${place}", url: $execution.resumeUrl, formUrl: $execution.resumeFormUrl }) }}`,
		options: {},
	},
});

function approve(id: string, means: Means, name: string): NodeSpec {
	if (means === 'mail')
		return {
			name,
			type: 'n8n-nodes-base.emailSend',
			typeVersion: 2.1,
			webhookId: `${id}-${name}`,
			credentials: 'smtp',
			parameters: {
				operation: 'sendAndWait',
				fromEmail: 'n8n@example.com',
				toEmail: 'boss@example.com',
				subject: `${id} ${name}`,
				message: 'May it be published?',
				options: {},
			},
		};
	const wait = { name, type: 'n8n-nodes-base.wait', typeVersion: 1.1, webhookId: `${id}-${name}` };
	if (means !== 'form')
		return { ...wait, parameters: { resume: 'webhook', httpMethod: means, options: {} } };
	return {
		...wait,
		parameters: JSON.parse(
			'{ "resume": "form", "formTitle": "Approve", "formFields": { "values": [{ "fieldLabel": "May it be published?" }] }, "options": {} }',
		) as never,
	};
}

/** A video that is published when two persons have said yes. */
function workflow({ id, means, order, hours = 1 }: Flow): WorkflowJson & {
	id: string;
	name: string;
} {
	const awaitTask = gateway('Await', {
		resource: 'task',
		operation: 'await',
		taskId: '={{ $("Submit").item.json.task_id }}',
		waitBy: 'suspend',
		suspendHours: hours,
	});
	const first = [createReport(id, 'first'), approve(id, means, 'First')];
	const second = [createReport(id, 'second'), approve(id, means, 'Second')];
	const json = linear(
		{
			name: 'Start',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: id,
			parameters: { httpMethod: 'POST', path: id, options: {} },
		},
		gateway('Submit', {
			resource: 'image',
			operation: 'generate',
			prompt: id,
			wait: 'none',
			options: { callbackExecution: true },
		}),
		...(order === 'after' ? [awaitTask, ...first, ...second] : [...first, awaitTask, ...second]),
		createReport(id, 'publish'),
	);
	return { ...json, id, name: id, settings: { executionOrder: 'v1' } };
}

const placesOf = (id: string) =>
	collector.received.filter((reached) => reached.id === id).map(({ place }) => place);
const allPlaces = () => Object.fromEntries(WORKFLOWS.map(({ id }) => [id, placesOf(id)]));
const everywhere = (places: string[]) =>
	Object.fromEntries(WORKFLOWS.map(({ id }) => [id, places]));

async function until(met: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
	for (
		const end = Date.now() + seconds * 1000;
		Date.now() < end;
		await new Promise((done) => setTimeout(done, 200))
	)
		if (await met()) return;
	throw new Error(
		`Waited ${seconds} s in vain at ${JSON.stringify(allPlaces())}:\n${host.getLog().slice(-2000)}`,
	);
}

/** How many executions wait; a person can confirm only what n8n has saved. */
const waiting = async () =>
	(
		await host.rest<{ count: number }>(
			'GET',
			`/executions?limit=1&filter=${encodeURIComponent('{"status":["waiting"]}')}`,
		)
	).count;

/** What a person does with what was sent to them. */
async function confirm(id: string, means: Means, name: 'First' | 'Second'): Promise<void> {
	const { url, formUrl } = collector.received.find(
		(reached) => reached.id === id && reached.place === name.toLowerCase(),
	)!;
	const headers = { 'user-agent': BROWSER };
	// Some of n8n's pages leave the answer to the next step, which may be a wait.
	const send = async (method: 'GET' | 'POST', link: string, data?: FormData) =>
		await axios
			.request({ method, url: link, data, headers, timeout: 5_000, validateStatus: () => true })
			.catch(() => undefined);
	if (means === 'mail') {
		const mail = mails.find(({ subject }) => subject === `${id} ${name}`)!;
		const link = mail.links.find((candidate) => candidate.url.includes('approved=true'))!.url;
		await send('GET', link);
	} else if (means === 'form') {
		const form = new FormData();
		form.append('field-0', 'yes');
		await send('POST', formUrl, form);
	} else await send(means, url);
}

/** n8n sets a timer 70 s before the end of a wait; this suspension is resumed later than that. */
const late = {
	id: 'late',
	means: 'POST',
	order: 'after',
	hours: 0.03,
} as const;

describe.each(hostsOr('newest'))('a step for a person in n8n $n8n', (version) => {
	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'suspended-person-'));
		sandbox = await startSandbox({
			taskMs: Infinity,
			callbackRetry: { attempts: 8, delayMs: 500, timeoutMs: 5_000 },
		});
		collector = await startCollector();
		mailbox = await startMailbox((mail) => mails.push(mail));
		host = await createHost(version, { userFolder: path.join(folder, 'user'), gateway: sandbox });
		await host.importOtherCredential('smtp', createMailCredential(mailbox));
		await host.importWorkflows([...WORKFLOWS, late].map(workflow));
		await host.start();
		await host.signIn();
		for (const { id } of [...WORKFLOWS, late]) await host.publish(id);
	});

	afterAll(async () => {
		await host?.stop();
		await mailbox?.close();
		await collector?.close();
		await sandbox?.close();
		await rm(folder, { recursive: true, force: true });
	});

	it('is passed by a person only, before and after a suspended await', async () => {
		for (const { id } of WORKFLOWS)
			await until(async () => {
				const { status } = await axios.post(
					`${host.url}/webhook/${id}`,
					{},
					{
						validateStatus: () => true,
					},
				);
				return status === 200;
			});
		await until(async () => sandbox.tasks().length === WORKFLOWS.length);
		await until(async () => (await waiting()) === WORKFLOWS.length);
		for (const { task_id } of sandbox.tasks()) void sandbox.finish(task_id);
		await until(() => WORKFLOWS.every(({ id }) => placesOf(id).includes('first')));
		await new Promise((done) => setTimeout(done, WATCHED_MS));
		expect(allPlaces()).toEqual(everywhere(['first']));

		for (const { id, means } of WORKFLOWS) await confirm(id, means, 'First');
		await until(() => WORKFLOWS.every(({ id }) => placesOf(id).includes('second')));
		await new Promise((done) => setTimeout(done, WATCHED_MS));
		expect(allPlaces()).toEqual(everywhere(['first', 'second']));

		await until(async () => (await waiting()) === WORKFLOWS.length);
		for (const { id, means } of WORKFLOWS) await confirm(id, means, 'Second');
		await until(() => WORKFLOWS.every(({ id }) => placesOf(id).includes('publish')));
		expect(allPlaces()).toEqual(everywhere(['first', 'second', 'publish']));
	});

	it('is not passed by the timer that n8n has set for a suspension which has ended since', async () => {
		await until(
			async () =>
				(await axios.post(`${host.url}/webhook/late`, {}, { validateStatus: () => true }))
					.status === 200,
		);
		await until(() => placesOf('late').includes('first'), 200);
		await new Promise((done) => setTimeout(done, 2 * WATCHED_MS));

		expect(placesOf('late')).toEqual(['first']);
	});
});
