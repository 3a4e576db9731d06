/** Which headers the proxy passes on, and which requests it serves at all. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { asName } from "../../base/json/read.ts";

/** Headers of one connection, not of the request. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
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
const NONE: ReadonlySet<string> = new Set();
const BROWSER_HEADERS = ["sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"] as const;

/** The headers as they came, in their order and spelling, after those of `passed`. `without`: names in lower case. */
export function passedHeaders(
	{ rawHeaders, headers }: IncomingMessage,
	without: ReadonlySet<string> = NONE,
	passed: string[] = [],
): string[] {
	const named = namedIn(headers.connection);
	for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
		const [raw = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
		const name = raw.toLowerCase();
		if (CONNECTION_HEADERS.has(name) || without.has(name) || named.has(name)) continue;
		passed.push(raw, value);
	}
	return passed;
}

export function oneHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
	const value = headers[name];
	return asName(Array.isArray(value) ? value[0] : value);
}

/** Further headers of the connection, as it names them. */
function namedIn(connection: string | undefined): ReadonlySet<string> {
	if (connection === undefined || connection === "keep-alive" || connection === "close") return NONE;
	return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

/**
 * A page in a browser can send requests to this machine. Those name their own site in Origin, or, after DNS rebinding, a foreign one in
 * Host; without an Origin, as for an image, the browser says where they come from. Agents do none of this (Node's own fetch sends
 * Sec-Fetch-Mode, and nothing else of the kind).
 */
export function isFromAgent(headers: IncomingHttpHeaders, port: number): boolean {
	const { host, origin } = headers;
	if (host === undefined || origin !== undefined) return false;
	if (BROWSER_HEADERS.some((name) => headers[name] !== undefined)) return false;
	const named = host.toLowerCase();
	return named === `127.0.0.1:${port}` || named === `localhost:${port}`;
}
