import { readdirSync } from 'node:fs';
import path from 'node:path';
import { families, textEndpoints } from '../../nodes/catalog/families';
import { modelSpecs } from '../../nodes/catalog/modelSpec';
import { findTableProblems, findUnlistedFamilies } from '../support/tables';
import { fieldProblems } from '../support/tables/fields';

const FOLDER = path.join(__dirname, '../../nodes/catalog/families');

describe('the tables', () => {
	it('have no contradictions', () => {
		expect(families.length).toBeGreaterThan(10);
		expect(findTableProblems(families)).toEqual([]);
	});

	it('are all listed', () => {
		const files = readdirSync(FOLDER).filter((file) => file !== 'index.ts');
		const modules = Object.fromEntries(
			// eslint-disable-next-line @typescript-eslint/no-require-imports
			files.map((file) => [file, require(path.join(FOLDER, file)) as object]),
		);
		expect(files.length).toBeGreaterThan(10);
		expect(findUnlistedFamilies(modules, families)).toEqual([]);
		expect(findUnlistedFamilies(modules, families.slice(1))).toEqual([
			'gmn.ts: the family gmn is missing in families/index.ts',
		]);
	});

	it('have a sentence for each action, unless its name says all or the spec does not say what it does', () => {
		const clear = ['edit', 'generate', 'image2image'];
		const unexplained = ['group', 'interactive_edit'];
		// What an action requires does not say what it does.
		const isSentence = (text = '') => text !== '' && !text.startsWith('Requires');
		const missing = modelSpecs.flatMap(({ actions, fields }) =>
			actions.filter((action) => !isSentence(fields.action?.choices?.[action])),
		);
		expect(new Set(missing)).toEqual(new Set([...clear, ...unexplained]));
	});

	it.each(Object.entries(textEndpoints))(
		'state nothing of the %s endpoint that cannot be meant',
		(_id, { fields, models, roles }) => {
			const problems = Object.entries(fields).flatMap(([name, field]) => [
				...fieldProblems(name, field),
			]);
			expect(problems).toEqual([]);
			expect(new Set(models).size).toBe(models.length);
			expect(roles).toContain('user');
		},
	);
});
