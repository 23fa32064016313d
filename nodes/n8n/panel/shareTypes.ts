/** A union of literals that a member takes, and the member's name. */
const MEMBER_WITH_UNION = /(\w+)(\??): ((?:'[^']*'|\d+)(?:\|(?:'[^']*'|\d+|string))+)/g;
const SHORTEST_ALIAS = 18;

/** Gives unions that stand in several places a name, since the text travels with the node's description. */
function shareUnions(types: string): string {
	const counts = new Map<string, number>();
	for (const [, name, , union] of types.matchAll(MEMBER_WITH_UNION)) {
		const key = `${name} ${union}`;
		if (union!.length >= SHORTEST_ALIAS) counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	const shared = [...counts].filter(([, count]) => count > 1).map(([key]) => key);
	const names = new Map(
		shared.map((key) => {
			const [name] = key.split(' ') as [string];
			const number = shared.filter((other) => other.startsWith(`${name} `)).indexOf(key) + 1;
			return [key, `${name}${number}`];
		}),
	);
	const aliases = [...names].map(([key, name]) => {
		const start = shared.find((other) => key.startsWith(`${other}|`));
		const union = start
			? names.get(start)! + key.slice(start.length)
			: key.slice(key.indexOf(' ') + 1);
		return `type ${name} = ${union};`;
	});
	const text = types.replace(
		MEMBER_WITH_UNION,
		(whole, name: string, mark: string, union: string) => {
			const alias = names.get(`${name} ${union}`);
			return alias ? `${name}${mark}: ${alias}` : whole;
		},
	);
	return [...aliases, text].join('\n');
}

/** What stands several times: choices between objects, objects with others inside, those with none. */
const REPEATED = [/\(\{[^()]*\}\)/g, /\{ (?:[^{}]|\{[^{}]*\})+ \}/g, /\{ [^{}]+ \}/g];
const SHORTEST_OBJECT = 24;

/** Gives objects that stand in several places a name, for the same reason. */
function shareObjects(types: string): string {
	let text = types;
	let number = 0;
	for (const pattern of REPEATED) {
		const found: string[] = text.match(pattern) ?? [];
		const repeated = [...new Set(found)].filter(
			(one) => one.length >= SHORTEST_OBJECT && found.indexOf(one) !== found.lastIndexOf(one),
		);
		for (const one of repeated) {
			number += 1;
			text = `type Part${number} = ${one};\n${text.replaceAll(one, `Part${number}`)}`;
		}
	}
	return text;
}

/** TypeScript in which what stands in several places is declared once, with few blanks. */
export const shareTypes = (types: string): string =>
	shareObjects(shareUnions(types)).replace(/([{;:|&=]) | (?=[}|&=])/g, '$1');
