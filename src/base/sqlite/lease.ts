/** Work that one process does at a time. The system drops a lease when its holder dies, so none is ever stale. */
import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy, translateSqliteError } from "./sqlite-error.ts";

/** Undefined: another process has the lease. `path` is a file for it alone, which stays empty. */
export function takeLease(path: string): Disposable | undefined {
	let db: DatabaseSync | undefined;
	try {
		// Never opens an existing file: closing a handle would drop a lease that this very process holds.
		if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
		const lease = new DatabaseSync(path, { timeout: 0 });
		db = lease;
		// Writes not a byte, so a full disk has leases too.
		lease.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
		return { [Symbol.dispose]: () => lease.close() };
	} catch (error) {
		db?.close();
		if (isBusy(error)) return undefined;
		throw translateSqliteError(error, path);
	}
}
