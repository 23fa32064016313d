import type { Resource } from '../../menu';
import { create } from './create.operation';
import { deleteOne } from './delete.operation';
import { get } from './get.operation';
import { getAll } from './getAll.operation';

export const asset: Resource = {
	create: {
		name: 'Create an Asset',
		description: 'Put an image, video or audio file into the library, to reference it in videos',
		operation: create,
	},
	delete: {
		name: 'Delete an Asset',
		description: 'Remove an asset from the library',
		operation: deleteOne,
	},
	get: {
		name: 'Get an Asset',
		description: 'Get an asset and the state of its review',
		operation: get,
	},
	getAll: {
		name: 'Get Many Assets',
		description: 'List the assets of the account, newest first',
		operation: getAll,
	},
};
