/** Reads a role's password from libpq's file, `host:port:database:role:password`. Like libpq, ignores a file that others can read. */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface PasswordQuery {
	readonly host: string;
	readonly port: number;
	readonly database: string;
	readonly user: string | undefined;
}

export function passwordFor({ host, port, database, user }: PasswordQuery, env: NodeJS.ProcessEnv): string | undefined {
	const path = env["PGPASSFILE"] || join(env["HOME"] || homedir(), ".pgpass");
	const own = [host.startsWith("/") ? "localhost" : host, String(port), database, user ?? ""];
	for (const line of readPrivate(path)?.split(/\r?\n/) ?? []) {
		if (line.startsWith("#")) continue;
		// A colon or a backslash in a field has a backslash before it.
		const fields = line.match(/(?:\\.|[^:\\])+/g)?.map((field) => field.replace(/\\(.)/g, "$1")) ?? [];
		const password = fields.slice(4).join(":");
		if (password !== "" && own.every((value, at) => fields[at] === "*" || fields[at] === value)) return password;
	}
	return undefined;
}

function readPrivate(path: string): string | undefined {
	try {
		const { mode } = statSync(path);
		if (process.platform !== "win32" && (mode & 0o077) !== 0) return undefined;
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}
