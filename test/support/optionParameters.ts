import path from 'node:path';
import type { Parameter } from '../../nodes/n8n/parameters';
import { sourceFiles } from './sourceFacts';

export interface FoundParameter {
	file: string;
	name: string;
	parameter: Parameter<unknown>;
}

const isParameter = (exported: unknown): exported is Parameter<unknown> =>
	typeof exported === 'object' && 'parse' in (exported ?? {});

/** Every parameter that a file of parameters or options exports. */
export const findParameters = (): FoundParameter[] =>
	sourceFiles('nodes')
		.filter((file) => /(options|parameters)\.ts$/i.test(file))
		.flatMap((file) => {
			const exported = jest.requireActual<object>(path.join('..', '..', file));
			return Object.entries(exported).flatMap(([name, parameter]: [string, unknown]) =>
				isParameter(parameter) ? [{ file, name, parameter }] : [],
			);
		});
