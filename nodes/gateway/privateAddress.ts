/** Endings of names in private, cloud and container networks. */
const LOCAL_ENDINGS =
	'local|localhost|localdomain|internal|intranet|private|corp|home|lan|svc|home\\.arpa';
/** A name without a dot is local, e.g. of a container. Kubernetes names may go on after `.svc`. */
const LOCAL_NAME = new RegExp(`^([^.:]+|.*\\.(${LOCAL_ENDINGS})|.*\\.svc\\..*)\\.?$`);
const LOCAL_IPV4 =
	/^(0|10|127|22[4-9]|2[345]\d)\.|^(192\.168|169\.254|192\.0\.0|198\.1[89])\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$|^168\.63\.129\.16$/;
/** Mapped IPv4 addresses are read. Translated and tunnelled ones count as private. */
const LOCAL_IPV6 = /^\[(::[\da-f:]*|f[cdf].*|fe[89a-f].*|64:ff9b:.*|2002:.*|2001:0?:.*)\]$/;
/** An IPv4 address in IPv6: its last two groups. */
const MAPPED_IPV4 = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/;

function unmap(host: string): string {
	const [, ...groups] = MAPPED_IPV4.exec(host) ?? [];
	if (!groups.length) return host;
	return groups
		.map((group) => parseInt(group, 16))
		.flatMap((bits) => [bits >> 8, bits & 255])
		.join('.');
}

/** Link-local addresses, and those that tell a cloud machine its secrets. */
const METADATA_HOSTS = [
	/^169\.254\.|^(168\.63\.129\.16|100\.100\.100\.200|192\.0\.0\.192)$/,
	/^\[(fe[89ab].:|(::(ffff:(0:)?)?|64:ff9b::|2002:)a9fe:|fd00:ec2::254\])/,
	/^(metadata(\.google\.internal)?|instance-data(\.ec2\.internal)?)\.?$/,
];

const hostOf = (link: string): string =>
	URL.canParse(link) ? unmap(new URL(link).hostname.toLowerCase()) : '';

/** Whether a link leads to a link-local address or to cloud metadata. */
export const isMetadataAddress = (link: string): boolean =>
	METADATA_HOSTS.some((pattern) => pattern.test(hostOf(link)));

/** Whether a link leads to this machine or its network. */
export function isPrivateAddress(link: string): boolean {
	const host = hostOf(link);
	const pattern = /^\d+(\.\d+){3}$/.test(host)
		? LOCAL_IPV4
		: host.startsWith('[')
			? LOCAL_IPV6
			: LOCAL_NAME;
	return pattern.test(host);
}
