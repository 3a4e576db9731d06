/** Work that one process does at a time. The system lets go of the lease when its holder dies, so none is ever stale. */
import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy, translateSqliteError } from "./sqlite-error.ts";

/** The lease, to be disposed of; undefined: somebody else has it. `path` is a file of its own, which stays empty. */
export function takeLease(path: string): Disposable | undefined {
	let db: DatabaseSync | undefined;
	try {
		// Only where it is missing: to close a handle would let go of a lease that this very process has.
		if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
		const lease = new DatabaseSync(path, { timeout: 0 });
		db = lease;
		lease.exec("BEGIN EXCLUSIVE");
		return { [Symbol.dispose]: () => lease.close() };
	} catch (error) {
		db?.close();
		if (isBusy(error)) return undefined;
		throw translateSqliteError(error, path);
	}
}
