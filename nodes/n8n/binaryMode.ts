import type { IBinaryKeyData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isObject } from '../catalog/json';

type Context = Pick<IExecuteFunctions, 'getWorkflowSettings'>;

/** The workflow keeps files in the JSON of items: n8n's Binary Mode is Combined. Older hosts have none. */
export const keepsFilesInJson = (context: Context): boolean =>
	context.getWorkflowSettings().binaryMode === 'combined';

/** By binary field. In any other workflow, JSON must not name files: it may come from outside. */
export function filesOf(context: Context, item: INodeExecutionData | undefined): IBinaryKeyData {
	const { binary, json: { _files: inJson } = {} } = item ?? {};
	if (!isObject(inJson) || !keepsFilesInJson(context)) return binary ?? {};
	const files = Object.entries(inJson).filter(([, file]) => isObject(file) && 'mimeType' in file);
	return { ...binary, ...(Object.fromEntries(files) as IBinaryKeyData) };
}
