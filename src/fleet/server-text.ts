/** How texts stand on a fleet's server. */
import { sha256 } from "../base/hash/sha256.ts";

/** PostgreSQL's texts cannot hold NUL. Names with one are rare: it is shown as its picture. */
export function textOf(name: string): string {
	return name.toWellFormed().replaceAll("\0", "␀");
}

const MAX_SESSION_BYTES = 500;

/** An index of the server takes no more; no host makes such names, but an import may bring one. */
export function sessionName(session: string): string {
	const name = textOf(session);
	if (Buffer.byteLength(name) <= MAX_SESSION_BYTES) return name;
	return `${name.slice(0, 100)}~${sha256(session)}`;
}
