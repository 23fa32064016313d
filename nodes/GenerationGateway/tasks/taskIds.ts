import { InputError, type ItemOutcome, type Item, type Output } from '../operation';

/** The task IDs an item names: one, or a list from an expression. */
export function readTaskIds(item: Item): string[] {
	const given = [item.get('taskId', '')].flat();
	const ids = given
		.map((id) => (typeof id === 'string' ? id.trim() : id))
		.filter((id) => id !== '' && id !== null && id !== undefined);
	const wrong = ids.find((id) => typeof id !== 'string' || /[\s/?#]|^\.+$/.test(id));
	if (!ids.length)
		throw new InputError([
			{
				field: 'taskId',
				message: 'Task ID (taskId) is empty. Give the task_id that a submission returned',
			},
		]);
	if (wrong !== undefined)
		throw new InputError([
			{
				field: 'taskId',
				message: `Task ID (taskId): ${JSON.stringify(wrong)} is not an ID. IDs look like task_01h8`,
			},
		]);
	return ids as string[];
}

/** Does the work for every ID at once. One that does not work neither hides the others nor ends before them. */
export function forEachId(
	ids: readonly string[],
	work: (id: string) => Promise<Output>,
): Promise<ItemOutcome[]> {
	return Promise.all(ids.map((id) => work(id).catch((error: unknown) => ({ error }))));
}
