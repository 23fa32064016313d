import type { Resource } from '../../menu';
import { awaitTasks } from './await.operation';
import { cancel } from './cancel.operation';
import { contactSheet } from './contactSheet.operation';
import { get } from './get.operation';
import { submit } from './submit.operation';

export const task: Resource = {
	submit: {
		name: 'Submit a Task',
		description: 'Start a task from JSON, with any model (POST /v1/tasks)',
		operation: submit,
	},
	await: {
		name: 'Await Tasks',
		description: 'Wait until tasks have ended and return their results',
		operation: awaitTasks,
	},
	get: {
		name: 'Get a Task',
		description: 'Get the current state of a task',
		operation: get,
	},
	cancel: {
		name: 'Cancel a Task',
		description: 'Cancel an unfinished task; its cost is refunded',
		operation: cancel,
	},
	contactSheet: {
		name: 'Create a Contact Sheet',
		action: 'Create a contact sheet of results',
		description: 'Put all results on one page, to mail, print or show',
		operation: contactSheet,
	},
};
