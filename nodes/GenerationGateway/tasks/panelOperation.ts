import type { IDataObject } from 'n8n-workflow';
import { panelOf } from '../../n8n/panel/panel';
import { sheetOf } from '../../catalog/modelSpec';
import { isTopLevel } from '../../catalog/visibility';
import { bodyFromPanel } from '../../n8n/panel/readPanel';
import { titleOf } from '../../catalog/labels';
import type { Media } from '../../catalog/families';
import { InputIssue, underOperation, type Operation } from '../operation';
import { modelLocator } from '../../n8n/modelLocator';
import { modelOf } from '../../n8n/modelParameter';
import { submitOptions, waitFor } from './properties';
import { planTask, type TaskPlan } from './planTask';
import { performTask } from './performTask';

/** Generates one medium with a panel: under the model stand the fields that it takes. */
export function generateWithPanel(media: Media): Operation<TaskPlan> {
  return {
    properties: [
      ...underOperation(media, ['generate'], [modelLocator(media)]),
      ...panelOf(media),
      ...underOperation(media, ['generate'], [waitFor('poll'), submitOptions]),
    ],
    plan(item, run) {
      const sheet = sheetOf(modelOf(item), media);
      if (sheet.media !== media)
        throw new InputIssue([
          { field: 'model', message: `Model (model): ${sheet.id} makes ${sheet.media}s. Use ${titleOf(sheet.media)} > Generate` },
        ]);
      const names = Object.keys(sheet.fields).filter((name) => name === 'action' || isTopLevel(sheet, name));
      const top = Object.fromEntries([...names, 'extra_body'].map((name) => [name, item.get(name, '')]));
      const additionalFields = item.get('additionalFields', {}) as IDataObject;
      return planTask(item, run, sheet, bodyFromPanel(sheet, { top, additionalFields }));
    },
    perform: performTask,
  };
}

