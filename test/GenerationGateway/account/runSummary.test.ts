import { RunSummary } from '../../../nodes/GenerationGateway/account/runSummary';

const numbered = (word: string, count: number) =>
	Array.from({ length: count }, (_, index) => `${word} ${index}`);

it('lists five reasons and five warnings, and says how many there are besides', () => {
	const summary = new RunSummary();
	for (const warning of numbered('warning', 7)) summary.addWarning(warning);
	const hints = summary.hints(0, numbered('reason', 6), 7).map(({ message }) => message);

	expect(hints).toEqual([
		...[...numbered('reason', 5), '1 further reason in the output'],
		...[...numbered('warning', 5), '2 further warnings'],
	]);
});
