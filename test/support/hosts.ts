import { getVersion, type HostVersion } from '../../scripts/host/versions';

/** The n8n versions to test in: those that HOSTS names, e.g. `2.20.12,oldest`, else the usual ones. */
export const hostsOr = (...usual: string[]): HostVersion[] =>
	(process.env.HOSTS?.split(',') ?? usual).map((name) => getVersion(name.trim()));
