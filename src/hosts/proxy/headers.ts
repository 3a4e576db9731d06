/** Which headers are passed on, and which requests are ours to answer at all. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** They speak of one connection, not of the request. */
const OF_THE_CONNECTION = new Set([
	"connection",
	"keep-alive",
	"proxy-authenticate",
	"proxy-authorization",
	"proxy-connection",
	"te",
	"trailer",
	"transfer-encoding",
	"upgrade",
]);

/** As they came, in their order and spelling. `without`: names in lower case. */
export function passedHeaders({ rawHeaders, headers }: IncomingMessage, without: readonly string[] = []): string[] {
	const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
	const passed: string[] = [];
	for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
		const name = rawHeaders[at]!.toLowerCase();
		if (OF_THE_CONNECTION.has(name) || named.includes(name) || without.includes(name)) continue;
		passed.push(rawHeaders[at]!, rawHeaders[at + 1]!);
	}
	return passed;
}

/**
 * A page in a browser can make requests to this machine. Those name their own site in Origin, or, after a trick with names,
 * a foreign one in Host. Agents do neither.
 */
export function isFromAgent({ host, origin }: IncomingHttpHeaders, port: number): boolean {
	const own = [`127.0.0.1:${port}`, `localhost:${port}`];
	return host !== undefined && own.includes(host.toLowerCase()) && origin === undefined;
}
