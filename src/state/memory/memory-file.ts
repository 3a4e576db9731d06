/** The memory files and their paths, in the project's data folder. Each session has its own SESSION.md. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { MemoryFileKind } from "./section.ts";

/** A session as the log names it. */
export interface SessionName {
	readonly session: string;
	readonly host: string;
}

export type MemoryFile =
	| { readonly kind: "memory" | "history" }
	| { readonly kind: "session"; readonly of: SessionName };

export const MEMORY: MemoryFile = { kind: "memory" };
export const HISTORY: MemoryFile = { kind: "history" };

export function sessionFile({ session, host }: SessionName): MemoryFile {
	return { kind: "session", of: { session, host } };
}

/** The name of a file in tables and ids. */
export function fileKey(kind: string, { session, host }: SessionName): string {
	return kind === "session" ? `session ${host} ${session}` : kind;
}

export function keyOf(file: MemoryFile): string {
	return file.kind === "session" ? fileKey("session", file.of) : file.kind;
}

export function memoryFolder(dataFolder: string): string {
	return join(dataFolder, "memory");
}

export function pathOf(folder: string, file: MemoryFile): string {
	if (file.kind !== "session") return join(folder, FILE_NAMES[file.kind]);
	return join(sessionFolderPath(folder, sessionFolder(file.of)), FILE_NAMES.session);
}

export function sessionFolderPath(folder: string, name: string): string {
	return join(folder, "sessions", name);
}

/** The link to the file of the session that began last. */
export function newestPath(folder: string): string {
	return join(folder, FILE_NAMES.session);
}

export const FILE_NAMES: Readonly<Record<MemoryFileKind, string>> = {
	session: "SESSION.md",
	memory: "MEMORY.md",
	history: "HISTORY.md",
};

const PLAIN = /^[\w][\w.@+~-]{0,79}$/;
const HASH_DIGITS = 12;

/** The session's id if that is a safe name for a folder, else one made from it. */
export function sessionFolder({ session, host }: SessionName): string {
	if (PLAIN.test(session) && !session.endsWith(".")) return session;
	const hash = createHash("sha256").update(`${host}\n${session}`).digest("hex").slice(0, HASH_DIGITS);
	return `${session.replace(/[^\w-]+/g, "-").slice(0, 40)}-${hash}`;
}
