/**
 * Lets at most `most` pieces of work run at once, the others in order of arrival. n8n 1.x has no such
 * library that a community package could reach, see docs/decisions.
 */
export function limiter(most: number): <Done>(work: () => Promise<Done>) => Promise<Done> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
