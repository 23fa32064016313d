import { download } from '../../nodes/transport/download';
import { useSandbox } from '../sandbox/visitor';
import { issueOf, visit } from './visit';

const visitor = useSandbox();
const big = (bytes: number) => `${visitor.sandbox.url}/files/big?bytes=${bytes}`;

describe('the download of a file', () => {
  it('streams it, and names it after the task where the link has no name', async () => {
    const stored = await visit(visitor.sandbox, (_door, host) => download(host, big(300_000), 'task_1_0'));

    expect(stored).toMatchObject({ fileName: 'task_1_0.bin', mimeType: 'application/octet-stream', bytes: 300_000 });
  });

  it('tries again when the host falls silent, as often as with any other trouble', async () => {
    visitor.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'hang' });
    const stored = await visit(visitor.sandbox, (_door, host) => download(host, big(1000), 'task_1_0', undefined, 150));

    expect(stored.bytes).toBe(1000);
    expect(visitor.sandbox.downloads).toHaveLength(2);
  });

  it('gives a slow file its time, as long as it keeps coming', async () => {
    visitor.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'slow-body', bodyMs: 900 });
    const stored = await visit(visitor.sandbox, (_door, host) => download(host, big(1_000_000), 'task_1_0', undefined, 400));

    expect(stored.bytes).toBe(1_000_000);
    expect(visitor.sandbox.downloads).toHaveLength(1);
  });

  it('ends at once when the user stops the run', async () => {
    const user = new AbortController();
    visitor.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'hang' });
    const began = Date.now();
    setTimeout(() => user.abort(), 100);
    await issueOf(visit(visitor.sandbox, (door, host) => download(host, big(1000), 'task_1_0', door.signal), { signal: user.signal }));

    expect(Date.now() - began).toBeLessThan(1000);
    expect(visitor.sandbox.downloads).toHaveLength(1);
  });

  it.each([[404, false], [410, false], [403, false], [500, true], [429, true]])('says of a file that answers %i whether it may come back: %s', async (status, retry) => {
    visitor.sandbox.faults.add({ match: { path: /^\/files\// }, times: 9, kind: { status } });
    const issue = await issueOf(visit(visitor.sandbox, (_door, host) => download(host, big(1000), 'task_1_0')));

    expect(issue.standing).toMatchObject({ retry, http_status: status });
    expect(visitor.sandbox.downloads).toHaveLength(retry ? 3 : 1);
  });
});
