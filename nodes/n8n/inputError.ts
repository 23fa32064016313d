import { GatewayError, type FieldIssue } from '../gateway/errors';

/** An item that cannot be sent as it is: every reason at once. */
export function inputError(issues: readonly FieldIssue[]): GatewayError {
	const [first, ...more] = issues.map(({ message }) => message);
	return new GatewayError('invalid_input', [first, ...more].join('\n'), {
		hint: 'Nothing was sent and nothing was billed.',
		details: { issues: issues.map((issue) => ({ ...issue })) },
	});
}

/** An item with one thing to correct. */
export const fieldError = (field: string, message: string): GatewayError =>
	inputError([{ field, message }]);
