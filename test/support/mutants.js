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
		from: "'Idempotency-Key': idempotencyKey }",
		to: "'Idempotency-Key': `${idempotencyKey}${Math.random()}` }",
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
		from: 'const task = await cancelTask(client, taskId);',
		to: 'const task = { status: "cancelled" } as never as Awaited<ReturnType<typeof cancelTask>>;',
		cells: 'poll after submitting | 503 | stop',
	},
	'the cancel of a task that is being submitted when the run is stopped': {
		file: 'nodes/GenerationGateway/tasks/performTask.ts',
		from: 'cancelSubmittedAfterStop(submission, error, run);',
		to: '{}',
		cells: 'submit and wait | silence before the headers | stop',
	},
	'the end of a wait when the user stops': {
		file: 'nodes/gateway/sender.ts',
		from: 'raceAbort(whole, request.outlivesStop ? undefined : signal)',
		to: 'whole',
		cells: 'audio:transcribe | silence before the headers | stop',
	},
	'the patience with polls that fail': {
		file: 'nodes/gateway/refusedPolls.ts',
		from: '!(error instanceof GatewayError) || FINAL_CODES.has(error.code)',
		to: 'true',
		cells: 'poll after submitting | 402 | once',
	},
	'the patience with polls that are refused': {
		file: 'nodes/gateway/refusedPolls.ts',
		from: 'return isLasting && this.refusals >= PERSISTENT_REFUSALS;',
		to: 'return true;',
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
		from: 'isComplete ? 200 : 503',
		to: '200',
		cells: 'callback to the trigger | 402 | once',
	},
	"the node's own call to its resume link": {
		file: 'nodes/GenerationGateway/suspend/ownChecks.ts',
		from: '\tplan(FIRST_SECONDS);',
		to: '',
		cells: 'callback to a suspended execution | 502 | after retries',
	},
	'the check of what a response holds': {
		file: 'nodes/gateway/tasks/api.ts',
		from: "{ expects: 'a task', read: readTask }",
		to: "{ expects: 'a task', read: (body) => readTask(body) ?? (body as never) }",
		cells: 'task:get | says error | once',
	},
};

/** The same for money and keys: the model-based test must find each. */
exports.MONEY_MUTANTS = {
	'what a lost reply leaves open': {
		file: 'nodes/gateway/client.ts',
		from: '...(history.mayHaveExecuted && { may_have_executed: true }),',
		to: '...(!history.kind && { may_have_executed: true }),',
	},
	'the settled cost': {
		file: 'nodes/GenerationGateway/account/budget.ts',
		from: 'const quota = readCharge(task);',
		to: 'const quota = hasEnded(task) ? undefined : readCharge(task);',
	},
	'the doubt about a hold of 0': {
		file: 'nodes/gateway/tasks/schema.ts',
		from: 'const hold = held > 0 ? held : undefined;',
		to: 'const hold = held;',
	},
	'who has made a task': {
		file: 'nodes/GenerationGateway/account/executionRecord.ts',
		from: 'if (maker !== undefined) return maker !== this.id;',
		to: 'if (maker !== undefined) return false;',
	},
	'what a row has submitted': {
		file: 'nodes/GenerationGateway/account/taskAccount.ts',
		from: 'run.rows.keep(plan);',
		to: '',
	},
	'the execution that is retried': {
		file: 'nodes/GenerationGateway/account/executionRecord.ts',
		from: '(chain[0] ?? executionId)',
		to: 'executionId',
	},
	'the cancel of what a stopped run has made': {
		file: 'nodes/GenerationGateway/account/taskAccount.ts',
		from: 'cancelTaskOnStop(taskId, run);',
		to: '{}',
	},
	'the bar to another model where a task may exist': {
		file: 'nodes/GenerationGateway/tasks/fallback.ts',
		from: '!run.budget.mayExist(reservation)',
		to: 'true',
	},
	'the charge of what may exist': {
		file: 'nodes/GenerationGateway/account/taskAccount.ts',
		from: 'if (mayHaveMade(error)) return run.budget.keep(plan.reservation);',
		to: '',
	},
	'the check before each attempt': {
		file: 'nodes/gateway/client.ts',
		from: '!(veto = request.veto?.())',
		to: '!veto',
	},
};
