import { PollCoordinator } from '../../../nodes/gateway/tasks/pollCoordinator';

const LONG = 300;
const ago = (ms: number) => Date.now() - ms;

/** Who has been woken of those that rest. */
function resting(coordinator: PollCoordinator, model: string, since: number) {
	const state = { isAwake: false };
	void coordinator.wait(model, since, LONG).then(() => (state.isAwake = true));
	return state;
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 30));

it('wakes each of the model when it is as old as the first of them that ended, and nobody else', async () => {
	const coordinator = new PollCoordinator();
	const [alike, younger, other] = [
		resting(coordinator, 'a', ago(5_000)),
		resting(coordinator, 'a', ago(1_000)),
		resting(coordinator, 'b', ago(5_000)),
	];
	coordinator.ended('a', 5_000);
	await soon();
	expect([alike, younger, other].map(({ isAwake }) => isAwake)).toEqual([true, false, false]);
});

it('does not wake a batch for every end in it', async () => {
	const coordinator = new PollCoordinator();
	coordinator.ended('a', 5_000);
	const patient = resting(coordinator, 'a', ago(9_000));
	coordinator.ended('a', 6_000);
	await soon();
	expect(patient.isAwake).toBe(false);
	expect(coordinator.expected('a')).toBe(6_000);
});
