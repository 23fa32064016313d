import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort } from '../../scripts/host/ports';

/** Linux gives these and the ones above to outgoing connections. */
const FIRST_OF_OUTGOING = 32_768;

it('finds a port for an editor: its broker needs the one above', async () => {
	const port = await findFreePort();
	expect(port).toBeLessThan(FIRST_OF_OUTGOING);

	const other = createServer().listen(port + 1, '127.0.0.1');
	await once(other, 'listening');
	expect(await findFreePort(port)).toBeGreaterThanOrEqual(port + 2);
	other.close();
});
