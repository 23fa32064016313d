import type { Resource } from '../../menu';
import { createPanelOperation } from '../../tasks/panelOperation';

/** Each model has its own panel: spec sections 2.2 and 2.3. */
export const video: Resource = {
	generate: {
		name: 'Generate a Video',
		action: 'Generate a video (text or image to video, animate)',
		description: 'POST /v1/tasks',
		operation: createPanelOperation('video'),
	},
};
