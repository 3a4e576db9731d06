/**
 * Runs a built file and stores its compiled code next to it, for the next process. Node's own cache holds the code as it
 * was before the first line ran, so every process compiles each function again at its first call. This one holds the
 * code as it is when `keep` is called, with every function that has run by then. The stored code is as trusted as the
 * file: anyone who can write to the folder can change both.
 */
import { hash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cachedDataVersionTag } from "node:v8";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";

export interface Compiled {
	readonly exports: unknown;
	/**
	 * Stores the code if none is stored, or the stored code has seen less. `worth`: how much of the code has run, by any
	 * measure.
	 */
	readonly keep: (worth: number) => void;
}

/** Before the code: SHA-256 of the source, the worth, and a checksum of what follows. */
const HEAD_BYTES = 40;

/** `path`: a function of `exports`, `require`, `module` and its own path, in ASCII. Throws what the file throws. */
export function runCompiled(path: string): Compiled {
	const bytes = readFileSync(path);
	const source = hash("sha256", bytes, "buffer");
	const place = `${path}.${cachedDataVersionTag().toString(16)}.code`;
	const kept = readKept(place, source);
	const script = new Script(bytes.toString("latin1"), {
		filename: path,
		cachedData: kept?.code,
		importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
	});
	const known = kept && !script.cachedDataRejected ? kept.worth : -1;
	const module = { exports: {} };
	const run = script.runInThisContext() as (...given: unknown[]) => void;
	run(module.exports, createRequire(path), module, path);
	return {
		exports: module.exports,
		keep: (worth) => {
			if (worth > known) writeKept(place, source, worth, script.createCachedData());
		},
	};
}

function readKept(place: string, source: Buffer): { readonly code: Buffer; readonly worth: number } | undefined {
	try {
		const bytes = readFileSync(place);
		const code = bytes.subarray(HEAD_BYTES);
		const isWhole = bytes.length > HEAD_BYTES && crc32(code) === bytes.readUInt32LE(HEAD_BYTES - 4);
		if (!isWhole || !bytes.subarray(0, source.length).equals(source)) return undefined;
		return { code, worth: bytes.readUInt32LE(source.length) };
	} catch {
		return undefined;
	}
}

/** An unwritable folder stores nothing. */
function writeKept(place: string, source: Buffer, worth: number, code: Buffer): void {
	const head = Buffer.alloc(HEAD_BYTES);
	source.copy(head);
	head.writeUInt32LE(worth, source.length);
	head.writeUInt32LE(crc32(code), HEAD_BYTES - 4);
	const fresh = `${place}.${process.pid}`;
	try {
		writeFileSync(fresh, Buffer.concat([head, code]));
		renameSync(fresh, place);
	} catch {
		// The next process compiles again.
	}
}
