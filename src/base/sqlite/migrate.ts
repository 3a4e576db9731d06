import type { DatabaseSync } from "node:sqlite";
import { EngineError } from "../error/engine-error.ts";
import { one } from "./rows.ts";
import type { Transactor } from "./transaction.ts";

export type Migration = (db: DatabaseSync) => void;

/**
 * Brings the schema to the newest version. The n-th migration leads to version n, and a released one is never edited.
 * Several processes may open at once, so the version is read again under the lock.
 */
export function migrate(
	db: DatabaseSync,
	transactor: Transactor,
	path: string,
	migrations: readonly Migration[],
	applicationId: number,
): void {
	if (schemaVersion(db) === migrations.length) return;
	refuseNewer(db, path, migrations);
	transactor.run(() => {
		refuseNewer(db, path, migrations);
		for (const migration of migrations.slice(schemaVersion(db))) migration(db);
		db.exec(`PRAGMA user_version = ${migrations.length}; PRAGMA application_id = ${applicationId}`);
	});
}

export function schemaVersion(db: DatabaseSync): number {
	return one<{ user_version: number }>(db.prepare("PRAGMA user_version"))?.user_version ?? 0;
}

export function refuseNewer(db: DatabaseSync, path: string, migrations: readonly Migration[]): void {
	const version = schemaVersion(db);
	if (version < 0) {
		throw new EngineError(
			"damaged",
			`${path} claims schema version ${version}, which no weft writes. It was left as it is. Copy it away, then run 'weft doctor'.`,
		);
	}
	if (version <= migrations.length) return;
	throw new EngineError(
		"newer-schema",
		`${path} was written by a newer weft (schema ${version}, this one knows ${migrations.length}). Nothing was changed. Update weft: npm install -g weft-context@latest`,
	);
}
