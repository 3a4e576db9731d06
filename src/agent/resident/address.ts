/**
 * Where a project's resident listens: in a folder of the data home that only its owner can enter, under a name that a client
 * without a hash function can compute, the device and inode of the project's folder.
 */
import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";

export interface ResidentAddress {
	readonly folder: string;
	/** Its name in the folder. */
	readonly socket: string;
	/** The file that the resident locks while it lives. */
	readonly lease: string;
	/** The file that the process locks which starts a resident. */
	readonly startLease: string;
	/** Exists after a start has failed. */
	readonly failure: string;
	/** Exists after the resident was silent for too long, until it works again: clients pass it by. */
	readonly hung: string;
}

/** Undefined: there is no such project. */
export function residentAddress(home: string, root: string): ResidentAddress | undefined {
	const stat = statSync(root, { bigint: true, throwIfNoEntry: false });
	if (!stat) return undefined;
	const folder = join(home, "resident");
	const name = `${stat.dev}-${stat.ino}`;
	const file = (end: string) => join(folder, `${name}.${end}`);
	return {
		folder,
		socket: `${name}.sock`,
		lease: file("lock"),
		startLease: file("start"),
		failure: file("failed"),
		hung: file("hung"),
	};
}

/** True: only this account can have put a socket here. */
export function isPrivate(folder: string): boolean {
	const stat = lstatSync(folder, { throwIfNoEntry: false });
	if (!stat?.isDirectory()) return false;
	return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
}

/** Runs `use` in the folder: a socket's address is at most about a hundred bytes long, so it must be a relative name. */
export function inFolder<Result>(folder: string, use: () => Result): Result {
	const before = process.cwd();
	process.chdir(folder);
	try {
		return use();
	} finally {
		process.chdir(before);
	}
}
