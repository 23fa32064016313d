import type { IDataObject, IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import type { FieldIssue } from '../gateway/errors';
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

	constructor(
		readonly context: Context,
		readonly index: number,
	) {}

	/** A parameter with its expressions resolved for this item, as it is. */
	raw(name: string, fallback?: unknown): unknown {
		const context: Pick<IExecuteFunctions, 'getNodeParameter'> = this.context as IExecuteFunctions;
		return context.getNodeParameter(name, this.index, fallback as never);
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
		const given = this.rawOptions[parameter.name];
		return given === undefined ? parameter.fallback : this.parse(parameter, given);
	}

	addIssue(field: string, message: string): void {
		this.issues.push({ field, message });
	}

	/** Throws every issue that was noted, if there is one. */
	assertValid(): void {
		if (this.issues.length) throw inputError(this.issues);
	}

	private parse<T>({ name, property, parse, fallback }: Parameter<T>, raw: unknown): T {
		if (raw === fallback) return fallback;
		const parsed = parse(raw);
		if ('value' in parsed) return parsed.value;
		this.addIssue(name, `${property.displayName} ${parsed.problem}`);
		return fallback;
	}
}
