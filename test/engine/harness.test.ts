import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IDataObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  INodeExecutionData,
  INodeProperties,
  INodeType,
  IWebhookFunctions,
} from 'n8n-workflow';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

import {
  callTrigger, callWaiting, executeAsTool, file, itemsNode, linear, resumeAfterWait, runWorkflow, searchList, startInstance, TOOL_CALLER,
} from '../../scripts/engine';
import type { EngineOptions, EngineRun, WorkflowJson } from '../../scripts/engine';

type Execute = (context: IExecuteFunctions) => Promise<INodeExecutionData[]>;

/** A node type with one text parameter, the credential of these tests, and the given behaviour. */
function nodeThat(execute: Execute, properties: INodeProperties[] = []): INodeType {
  return {
    description: {
      displayName: 'Probe',
      name: 'probe',
      group: ['transform'],
      version: 1,
      description: 'Does what a test needs',
      defaults: { name: 'Probe' },
      inputs: [NodeConnectionTypes.Main],
      outputs: [NodeConnectionTypes.Main],
      credentials: [{ name: 'probeApi', required: false }],
      usableAsTool: true,
      properties: [{ displayName: 'Text', name: 'text', type: 'string', default: '' }, ...properties],
    },
    async execute(this: IExecuteFunctions) {
      return [await execute(this)];
    },
  };
}

const PROBE = 'test.probe';

async function run(workflow: WorkflowJson, execute: Execute, options: EngineOptions = {}) {
  return await runWorkflow(workflow, { ...options, nodeTypes: { [PROBE]: nodeThat(execute), ...options.nodeTypes } });
}

describe('the engine harness', () => {
  describe('items and parameters', () => {
    it('keeps the pairing of items across nodes', async () => {
      const result = await run(
        linear(itemsNode([{ id: 'a' }, { id: 'b' }]), { type: PROBE }, { type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: {
          assignments: { assignments: [{ id: '1', name: 'origin', type: 'string', value: "={{ $('Items').item.json.id }}" }] },
        } }),
        async (context) => context.getInputData().map((_, item) => ({ json: {}, pairedItem: { item } })).reverse(),
      );

      expect(result.status).toBe('success');
      expect(result.items('probe').map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 0 }]);
      expect(result.json('set')).toEqual([{ origin: 'b' }, { origin: 'a' }]);
    });

    it('resolves expressions for each item', async () => {
      const result = await run(
        linear(itemsNode([{ n: 2 }, { n: 3 }]), { type: PROBE, parameters: { text: '={{ $json.n ** 2 }} of {{ $vars.unit }}' } }),
        async (context) => context.getInputData().map((_, item) => ({
          json: { text: context.getNodeParameter('text', item) as string }, pairedItem: { item },
        })),
        { variables: { unit: 'm' } },
      );

      expect(result.json('probe')).toEqual([{ text: '4 of m' }, { text: '9 of m' }]);
    });

    it('refuses a workflow whose required field is empty, as the server does', async () => {
      const required: INodeProperties = { displayName: 'Model', name: 'model', type: 'string', default: '', required: true };
      const result = await runWorkflow(linear(itemsNode([{}]), { type: PROBE }), {
        nodeTypes: { [PROBE]: nodeThat(async () => [], [required]) },
      });

      expect(result.status).toBe('error');
      expect(result.error?.message).toContain('Parameter "Model" is required');
    });

    it('shows the execution id to the node', async () => {
      const execute: Execute = async (context) => [
        { json: { id: context.getExecutionId(), resumeUrl: context.getWorkflowDataProxy(0).$execution.resumeUrl as string } },
      ];
      const given = await run(linear(itemsNode([{}]), { type: PROBE }), execute, { executionId: '4711' });
      const fresh = await run(linear(itemsNode([{}]), { type: PROBE }), execute);

      expect(given.json('probe')).toEqual([
        { id: '4711', resumeUrl: expect.stringMatching(/^http:\/\/localhost:5678\/webhook-waiting\/4711\?signature=/) },
      ]);
      expect(fresh.json('probe')).toEqual([expect.objectContaining({ id: fresh.executionId })]);
      expect(fresh.executionId).not.toBe(given.executionId);
    });
  });

  describe("n8n's own nodes", () => {
    it('runs Set, If and Code', async () => {
      const workflow = linear(
        itemsNode([{ n: 1 }, { n: 2 }]),
        { type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: {
          includeOtherFields: true,
          assignments: { assignments: [{ id: '1', name: 'double', type: 'number', value: '={{ $json.n * 2 }}' }] },
        } },
        { type: 'n8n-nodes-base.code', typeVersion: 2, parameters: {
          jsCode: "return $input.all().map(({ json }) => ({ json: { ...json, first: $('Items').first().json.n } }));",
        } },
        { type: 'n8n-nodes-base.if', typeVersion: 2.2, parameters: {
          conditions: {
            options: { caseSensitive: true, typeValidation: 'strict', version: 2 },
            combinator: 'and',
            conditions: [{ id: '1', leftValue: '={{ $json.double }}', rightValue: 3, operator: { type: 'number', operation: 'gt' } }],
          },
        } },
      );
      const result = await runWorkflow(workflow);

      expect(result.error).toBeUndefined();
      expect(result.json('if')).toEqual([{ n: 2, double: 4, first: 1 }]);
      expect(result.json('if', 1)).toEqual([{ n: 1, double: 2, first: 1 }]);
      expect(result.executed).toEqual(['Items', 'set', 'code', 'if']);
    });

    it('hands a node to an agent as a tool', async () => {
      const result = await executeAsTool(
        { type: PROBE, parameters: { text: "={{ $fromAI('prompt', 'What to draw', 'string') }}" } },
        { prompt: 'a heron' },
        { nodeTypes: { [PROBE]: nodeThat(async (context) => [{ json: { drew: context.getNodeParameter('text', 0) as string } }]) } },
      );

      expect(result.json(TOOL_CALLER)).toEqual([{ drew: 'a heron' }]);
    });
  });

  describe('errors', () => {
    const failOnB: Execute = async (context) => context.getInputData().map(({ json }, item) => {
      if (json.id !== 'b') return { json, pairedItem: { item } };
      const error = new NodeOperationError(context.getNode(), 'b is not taken', { itemIndex: item, description: 'Choose a' });
      if (context.continueOnFail()) return { json: { error: error.message }, error, pairedItem: { item } };
      throw error;
    });

    it('stops at a node that throws, and says why', async () => {
      const result = await run(linear(itemsNode([{ id: 'b' }]), { type: PROBE }, { type: 'n8n-nodes-base.noOp' }), failOnB);

      expect(result.status).toBe('error');
      expect(result.nodeError('probe')).toMatchObject({
        message: 'b is not taken', description: 'Choose a', context: { itemIndex: 0 },
      });
      expect(result.error?.message).toBe('b is not taken');
      expect(result.items('noOp')).toEqual([]);
    });

    it('goes on with continueRegularOutput', async () => {
      const result = await run(
        linear(itemsNode([{ id: 'a' }, { id: 'b' }]), { type: PROBE, onError: 'continueRegularOutput' }, { type: 'n8n-nodes-base.noOp' }),
        failOnB,
      );

      expect(result.status).toBe('success');
      expect(result.json('noOp')).toEqual([{ id: 'a' }, { error: 'b is not taken' }]);
    });

    it('sends failed items to the error output, with their input, with continueErrorOutput', async () => {
      const result = await run(
        linear(itemsNode([{ id: 'a' }, { id: 'b' }]), { type: PROBE, onError: 'continueErrorOutput' }),
        async (context) => context.getInputData().map(({ json }, item) => ({
          json: json.id === 'b' ? { error: 'b is not taken', details: { task_id: 't1' } } : json, pairedItem: { item },
        })),
      );

      expect(result.json('probe')).toEqual([{ id: 'a' }]);
      expect(result.json('probe', 1)).toEqual([{ id: 'b', error: 'b is not taken', details: { task_id: 't1' } }]);
    });

    it("replaces the json of an item that carries an error object, as n8n's engine does", async () => {
      const result = await run(linear(itemsNode([{}]), { type: PROBE, onError: 'continueRegularOutput' }), async (context) => [
        { json: { task_id: 't1' }, error: new NodeOperationError(context.getNode(), 'no luck'), pairedItem: { item: 0 } },
      ]);

      expect(result.json('probe')).toEqual([{ error: 'no luck' }]);
    });

    it('runs a node again with Retry On Fail', async () => {
      const times: number[] = [];
      const result = await run(
        linear(itemsNode([{}]), { type: PROBE, retryOnFail: true, maxTries: 3, waitBetweenTries: 40 }),
        async () => {
          times.push(Date.now());
          if (times.length < 3) throw new Error('not yet');
          return [{ json: { tries: times.length } }];
        },
      );

      expect(result.json('probe')).toEqual([{ tries: 3 }]);
      expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(75);
    });
  });

  describe('stopping and waiting', () => {
    it('stops when the signal aborts, and tells the node', async () => {
      const user = new AbortController();
      let told = false;
      const result = await run(
        linear(itemsNode([{}]), { type: PROBE }, { type: 'n8n-nodes-base.noOp' }),
        async (context) => await new Promise((resolve) => {
          context.getExecutionCancelSignal()?.addEventListener('abort', () => {
            told = true;
            resolve([{ json: {} }]);
          });
          user.abort();
        }),
        { signal: user.signal },
      );

      expect(told).toBe(true);
      expect(result.status).toBe('canceled');
      expect(result.executed).not.toContain('noOp');
    });

    it('parks a run that a node puts to wait', async () => {
      const until = new Date(Date.now() + 60_000);
      const result = await run(linear(itemsNode([{}]), { type: PROBE }, { type: 'n8n-nodes-base.noOp' }), async (context) => {
        await context.putExecutionToWait(until);
        return context.getInputData();
      });

      expect(result.status).toBe('waiting');
      expect(result.waitTill).toEqual(until);
      expect(result.items('noOp')).toEqual([]);
    });

    it('collects the hints and the chunks of a node', async () => {
      const chunks: unknown[] = [];
      const result = await run(
        linear(itemsNode([{}]), { type: PROBE }),
        async (context) => {
          context.addExecutionHints({ message: 'Two rows were skipped', location: 'outputPane' });
          if (context.isStreaming()) context.sendChunk('item', 0, 'he');
          return [{ json: {} }];
        },
        { mode: 'webhook', onChunk: ({ type, content }) => chunks.push({ type, content }) },
      );

      expect(result.hints('probe')).toEqual([{ message: 'Two rows were skipped', location: 'outputPane' }]);
      expect(chunks).toEqual([{ type: 'item', content: 'he' }]);
    });
  });

  describe('webhooks, waits and lists', () => {
    /** Parks at first; each callback names one finished task, and the wait ends when both have come. */
    function awaiting(): INodeType {
      const type = nodeThat(async () => []);
      type.description.webhooks = [
        { name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: '', restartWebhook: true, isFullPath: true },
      ];
      const arrived: unknown[] = [];
      return {
        ...type,
        async execute(this: IExecuteFunctions) {
          await this.putExecutionToWait(new Date(Date.now() + 60_000));
          const resumeUrl = this.getWorkflowDataProxy(0).$execution.resumeUrl as string;
          this.getExecuteData().data.main![0] = [{ json: { gaveUp: true } }];
          return [[{ json: { resumeUrl } }]];
        },
        async webhook(this: IWebhookFunctions) {
          arrived.push(this.getBodyData().task_id);
          const webhookResponse = { ok: arrived.length };
          if (arrived.length < 2) return { webhookResponse };
          return { webhookResponse, workflowData: [[{ json: { arrived, text: this.getNodeParameter('text') as string } }]] };
        },
      };
    }
    const workflow = () => linear(
      itemsNode([{ id: 7 }]), { type: PROBE, parameters: { text: '=of {{ $json.id ?? "none" }}' } }, { type: 'n8n-nodes-base.noOp' },
    );

    it('lets several callbacks end one wait', async () => {
      const parked = await runWorkflow(workflow(), { nodeTypes: { [PROBE]: awaiting() } });
      const first = await callWaiting(parked, { body: { task_id: 'a' } });
      const second = await callWaiting(parked, { body: { task_id: 'b' } });

      expect(first).toEqual({ reply: { status: 200, body: { ok: 1 } } });
      expect(second.reply.body).toEqual({ ok: 2 });
      expect(second.run?.status).toBe('success');
      expect(second.run?.executionId).toBe(parked.executionId);
      expect(second.run?.json('noOp')).toEqual([{ arrived: ['a', 'b'], text: 'of none' }]);
    });

    it('passes on what the node left behind when the time runs out', async () => {
      const parked = await runWorkflow(workflow(), { nodeTypes: { [PROBE]: awaiting() } });
      const resumed = await resumeAfterWait(parked);

      expect(resumed.status).toBe('success');
      expect(resumed.json('noOp')).toEqual([{ gaveUp: true }]);
    });

    it('serves resume links and signed files over HTTP', async () => {
      const instance = await startInstance();
      try {
        const parked = await instance.run(workflow(), { nodeTypes: { [PROBE]: awaiting() } });
        const [{ resumeUrl } = { resumeUrl: '' }] = parked.json<{ resumeUrl: string }>('probe');
        const post = async (url: string, task_id: string) => (await fetch(url, {
          method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ task_id }),
        })).status;
        const statuses = [
          await post(resumeUrl.replace(/=.*/, '=forged'), 'x'), await post(resumeUrl, 'a'), await post(resumeUrl, 'b'), await post(resumeUrl, 'c'),
        ];

        expect(statuses).toEqual([401, 200, 200, 409]);
        expect((await instance.ended(parked.executionId)).json('noOp')).toEqual([expect.objectContaining({ arrived: ['a', 'b'] })]);

        const signed = await instance.run(
          linear(itemsNode([{ json: {}, binary: { data: file('hello', 'a.txt', 'text/plain') } }]), { type: PROBE }),
          { nodeTypes: { [PROBE]: nodeThat(async (context) => [
            { json: { link: context.helpers.createBinarySignedUrl(context.helpers.assertBinaryData(0, 'data')) } },
          ]) } },
        );
        const answer = await fetch(signed.json<{ link: string }>('probe')[0]?.link ?? '');
        expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/plain', 'hello']);
      } finally {
        await instance.close();
      }
    });

    it('starts a workflow from the webhook of its trigger', async () => {
      const type = nodeThat(async () => []);
      const trigger: INodeType = {
        description: {
          ...type.description, group: ['trigger'], inputs: [],
          webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'done' }],
        },
        async webhook(this: IWebhookFunctions) {
          if (this.getQueryData() && (this.getQueryData() as IDataObject).secret !== 's') {
            this.getResponseObject().status(403).json({ message: 'No' });
            return { noWebhookResponse: true };
          }
          return { workflowData: [[{ json: this.getBodyData() }]] };
        },
      };
      const started = linear({ type: 'test.trigger', webhookId: 'hook' }, { type: 'n8n-nodes-base.noOp' });
      const options = { nodeTypes: { 'test.trigger': trigger } };

      const refused = await callTrigger(started, { query: { secret: 'x' } }, options);
      expect(refused).toEqual({ reply: { status: 403, body: { message: 'No' }, headers: {} } });
      const taken = await callTrigger(started, { query: { secret: 's' }, body: { task_id: 't' } }, options);
      expect(taken.reply.status).toBe(200);
      expect(taken.run?.json('noOp')).toEqual([{ task_id: 't' }]);

      const instance = await startInstance();
      try {
        const runs: EngineRun[] = [];
        const [url] = instance.activate(started, options, (run) => runs.push(run));
        expect(url).toBe(`${instance.baseUrl}/webhook/hook/done`);
        await fetch(`${url}?secret=s`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"task_id":"u"}' });
        expect(runs.map((run) => run.json('noOp'))).toEqual([[{ task_id: 'u' }]]);
      } finally {
        await instance.close();
      }
    });

    it('fills a list of the editor', async () => {
      const type: INodeType = {
        ...nodeThat(async () => []),
        methods: { listSearch: { async models(this: ILoadOptionsFunctions, filter?: string) {
          const known = [{ name: 'Clip', value: 'clip' }, { name: 'Still', value: this.getCurrentNodeParameter('text') as string }];
          return { results: known.filter(({ name }) => name.includes(filter ?? '')) };
        } } },
      };
      const found = await searchList({ type: PROBE, parameters: { text: 'still-2' } }, 'models', { filter: 'Still' }, { nodeTypes: { [PROBE]: type } });

      expect(found.results).toEqual([{ name: 'Still', value: 'still-2' }]);
    });
  });

  describe('requests and files', () => {
    const credentialType: ICredentialType = {
      name: 'probeApi',
      displayName: 'Probe API',
      properties: [
        { displayName: 'Key', name: 'apiKey', type: 'string', default: '' },
        { displayName: 'Base URL', name: 'baseUrl', type: 'string', default: 'https://default.example' },
      ],
      authenticate: async (credentials: ICredentialDataDecryptedObject, request: IHttpRequestOptions) => ({
        ...request, headers: { ...request.headers, Authorization: `Bearer ${String(credentials.apiKey)}` },
      }),
    };
    const withKey: EngineOptions = {
      credentialTypes: { probeApi: credentialType },
      credentials: { probeApi: { apiKey: 'sk-1' } },
    };
    const probe = { type: PROBE, credentials: 'probeApi' };

    it('signs requests with a credential that authenticates by a function', async () => {
      const result = await serving(
        (request, response) => response.setHeader('content-type', 'application/json')
          .end(JSON.stringify({ authorization: request.headers.authorization })),
        async (url) => await run(linear(itemsNode([{}]), probe), async (context) => {
          const { baseUrl } = await context.getCredentials('probeApi');
          const answer = await context.helpers.httpRequestWithAuthentication.call(context, 'probeApi', { url, json: true }) as IDataObject;
          return [{ json: { ...answer, baseUrl: baseUrl as string } }];
        }, withKey),
      );

      expect(result.json('probe')).toEqual([{ authorization: 'Bearer sk-1', baseUrl: 'https://default.example' }]);
    });

    it("signs requests of n8n's HTTP Request node with a declarative credential", async () => {
      const result = await serving(
        (request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ key: request.headers['x-api-key'] })),
        async (url) => await runWorkflow(
          linear(itemsNode([{}]), {
            type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, credentials: 'httpHeaderAuth',
            parameters: { url, authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' },
          }),
          { credentials: { httpHeaderAuth: { name: 'X-Api-Key', value: 'sk-2' } } },
        ),
      );

      expect(result.error).toBeUndefined();
      expect(result.json('httpRequest')).toEqual([{ key: 'sk-2' }]);
    });

    it('wraps a refused request as n8n does', async () => {
      const seen: unknown[] = [];
      const result = await serving(
        (_request, response) => response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' }).end('{"error":"slow down"}'),
        async (url) => await run(linear(itemsNode([{}]), probe), async (context) => {
          try {
            await context.helpers.httpRequestWithAuthentication.call(context, 'probeApi', { url });
          } catch (error) {
            seen.push(error);
            throw error;
          }
          return [];
        }, withKey),
      );

      expect(seen[0]).toBeInstanceOf(NodeApiError);
      expect(result.nodeError('probe')).toMatchObject({ httpCode: '429' });
    });

    it('streams an answer into a stored file and reads it back', async () => {
      const content = Buffer.alloc(300_000, 'frame');
      const result = await serving(
        (_request, response) => response.setHeader('content-type', 'video/mp4').end(content),
        async (url) => await run(linear(itemsNode([{}]), probe), async (context) => {
          const { body, headers } = await context.helpers.httpRequest({
            url, encoding: 'stream', returnFullResponse: true,
          }) as IN8nHttpFullResponse;
          const data = await context.helpers.prepareBinaryData(body as Readable, 'clip.mp4', headers['content-type'] as string);
          const stream = await context.helpers.getBinaryStream(data.id!);
          return [{
            json: { read: await length(stream), link: context.helpers.createBinarySignedUrl(data, '1h') }, binary: { data },
          }];
        }),
      );
      const [item] = result.items('probe');

      expect(result.error).toBeUndefined();
      expect(item?.binary?.data).toMatchObject({
        id: expect.stringMatching(/^filesystem-v2:/), data: 'filesystem-v2', mimeType: 'video/mp4', fileName: 'clip.mp4', bytes: 300_000,
      });
      expect(item?.json).toEqual({ read: 300_000, link: expect.stringMatching(/^http:\/\/localhost:5678\/rest\/binary-data\/signed\?token=ey/) });
      expect((await result.binary(item)).equals(content)).toBe(true);
    });

    it.each(['filesystem', 'default'] as const)('gives the first node files in %s mode', async (binaryMode) => {
      const result = await run(
        linear(itemsNode([{ json: { n: 1 }, binary: { data: file('hello', 'note.txt', 'text/plain') } }]), { type: PROBE }),
        async (context) => [{
          json: { text: (await context.helpers.getBinaryDataBuffer(0, 'data')).toString() },
          binary: context.getInputData()[0]?.binary,
        }],
        { binaryMode },
      );
      const [item] = result.items('probe');

      expect(item?.json).toEqual({ text: 'hello' });
      expect(item?.binary?.data?.id === undefined).toBe(binaryMode === 'default');
      expect((await result.binary(item)).toString()).toBe('hello');
    });
  });
});

async function length(stream: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += (chunk as Buffer).length;
  return bytes;
}

async function serving<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
