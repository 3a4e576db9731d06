/** The part of a proxy's address that only the agent knows. */
import { randomBytes } from "node:crypto";

const SECRET_BYTES = 24;
/** Shorter ones can be guessed. */
export const MIN_SECRET_CHARS = 16;

export function newSecret(): string {
	return randomBytes(SECRET_BYTES).toString("base64url");
}
