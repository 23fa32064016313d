import axios from 'axios';
import { linear, type NodeSpec } from '../../scripts/engine';
import {
	createMailCredential,
	startMailbox,
	type Mail,
	type Mailbox,
} from '../../scripts/host/mailbox';
import { gatewayNode } from '../support/gateway';
import { hostsOr } from '../support/hosts';
import {
	addLoop,
	calledWorkflow,
	splitOut,
	useHost,
	withId,
	type HostFixture,
	type HostWorkflow,
} from '../support/useHost';
import { delay } from '../support/useSandbox';

/** How a person confirms: by a call, by a form, by the button of a mail. */
const MEANS = ['POST', 'GET', 'form', 'mail'] as const;
type Means = (typeof MEANS)[number];
/** Where two such steps stand: behind or before a suspended await, behind one in a loop, in a sub-workflow. */
const ORDERS = ['after', 'before', 'loop', 'sub'] as const;
interface Flow {
	id: string;
	means: Means;
	order: (typeof ORDERS)[number];
	/** Max Suspension. */
	hours?: number;
}
const FLOWS: Flow[] = MEANS.flatMap((means) =>
	ORDERS.map((order) => ({ id: `${order}-${means}`, means, order })),
);
/** n8n sets a timer 70 s before the end of a wait; this suspension is resumed later than that. */
const LATE: Flow = { id: 'late', means: 'POST', order: 'after', hours: 0.03 };
/** Longer than the own checks of a suspended execution that are the closest together, and the gateway's repeats. */
const WATCHED_MS = 45_000;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

interface Reached {
	id: string;
	place: string;
	url: string;
	formUrl: string;
}
/** The workflow that has called a sub-workflow, in reports. */
const toParent = (id: string) => `${id}-parent`;
type Fixture = HostFixture<Reached>;

/** Tells the collector that the execution has come so far, with the links that a person would be sent. */
const createReport = (fixture: Fixture, id: string, name: string, place = `'${name}'`): NodeSpec =>
	fixture.report(
		`Reached ${name}`,
		`{ id: '${id}', place: ${place}, url: $execution.resumeUrl, formUrl: $execution.resumeFormUrl }`,
	);

function approve(id: string, means: Means, name: string): NodeSpec {
	const webhookId = `${id}-${name}`;
	if (means === 'mail')
		return {
			name,
			type: 'n8n-nodes-base.emailSend',
			typeVersion: 2.1,
			webhookId,
			credentials: 'smtp',
			parameters: {
				operation: 'sendAndWait',
				fromEmail: 'n8n@example.com',
				toEmail: 'boss@example.com',
				subject: id,
				message: 'May it be published?',
				options: {},
			},
		};
	const wait = { name, type: 'n8n-nodes-base.wait', typeVersion: 1.1, webhookId };
	if (means !== 'form')
		return { ...wait, parameters: { resume: 'webhook', httpMethod: means, options: {} } };
	return {
		...wait,
		parameters: JSON.parse(
			'{ "resume": "form", "formTitle": "Approve", "formFields": { "values": [{ "fieldLabel": "May it be published?" }] }, "options": {} }',
		) as never,
	};
}

/** The workflows of a video that is published when two persons have said yes; the one that is called comes last. */
function createWorkflows(fixture: Fixture, { id, means, order, hours = 1 }: Flow): HostWorkflow[] {
	const submit = gatewayNode(
		'image:generate',
		{ prompt: id, wait: 'none', options: { callbackExecution: true } },
		{ name: 'Submit' },
	);
	const awaitTask = gatewayNode(
		'task:await',
		{
			taskId: '={{ $("Submit").item.json.task_id }}',
			waitBy: 'suspend',
			suspendHours: hours,
		},
		{ name: 'Await' },
	);
	const step = (name: string, place?: string) => [
		createReport(fixture, id, name, place),
		approve(id, means, name),
	];
	// A loop hands on all of its items.
	const publish = { ...createReport(fixture, id, 'publish'), executeOnce: true };
	const twoSteps = [...step('first'), ...step('second')];
	if (order === 'after') return [calledWorkflow(id, submit, awaitTask, ...twoSteps, publish)];
	if (order === 'before') return [calledWorkflow(id, submit, ...twoSteps, awaitTask, publish)];
	if (order === 'loop') {
		const steps = step('each', "['first', 'second'][$runIndex]");
		const workflow = calledWorkflow(
			id,
			splitOut('body.rows'),
			submit,
			awaitTask,
			...steps,
			publish,
		);
		const [first, last, done] = ['Submit', 'each', publish.name!];
		return [addLoop(workflow, { before: 'Split', first, last, done })];
	}
	const child = `${id}-child`;
	const trigger = { type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 };
	const callChild: NodeSpec = {
		name: 'Child',
		type: 'n8n-nodes-base.executeWorkflow',
		typeVersion: 1.2,
		parameters: {
			workflowId: { __rl: true, mode: 'id', value: child },
			workflowInputs: { mappingMode: 'defineBelow', value: {} },
			options: {},
		} as never,
	};
	return [
		withId(
			child,
			linear(
				{ name: 'Called', ...trigger, parameters: { inputSource: 'passthrough' } },
				submit,
				awaitTask,
				...twoSteps,
				publish,
			),
		),
		calledWorkflow(id, callChild, createReport(fixture, toParent(id), 'parent')),
	];
}

describe.each(hostsOr('newest'))('a step for a person in n8n $n8n', (version) => {
	const mails: Mail[] = [];
	let mailbox: Mailbox | undefined;
	const settings = {
		taskMs: Infinity,
		callbackRetry: { attempts: 8, delayMs: 500, timeoutMs: 5_000 },
	};
	const fixture: Fixture = useHost<Reached>(version, { settings }, async (created) => {
		mailbox = await startMailbox((mail) => mails.push(mail));
		await created.host.importOtherCredential('smtp', createMailCredential(mailbox));
		await created.deploy(...[...FLOWS, LATE].flatMap((flow) => createWorkflows(created, flow)));
	});
	afterAll(async () => await mailbox?.close());

	const placesOf = (id: string) =>
		fixture.collector.received.filter((reached) => reached.id === id).map(({ place }) => place);
	const allPlaces = () => Object.fromEntries(FLOWS.map(({ id }) => [id, placesOf(id)]));
	const everywhere = (...places: string[]) =>
		Object.fromEntries(FLOWS.map(({ id }) => [id, places]));
	const parentPlaces = () => FLOWS.flatMap(({ id }) => placesOf(toParent(id)));
	/** Ends all tasks, once so many have been made and every execution waits. */
	async function finish(made: number): Promise<void> {
		const parents = FLOWS.filter(({ order }) => order === 'sub').length;
		const waiting = FLOWS.length + parents - parentPlaces().length;
		await fixture.until(
			async () =>
				fixture.sandbox.tasks().length === made && (await fixture.count('waiting')) === waiting,
		);
		for (const { task_id } of fixture.sandbox.tasks()) void fixture.sandbox.finish(task_id);
	}
	/** Waits until each workflow has reached a place, and then for what should not happen. */
	async function watch(place: string): Promise<void> {
		const missing = () => FLOWS.filter(({ id }) => !placesOf(id).includes(place));
		await fixture
			.until(() => !missing().length)
			.catch((error: unknown) => {
				const names = missing().map(({ id }) => id);
				throw new Error(`Not at ${place}: ${names.join(', ')}`, { cause: error });
			});
		await delay(WATCHED_MS);
	}

	/** What a person does with what was sent to them. */
	async function confirm({ id, means }: Flow, place: 'first' | 'second'): Promise<void> {
		const { url, formUrl } = fixture.collector.received.find(
			(reached) => reached.id === id && reached.place === place,
		)!;
		const headers = { 'user-agent': BROWSER };
		// Some of n8n's pages leave the answer to the next step, which may be a wait.
		const send = async (method: 'GET' | 'POST', link: string, data?: FormData) =>
			await axios
				.request({ method, url: link, data, headers, timeout: 5_000, validateStatus: () => true })
				.catch(() => undefined);
		if (means === 'mail') {
			const mail = mails.filter(({ subject }) => subject === id)[place === 'first' ? 0 : 1]!;
			const link = mail.links.find((candidate) => candidate.url.includes('approved=true'))!.url;
			await send('GET', link);
		} else if (means === 'form') {
			const form = new FormData();
			form.append('field-0', 'yes');
			await send('POST', formUrl, form);
		} else await send(means, url);
	}

	it('is passed by a person only, wherever it stands', async () => {
		for (const { id } of FLOWS) await fixture.post(id, { rows: [{}, {}] });
		await finish(FLOWS.length);
		await watch('first');
		expect(allPlaces()).toEqual(everywhere('first'));

		await Promise.all(FLOWS.map(async (flow) => await confirm(flow, 'first')));
		await finish(FLOWS.length + FLOWS.filter(({ order }) => order === 'loop').length);
		await watch('second');
		expect(allPlaces()).toEqual(everywhere('first', 'second'));
		// n8n 1.x lets a parent go on when its sub-workflow is suspended a second time, whatever its nodes.
		if (!version.n8n.startsWith('1.')) expect(parentPlaces()).toEqual([]);

		await Promise.all(FLOWS.map(async (flow) => await confirm(flow, 'second')));
		await watch('publish');
		expect(allPlaces()).toEqual(everywhere('first', 'second', 'publish'));
		await fixture.until(() => parentPlaces().length === MEANS.length);
	});

	it('is not passed by the timer that n8n has set for a suspension which has ended since', async () => {
		await fixture.post(LATE.id);
		await fixture.until(() => placesOf(LATE.id).includes('first'), 200);
		await delay(2 * WATCHED_MS);

		expect(placesOf(LATE.id)).toEqual(['first']);
	});
});
