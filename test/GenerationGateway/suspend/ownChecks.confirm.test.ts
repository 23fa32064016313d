import { confirmResume } from '../../../nodes/GenerationGateway/suspend/ownChecks';
import { useSuspendedNode } from '../../support/suspendedNode';

const node = useSuspendedNode();

/** n8n's first answer, and a mock that is called when the execution has gone on. */
const confirm = (status: number) => {
	const onConfirmed = jest.fn();
	const context = node.create(status);
	confirmResume(() => context, node.suspension(2), onConfirmed);
	return onConfirmed;
};

it.each([404, 409, 410, 307])(
	'after a resume, an answer %d says that the execution has gone on',
	async (answer) => {
		const onConfirmed = confirm(answer);
		await node.pass(3_600);

		expect(onConfirmed).toHaveBeenCalledTimes(1);
		expect(node.calledAt).toEqual([5]);
	},
);

it('after a resume, n8n is asked ever more rarely where n8n does not say so, until the suspension is over', async () => {
	const onConfirmed = confirm(503);
	await node.pass(4 * 3_600);

	// Then n8n goes on by itself.
	expect(onConfirmed).toHaveBeenCalledTimes(1);
	expect(node.calledAt).toEqual([5, 20, 65, 200, 605, 1_820, 3_620, 5_420]);
});
