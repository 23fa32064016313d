import type { IDataObject } from 'n8n-workflow';
import { isObject, toText } from '../../catalog/json';
import { getParameter } from '../../catalog/labels';
import { genericModelSpec, getModelSpec } from '../../catalog/modelSpec';
import type { Media } from '../../catalog/schema';
import { isPrimary } from '../../catalog/visibility';
import type { ItemReader } from '../../n8n/itemReader';
import { modelLocator } from '../../n8n/modelLocator';
import { readModel } from '../../n8n/modelParameter';
import { panelProperties } from '../../n8n/panel/panel';
import { isExpression } from '../../n8n/outsideNames';
import { isEmpty, readPanel } from '../../n8n/panel/readPanel';
import type { Operation } from '../operation';
import { performWithFallback } from './fallback';
import { readPanelOutputOptions } from './outputOptions';
import { submitOptions } from './parameters';
import { planTask } from './planTask';
import type { TaskPlan } from './taskPlan';
import { waitProperties } from './waitOptions';

/** By which n8n chooses the panel. Where it is an expression, n8n shows those of all models. */
function readEnteredId({ context }: ItemReader): string {
	const { model } = context.getNode().parameters as IDataObject;
	return toText(isObject(model) ? model.value : model);
}

/** Generates images or videos with the panel of the chosen model: spec sections 2.2 and 2.3. */
export function createPanelOperation(media: Media): Operation<TaskPlan> {
	return {
		makesTasks: true,
		properties: [
			modelLocator(media),
			...panelProperties(media),
			...waitProperties('poll'),
			submitOptions,
		],
		async plan(item, run) {
			const spec = getModelSpec(readModel(item, media), media);
			// A model of another kind has other fields than this panel.
			item.assertValid();
			const entered = readEnteredId(item);
			const isChosen = !isExpression(entered);
			if (spec.family && isChosen && entered !== entered.trim())
				throw item.failWith(
					'model',
					'Model has a space or a line break beside its ID, so n8n shows the fields of an unknown model. Remove it',
				);
			// The panel of a model that is no longer served is that of any model, for its fallbacks.
			const shown = spec.deprecated ? { ...genericModelSpec(media), id: spec.id } : spec;
			const names = Object.entries(shown.fields)
				.filter(([name]) => name === 'action' || isPrimary(shown, name))
				.map(([name, field]) => getParameter(name, field));
			const additionalFields = item.raw('additionalFields', {}) as IDataObject;
			const read = (name: string) => {
				const value = item.raw(name, '');
				// Another model may have it among them.
				const isElsewhere = !isChosen && isEmpty(value) && name in additionalFields;
				return isElsewhere ? additionalFields[name] : value;
			};
			const top = Object.fromEntries([...names, 'extra_body'].map((name) => [name, read(name)]));
			const parameters = readPanel(shown, { top, additionalFields }, item.isTool, (label) =>
				item.warnMissing(label),
			);
			const outputOptions = await readPanelOutputOptions(item, run);
			return await planTask(item, run, spec, parameters, outputOptions);
		},
		perform: performWithFallback,
	};
}
