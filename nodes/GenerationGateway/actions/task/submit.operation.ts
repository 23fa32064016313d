import type { INodeProperties } from 'n8n-workflow';
import { isObject } from '../../../catalog/json';
import { getModelSpec, type ModelSpec } from '../../../catalog/modelSpec';
import { toFieldsOf } from '../../../catalog/requestSpec';
import type { RequestBody } from '../../../catalog/rules';
import type { ItemReader } from '../../../n8n/itemReader';
import { modelLocator } from '../../../n8n/modelLocator';
import { readModel } from '../../../n8n/modelParameter';
import type { Operation } from '../../operation';
import { performWithFallback } from '../../tasks/fallback';
import { submitOptions } from '../../tasks/parameters';
import { planTask } from '../../tasks/planTask';
import { readOutputOptions } from '../../tasks/outputOptions';
import type { TaskPlan } from '../../tasks/taskPlan';
import { waitProperties } from '../../tasks/waitOptions';

const EXAMPLE = 'e.g. { "prompt": "a red kite" }';

/** JSON with expressions in it, none of which writes JSON. */
const MIXED = /^=\s*\{[^{](?!.*(stringify|toJsonString)).*\{\{/s;
/** A quote or a line break in the text would end the JSON. */
const TEXT_IN_JSON =
	'For a text of the item write {{ JSON.stringify($json.text) }}, without quotes around it';

const parameters: INodeProperties = {
	displayName: 'Parameters',
	name: 'parameters',
	type: 'json',
	required: true,
	default: '{\n  "prompt": ""\n}',
	description:
		'The request without the model, as a JSON object. Write numbers without quotes: 5, not "5".',
};

/** The body as the user wrote it: no value is converted. */
function readParameters(item: ItemReader, spec: ModelSpec): RequestBody {
	const given = item.raw('parameters', {});
	const fail = (problem: string) => item.failWith('parameters', `Parameters ${problem}`);
	let value = given;
	try {
		if (typeof given === 'string') value = given.trim() ? JSON.parse(given) : {};
	} catch (error) {
		const reason = (error as Error).message.replace(/\s+/g, ' ');
		const isMixed = MIXED.test(String(item.context.getNode().parameters.parameters));
		const advised = isMixed ? `. ${TEXT_IN_JSON}` : '';
		throw fail(`must be a JSON object, ${EXAMPLE}, but this is not JSON: ${reason}${advised}`);
	}
	if (!isObject(value)) throw fail(`must be a JSON object, ${EXAMPLE}`);
	const { model: named, ...body } = value;
	if (named !== undefined && named !== spec.id)
		throw fail(
			`names the model ${JSON.stringify(named)}, but Model is ${spec.id}. Name it in Model only`,
		);
	// An expression that finds nothing leaves a field out, as in JSON.
	const fields = Object.entries(body).filter(([, field]) => field !== undefined);
	return toFieldsOf(spec, spec, Object.fromEntries(fields));
}

/** POST /v1/tasks without a panel, for a model chosen by an expression. */
export const submit: Operation<TaskPlan> = {
	makesTasks: true,
	properties: [modelLocator('task'), parameters, ...waitProperties('none'), submitOptions],
	async plan(item, run) {
		const spec = getModelSpec(readModel(item, 'image', 'video'));
		const body = readParameters(item, spec);
		const outputOptions = await readOutputOptions(item, run);
		return await planTask(item, run, spec, body, outputOptions);
	},
	perform: performWithFallback,
};
