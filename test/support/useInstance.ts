import { startInstance, type Instance } from '../../scripts/engine';

/** An n8n instance for the tests of a file, or of a `describe`. */
export function useInstance(): Instance {
	const instance = {} as Instance;
	beforeAll(async () => void Object.assign(instance, await startInstance()));
	afterAll(async () => await instance.close());
	return instance;
}
