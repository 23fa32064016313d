/**
 * Code with one promise taken out, by name: the file, what stands in it, what takes its place, and a
 * part of the matrix that must find it.
 */
exports.MUTANTS = {
	'a retry': {
		file: 'nodes/gateway/retry.ts',
		from: 'return status === undefined || status >= 500 || isUnclearStatus(status);',
		to: 'return status === undefined || isUnclearStatus(status);',
		cells: 'submit | 503 | once',
	},
	'a retry after a broken connection': {
		file: 'nodes/gateway/retry.ts',
		from: 'return status === undefined || status >= 500 || isUnclearStatus(status);',
		to: 'return status !== undefined && (status >= 500 || isUnclearStatus(status));',
		cells: 'model:getAll | truncated | once',
	},
	'a delay where too many requests are refused': {
		file: 'nodes/gateway/retry.ts',
		from: 'if (isRefused) {',
		to: 'if (isRefused) return { history };\n\tif (isRefused) {',
		cells: 'embedding:create | 429 | once',
	},
	'the bar to repeating what might be billed twice': {
		file: 'nodes/gateway/retry.ts',
		from: "if (kind === 'write') return false;",
		to: '',
		cells: 'text:chat | reset after the work | once',
	},
	'the idempotency key': {
		file: 'nodes/gateway/tasks/api.ts',
		from: "'Idempotency-Key': idempotencyKey,",
		to: "'Idempotency-Key': `${idempotencyKey}${Math.random()}`,",
		cells: 'submit | reset after the work | kill',
	},
	'a limit on the silence of a stream': {
		file: 'nodes/gateway/byteStream.ts',
		from: 'watchSilence(clock, silenceMs,',
		to: 'watchSilence(clock, 2e9,',
		cells: 'text:chat streamed | silence in the body | once',
	},
	'a limit on the silence of a download': {
		file: 'nodes/gateway/byteStream.ts',
		from: 'watchSilence(clock, silenceMs,',
		to: 'watchSilence(clock, 2e9,',
		cells: 'download | silence after the headers | once',
	},
	'a limit on a whole response': {
		file: 'nodes/gateway/sender.ts',
		from: ': timeoutMs + GRACE_MS;',
		to: ': 2e9;',
		cells: 'asset:get | dripping | once',
	},
	'the end of a stream at its end marker': {
		file: 'nodes/gateway/text/complete.ts',
		from: 'if (parser.hasEnded) return;',
		to: '',
		cells: 'text:message streamed | silence after the last byte | once',
	},
	'the cancel of a task that is awaited when the run is stopped': {
		file: 'nodes/GenerationGateway/tasks/cancelOnStop.ts',
		from: 'await cancelTask(createClientAfterStop(run.context), taskId);',
		to: '',
		cells: 'poll after submitting | 503 | stop',
	},
	'the cancel of a task that is being submitted when the run is stopped': {
		file: 'nodes/GenerationGateway/tasks/performTask.ts',
		from: 'cancelSubmittedOnStop(submission, run);',
		to: '{}',
		cells: 'submit and wait | silence before the headers | stop',
	},
	'the end of a wait when the user stops': {
		file: 'nodes/gateway/sender.ts',
		from: 'raceAbort(whole, signal)',
		to: 'whole',
		cells: 'audio:transcribe | silence before the headers | stop',
	},
	'the patience with polls that fail': {
		file: 'nodes/gateway/tasks/awaitTask.ts',
		from: '!(error instanceof GatewayError) || FINAL_CODES.has(error.code)',
		to: 'true',
		cells: 'poll after submitting | 402 | once',
	},
	'the patience with polls that are refused': {
		file: 'nodes/gateway/tasks/awaitTask.ts',
		from: '(isRefusal(error) && isLasting && refusals >= PERSISTENT_REFUSALS)',
		to: 'isRefusal(error)',
		cells: 'poll after submitting | 404 | once',
	},
	'the retry of a download': {
		file: 'nodes/n8n/binary/download.ts',
		from: 'attempt >= DEFAULT_RETRY.attempts',
		to: 'attempt >= 1',
		cells: 'download | 502 | once',
	},
	'the answer that asks for another callback': {
		file: 'nodes/GenerationGatewayTrigger/callback.ts',
		from: 'return respond(node, 503);',
		to: 'return respond(node, 200);',
		cells: 'callback to the trigger | 402 | once',
	},
	"the node's own call to its resume link": {
		file: 'nodes/GenerationGateway/suspend/suspendExecution.ts',
		from: 'callOwnResumeUrl(context, until, taskIds);',
		to: 'void callOwnResumeUrl;',
		cells: 'callback to a suspended execution | 502 | after retries',
	},
	'the doubt about what was billed': {
		file: 'nodes/gateway/errors.ts',
		from: "billed === 'no' && { billed: 0 }",
		to: '{ billed: 0 }',
		cells: 'text:respond | reset after the work | once',
	},
	'the check of what a response holds': {
		file: 'nodes/gateway/tasks/api.ts',
		from: "{ expects: 'a task', read: readTask }",
		to: "{ expects: 'a task', read: (body) => readTask(body) ?? (body as never) }",
		cells: 'task:get | says error | once',
	},
};
