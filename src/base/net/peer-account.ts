/** Whose connection it is, on a system that tells: Linux lists the account of every socket. */
import { readFileSync } from "node:fs";

/** False: another account of this machine opened it. Undefined: the system does not tell. */
export function isOwnConnection({
	remotePort,
	localPort,
}: {
	readonly remotePort?: number | undefined;
	readonly localPort?: number | undefined;
}): boolean | undefined {
	if (process.platform !== "linux" || remotePort === undefined || localPort === undefined) return undefined;
	const [client, server] = [remotePort, localPort].map((port) => port.toString(16).toUpperCase().padStart(4, "0"));
	let isListed = false;
	for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
		let text: string;
		try {
			text = readFileSync(file, "utf8");
			isListed = true;
		} catch {
			continue;
		}
		for (const line of text.split("\n")) {
			const fields = line.trim().split(/\s+/);
			if (fields[1]?.endsWith(`:${client}`) && fields[2]?.endsWith(`:${server}`)) {
				return Number(fields[7]) === process.getuid?.();
			}
		}
	}
	return isListed ? false : undefined;
}
