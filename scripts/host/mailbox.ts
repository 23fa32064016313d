import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** A mail as a person would see it. */
export interface Mail {
	to: string;
	subject: string;
	text: string;
	html: string;
	/** What its buttons and links lead to, by their words. */
	links: { label: string; url: string }[];
}

/** A mail server on localhost that takes every mail and sends none on. */
export interface Mailbox {
	port: number;
	close(): Promise<void>;
}

const LINK = /<a [^>]*href="([^"]+)"[^>]*>([^]*?)<\/a>/g;
const toPlain = (html: string): string =>
	html
		.replace(/<[^>]+>/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();
const findLinks = (html: string): Mail['links'] =>
	[...html.matchAll(LINK)].map(([, url, label]) => ({
		url: url!.replaceAll('&amp;', '&'),
		label: toPlain(label!),
	}));

/** Starts a mailbox; what arrives is given to `onMail`. */
export async function startMailbox(onMail: (mail: Mail) => void, port = 0): Promise<Mailbox> {
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData: (stream, _session, done) => {
			simpleParser(stream).then(({ to, subject = '', text = '', html }) => {
				const [address] = [to ?? []].flat();
				const links = findLinks(html || '');
				onMail({ to: address?.text ?? '', subject, text, html: html || '', links });
				done();
			}, done);
		},
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', resolve);
	});
	return {
		port: (server.server.address() as { port: number }).port,
		close: async () => await new Promise((resolve) => server.close(() => resolve())),
	};
}

/** The credential of n8n's mail nodes for a mailbox. */
export const createMailCredential = ({ port }: Mailbox) => ({
	user: '',
	password: '',
	host: '127.0.0.1',
	port,
	secure: false,
	disableStartTls: true,
});
