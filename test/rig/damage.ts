/** Damage as disks do it: single bytes that are not what was written. */
import { databaseOf } from "../../src/log/database.ts";
import type { Log } from "../../src/log/log.ts";

/** A copy of the bytes with one bit turned. */
export function flipped(bytes: Uint8Array, at: number, bit = 0): Buffer {
	const copy = Buffer.from(bytes);
	copy[at % copy.length]! ^= 1 << (bit % 8);
	return copy;
}

export function packs(log: Log): { readonly first: number; readonly last: number; readonly data: Uint8Array }[] {
	const rows = databaseOf(log).prepare("SELECT first, last, data FROM pack ORDER BY first").all();
	return rows as unknown as { first: number; last: number; data: Uint8Array }[];
}

export function setPack(log: Log, first: number, data: Uint8Array): void {
	databaseOf(log).prepare("UPDATE pack SET data = ? WHERE first = ?").run(data, first);
	log.forget();
}

export function blobData(log: Log, name: string): Uint8Array {
	const row = databaseOf(log).prepare("SELECT data FROM blob WHERE hash = ?").get(Buffer.from(name, "hex"));
	return (row as { data: Uint8Array }).data;
}

export function setBlob(log: Log, name: string, data: Uint8Array): void {
	databaseOf(log).prepare("UPDATE blob SET data = ? WHERE hash = ?").run(data, Buffer.from(name, "hex"));
	log.forget();
}
