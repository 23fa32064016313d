import { BoundedMap } from '../../nodes/gateway/boundedMap';

describe('a bounded map', () => {
	it('forgets what was not used for the longest time', () => {
		const map = new BoundedMap<string, number>(2);
		map.set('a', 1);
		map.set('b', 2);
		map.get('a');
		map.set('c', 3);

		expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3]);
	});

	it('never forgets what is in use, also when nothing else is left', () => {
		const map = new BoundedMap<number, { isActive: boolean }>(2, {
			isActive: ({ isActive }) => isActive,
		});
		for (const key of [1, 2, 3]) map.set(key, { isActive: key !== 2 });
		expect([1, 2, 3].map((key) => map.get(key) !== undefined)).toEqual([true, false, true]);

		map.set(4, { isActive: true });
		expect([1, 3, 4].map((key) => map.get(key) !== undefined)).toEqual([true, true, true]);
		map.get(1)!.isActive = false;
		map.set(5, { isActive: true });
		expect([1, 3, 4, 5].map((key) => map.get(key) !== undefined)).toEqual([
			false,
			true,
			true,
			true,
		]);
	});

	it('creates what is missing once', () => {
		const map = new BoundedMap<string, object>(1);
		const value = map.getOrCreate('a', () => ({}));
		expect(map.getOrCreate('a', () => ({}))).toBe(value);
		map.clear();
		expect(map.get('a')).toBeUndefined();
	});
});
