/** Texts as a fleet's server can hold them. */
import { sha256 } from "../base/hash/sha256.ts";

/** PostgreSQL's text cannot hold NUL; ␀ takes its place. */
export function serverText(name: string): string {
	return name.toWellFormed().replaceAll("\0", "␀");
}

const MAX_SESSION_BYTES = 500;

/** Shortens a name for the server's index. No agent makes such names, but an import may bring one. */
export function serverSession(session: string): string {
	const name = serverText(session);
	if (Buffer.byteLength(name) <= MAX_SESSION_BYTES) return name;
	return `${name.slice(0, 100)}~${sha256(session)}`;
}
