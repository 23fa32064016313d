import { GatewayError, type FieldIssue } from '../gateway/errors';

/** Every reason why an item cannot be sent. */
export function inputError(issues: readonly FieldIssue[]): GatewayError {
	const [first, ...more] = issues.map(({ message }) => message);
	return new GatewayError('invalid_input', [first, ...more].join('\n'), {
		hint: 'Nothing was sent and nothing was billed.',
		details: { issues: issues.map((issue) => ({ ...issue })) },
	});
}
