import { getModelSpec } from '../../../catalog/modelSpec';
import type { RequestBody } from '../../../catalog/rules';
import { modelLocator } from '../../../n8n/modelLocator';
import { readModel } from '../../../n8n/modelParameter';
import { submitOptions, waitFor } from '../../tasks/properties';
import { performTask } from '../../tasks/performTask';
import { planTask, type TaskPlan } from '../../tasks/planTask';
import { InputError, showUnderOperation, type Item, type Operation } from '../../operation';

/** The body as the user wrote it, taken literally: nothing is converted. */
function parametersOf(item: Item, model: string): RequestBody {
	const given = item.get('parameters', {});
	const issue = (message: string) =>
		new InputError([{ field: 'parameters', message: `Parameters (parameters): ${message}` }]);
	let parameters = given;
	try {
		if (typeof given === 'string') parameters = given.trim() ? JSON.parse(given) : {};
	} catch (error) {
		throw issue(
			`this is not JSON (${(error as Error).message}), and a JSON object is needed, e.g. { "prompt": "a red kite" }`,
		);
	}
	if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
		throw issue('a JSON object is needed, e.g. { "prompt": "a red kite" }');
	const { model: named, ...body } = parameters as RequestBody;
	if (named !== undefined && named !== model)
		throw issue(
			`"model" is ${JSON.stringify(named)} here and ${model} in Model. Name the model in Model only`,
		);
	return body;
}

/** POST /v1/tasks without a panel, for models and bodies that an expression chooses. */
export const submit: Operation<TaskPlan> = {
	properties: showUnderOperation(
		'task',
		['submit'],
		[
			modelLocator('task'),
			{
				displayName: 'Parameters',
				name: 'parameters',
				type: 'json',
				required: true,
				default: '{\n  "prompt": ""\n}',
				description:
					'The request without the model, as a JSON object. Values are taken literally: "5" is not 5.',
			},
			waitFor('none'),
			submitOptions,
		],
	),
	plan(item, run) {
		const model = readModel(item);
		return planTask(item, run, getModelSpec(model), parametersOf(item, model));
	},
	perform: performTask,
};
