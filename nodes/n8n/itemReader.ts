import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import type { FieldIssue, GatewayError } from '../gateway/errors';
import { inputError } from './inputError';
import type { Parameter } from './parameters';

/**
 * Reads the parameters and options of one input item. Whatever cannot be read is noted and reported
 * together by `assertValid`, so the user sees all of it at once.
 */
export class ItemReader<
	Context extends IExecuteFunctions | ISupplyDataFunctions = IExecuteFunctions,
> {
	readonly issues: FieldIssue[] = [];
	private resolvedOptions: IDataObject | undefined;

	/** `given` are parameters that stand for those of the node, and for an item without files. */
	constructor(
		readonly context: Context,
		readonly index: number,
		private readonly given?: IDataObject,
	) {}

	/** A parameter with its expressions resolved for this item, as it is. */
	raw(name: string, fallback?: unknown): unknown {
		if (this.given) return this.given[name] ?? fallback;
		const context: Pick<IExecuteFunctions, 'getNodeParameter'> = this.context as IExecuteFunctions;
		return context.getNodeParameter(name, this.index, fallback as never);
	}

	/** The files of the item, by their binary field. */
	get files(): IBinaryKeyData {
		if (this.given) return {};
		return (this.context as IExecuteFunctions).getInputData()[this.index]?.binary ?? {};
	}

	/** The options the user has added, with their expressions resolved, as they are. */
	get rawOptions(): IDataObject {
		return (this.resolvedOptions ??= (this.raw('options', {}) ?? {}) as IDataObject);
	}

	/** A parameter at the top level of the panel. */
	parameter<T>(parameter: Parameter<T>): T {
		return this.parse(parameter, this.raw(parameter.name, parameter.fallback));
	}

	/** An option; what counts when it is not added is its fallback. */
	option<T>(parameter: Parameter<T>): T {
		const { name, fallback } = parameter;
		const options = this.rawOptions;
		return name in options ? this.parse(parameter, options[name]) : fallback;
	}

	addIssue(field: string, message: string): void {
		this.issues.push({ field, message });
	}

	/** The error of an item that cannot be read any further, with what was noted before. */
	failWith(field: string, message: string): GatewayError {
		this.addIssue(field, message);
		return inputError(this.issues);
	}

	/** Throws every issue that was noted, if there is one. */
	assertValid(): void {
		if (this.issues.length) throw inputError(this.issues);
	}

	private parse<T>({ name, property, parse, fallback }: Parameter<T>, raw: unknown): T {
		if (raw === fallback && raw !== undefined) return fallback;
		const parsed = parse(raw);
		if ('value' in parsed) return parsed.value;
		this.addIssue(name, `${property.displayName} ${parsed.problem}`);
		return fallback;
	}
}
