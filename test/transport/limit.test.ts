import { limiter } from '../../nodes/transport/limit';

/** Work that ends when it is told to, and says when it has begun. */
function held(log: string[], name: string) {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  const work = async () => {
    log.push(name);
    await done;
    return name;
  };
  return { work, end };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('begins no more than the limit, and the next in order when one ends', async () => {
  const log: string[] = [];
  const limit = limiter(2);
  const works = ['a', 'b', 'c', 'd'].map((name) => held(log, name));
  const ends = works.map(({ work }) => limit(work));
  await turn();
  expect(log).toEqual(['a', 'b']);
  works[1]!.end();
  await turn();
  expect(log).toEqual(['a', 'b', 'c']);
  works.forEach(({ end }) => end());
  expect(await Promise.all(ends)).toEqual(['a', 'b', 'c', 'd']);
});

it('gives the place of work that throws to the next, at once or later', async () => {
  const limit = limiter(1);
  const sudden = limit(() => {
    throw new Error('at once');
  });
  const late = limit(async () => {
    await turn();
    throw new Error('later');
  });
  const fine = limit(async () => 'fine');
  await expect(sudden).rejects.toThrow('at once');
  await expect(late).rejects.toThrow('later');
  await expect(fine).resolves.toBe('fine');
  await expect(limit(async () => 'still')).resolves.toBe('still');
});
