import type {
	ExpressionError,
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INode,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { getOwn, isBlank } from '../catalog/json';
import { quote, toTitle } from '../catalog/labels';
import type { Issue } from '../catalog/rules';
import { GatewayError, NOT_SENT } from '../gateway/errors';
import { filesOf } from './binaryMode';
import { isExpression } from './outsideNames';
import type { Parameter } from './parameters';

/** Every reason why an item cannot be sent. `causes`: sentences about them. */
function inputError(issues: readonly Issue[], causes: readonly string[] = []): GatewayError {
	const [first, ...more] = issues.map(({ message }) => message);
	return new GatewayError('invalid_input', [first, ...more].join('\n'), {
		hint: [...causes, NOT_SENT].join(' '),
		details: { issues: issues.map((issue) => ({ ...issue })) },
	});
}

/** Labels of parameters whose names say something else. */
const LABELS: Record<string, string> = {
	action: 'Mode',
	assetId: 'Asset',
	assetModel: 'Model',
	assetType: 'Type',
	binaryPropertyName: 'Input Data Field Name',
	input: 'Text',
	max_tokens: 'Maximum Tokens',
	messagesJson: 'Messages (JSON)',
	ref_task_id: 'Reference Task ID',
	suspendHours: 'Max Suspension (Hours)',
	system: 'System Instructions',
	toolDescription: 'Description',
	url: 'Link',
	waitBy: 'Wait Mode',
};

const NO_PAIR =
	'n8n cannot tell which item of that node belongs to this one. Write .first() in place of .item. If nothing leads from that node to this one, connect them.';

/** n8n cannot evaluate an expression: `written`, where it is one of several. */
function unevaluatedError(
	field: string,
	written: string | undefined,
	error: unknown,
): GatewayError {
	const { message, description, context = {} } = error as Error & Partial<ExpressionError>;
	const nodeCause = String(context.nodeCause ?? '');
	const isUnpaired = String(context.type).startsWith('paired_item');
	const words = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	const label = getOwn(LABELS, field) ?? toTitle(words);
	const where = written ? `${label}: the expression ${quote(written)} fails` : label;
	const node = message.includes(nodeCause) ? '' : ` (node "${nodeCause}")`;
	const found = inputError([{ field, message: `${where}: ${message}${node}` }]);
	// Of N8N_EXPRESSION_ENGINE_TIMEOUT, e.g. on a busy machine.
	const retry = message === 'Expression timed out';
	const nextStep = isUnpaired ? ` ${NO_PAIR}` : retry ? ' If n8n was busy, run it again.' : '';
	found.hint = description ?? `${found.hint}${nextStep}`;
	return found.addDetails({ retry });
}

/** The paths of the expressions that a parameter holds, e.g. `messages.entry.0.text`. */
function findExpressions(stored: unknown, path: string): { path: string; written: string }[] {
	if (typeof stored === 'string')
		return isExpression(stored) ? [{ path, written: stored.slice(1) }] : [];
	return Object.entries(stored ?? {}).flatMap(([key, part]) =>
		findExpressions(part, `${path}.${key}`),
	);
}

/** The node runs as a tool of an agent. */
export const isToolNode = ({ type }: Pick<INode, 'type'>): boolean => type.endsWith('Tool');

/** Whether the caller of a tool runs it itself: only the context of a sub-node has this function. */
export const isRunByCaller = (context: object): boolean => 'getNextRunIndex' in context;

/** Of a node that runs, or that supplies another one. */
export type NodeContext = IExecuteFunctions | ISupplyDataFunctions;

/** Reads the parameters and options of one item. Collects what is wrong, for `assertValid`. */
export class ItemReader<Context extends NodeContext = IExecuteFunctions> {
	readonly issues: Issue[] = [];
	/** What the user should know of an item that can be sent. */
	readonly warnings = new Set<string>();
	private resolvedOptions: IDataObject | undefined;

	/** `given`: parameters instead of those of the node, for an item without files. */
	constructor(
		readonly context: Context,
		readonly index: number,
		private readonly given?: IDataObject,
	) {}

	get isTool(): boolean {
		return isToolNode(this.context.getNode());
	}

	/** Evaluated for this item, otherwise as it is. */
	raw(name: string, fallback?: unknown): unknown {
		if (this.given) return this.given[name] ?? fallback;
		try {
			return this.evaluate(name, fallback);
		} catch (error) {
			throw unevaluatedError(name, this.findFailing(name, error as Error), error);
		}
	}

	private evaluate(name: string, fallback?: unknown): unknown {
		const context: Pick<IExecuteFunctions, 'getNodeParameter'> = this.context as IExecuteFunctions;
		return context.getNodeParameter(name, this.index, fallback as never);
	}

	/** The expression within a collection that n8n cannot evaluate. It evaluates all of them at once. */
	private findFailing(name: string, { message }: Error): string | undefined {
		const { [name]: stored } = this.context.getNode().parameters;
		const parts = findExpressions(stored, name);
		const isFailing = (path: string): boolean => {
			try {
				this.evaluate(path);
				return false;
			} catch (error) {
				return (error as Error).message === message;
			}
		};
		return parts.find(({ path }) => path !== name && isFailing(path))?.written;
	}

	/** Its input. */
	get json(): IDataObject {
		const context = this.context as IExecuteFunctions;
		return this.given ? {} : (context.getInputData()[this.index]?.json ?? {});
	}

	/** By binary field. */
	get files(): IBinaryKeyData {
		if (this.given) return {};
		const context = this.context as IExecuteFunctions;
		return filesOf(context, context.getInputData()[this.index]);
	}

	/** The options that the user has added, evaluated. */
	get rawOptions(): IDataObject {
		return (this.resolvedOptions ??= (this.raw('options', {}) ?? {}) as IDataObject);
	}

	parameter<T>(parameter: Parameter<T>): T {
		return this.parse(parameter, this.raw(parameter.name, parameter.fallback));
	}

	/** The fallback where it is not added. */
	option<T>(parameter: Parameter<T>): T {
		const { name, fallback, property } = parameter;
		const options = this.rawOptions;
		if (!(name in options)) return fallback;
		this.checkMissing(options, name, property.displayName);
		return this.parse(parameter, options[name]);
	}

	/** Also where another option fails: n8n evaluates all of them at once. The fallback where this one fails. */
	optionAlone<T>(parameter: Parameter<T>): T {
		const { name, fallback } = parameter;
		const readAlone = () => this.parse(parameter, this.evaluate(`options.${name}`, fallback));
		for (const read of [() => this.option(parameter), readAlone])
			try {
				return read();
			} catch {
				continue;
			}
		return fallback;
	}

	/**
	 * Of a parameter that is undefined: its expression probably misspells a field of the input item. One that is empty
	 * or null is there. An agent may leave out what it likes.
	 */
	warnMissing(label: string): void {
		if (this.isTool) return;
		this.warnings.add(
			`${label} is left out, because its expression finds nothing. Check the names of its fields. If a row may do without it, write ?? '' before the }} of the expression`,
		);
	}

	/** Warns of a value that is there and undefined. */
	checkMissing(values: object, name: string, label: string): void {
		if (name in values && values[name as never] === undefined) this.warnMissing(label);
	}

	addIssue(field: string, message: string): void {
		this.issues.push({ field, message });
	}

	/** The error of an item that cannot be read any further, with all issues. */
	failWith(field: string, message: string): GatewayError {
		this.addIssue(field, message);
		return inputError(this.issues, this.describeEmptyExpressions());
	}

	assertValid(): void {
		if (this.issues.length) throw inputError(this.issues, this.describeEmptyExpressions());
	}

	/** The expressions that give no value, e.g. since they name a field that the item does not have. */
	private describeEmptyExpressions(): string[] {
		if (this.given || this.isTool) return [];
		const { parameters } = this.context.getNode();
		const { options, additionalFields } = parameters as Record<string, IDataObject | undefined>;
		const fields = [...new Set(this.issues.map(({ field }) => field))];
		return fields
			.flatMap((field) => [
				...findExpressions(parameters[field], field),
				...findExpressions(options?.[field], `options.${field}`),
				...findExpressions(additionalFields?.[field], `additionalFields.${field}`),
			])
			.filter(({ path }) => isBlank(this.raw(path)))
			.map(({ written }) => `The expression ${quote(written)} gives no value for this item.`);
	}

	private parse<T>({ name, property, parse, fallback }: Parameter<T>, raw: unknown): T {
		const parsed = parse(raw);
		if ('value' in parsed) return parsed.value;
		this.addIssue(name, `${property.displayName} ${parsed.problem}`);
		return fallback;
	}
}
