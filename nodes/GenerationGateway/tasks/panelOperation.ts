import type { IDataObject } from 'n8n-workflow';
import { panelProperties } from '../../n8n/panel/panel';
import { getModelSpec } from '../../catalog/modelSpec';
import { isPrimary } from '../../catalog/visibility';
import { readPanel } from '../../n8n/panel/readPanel';
import { toTitle } from '../../catalog/labels';
import type { Media } from '../../catalog/families';
import { InputError, showUnderOperation, type Operation } from '../operation';
import { modelLocator } from '../../n8n/modelLocator';
import { readModel } from '../../n8n/modelParameter';
import { submitOptions, waitFor } from './properties';
import { planTask, type TaskPlan } from './planTask';
import { performTask } from './performTask';

/** Generates one medium with a panel: under the model stand the fields that it takes. */
export function createPanelOperation(media: Media): Operation<TaskPlan> {
	return {
		properties: [
			...showUnderOperation(media, ['generate'], [modelLocator(media)]),
			...panelProperties(media),
			...showUnderOperation(media, ['generate'], [waitFor('poll'), submitOptions]),
		],
		plan(item, run) {
			const spec = getModelSpec(readModel(item), media);
			if (spec.media !== media)
				throw new InputError([
					{
						field: 'model',
						message: `Model (model): ${spec.id} makes ${spec.media}s. Use ${toTitle(spec.media)} > Generate`,
					},
				]);
			const names = Object.keys(spec.fields).filter(
				(name) => name === 'action' || isPrimary(spec, name),
			);
			const top = Object.fromEntries(
				[...names, 'extra_body'].map((name) => [name, item.get(name, '')]),
			);
			const additionalFields = item.get('additionalFields', {}) as IDataObject;
			return planTask(item, run, spec, readPanel(spec, { top, additionalFields }));
		},
		perform: performTask,
	};
}
