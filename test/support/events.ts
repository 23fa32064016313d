/** The data of each server-sent event. */
export const eventData = (stream: string): string[] =>
	stream.split('\n\n').flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);

/** The name of each server-sent event. */
export const eventNames = (stream: string): string[] =>
	stream.split('\n\n').flatMap((event) => /^event: (.*)$/m.exec(event)?.[1] ?? []);
