import { createPanelOperation } from '../../tasks/panelOperation';

/** POST /v1/tasks for video models, with a panel for each: spec sections 2.2 and 2.3. */
export const generate = createPanelOperation('video');
