/**
 * The hash chain over shipped events. It is not the log's own: a masked copy has other bytes, and excluded events leave no gap.
 * Each link holds a commitment to the original, keyed by a secret that stays on the machine: a plain hash would let a reader
 * of the masked copy guess a short secret and check the guess. `schema-functions.ts` computes the same in SQL.
 */
import { createHash, hash, randomBytes } from "node:crypto";
import { linkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { readBounded } from "../base/file/regular-file.ts";
import { makePrivateFolder } from "../log/home.ts";

export interface Link {
	readonly project: string;
	readonly log: string;
	readonly n: number;
	readonly seq: number;
	readonly id: string;
	readonly session: string;
	readonly host: string;
	readonly ts: number;
	readonly type: string;
	readonly v: number;
	readonly cause: number | null;
	readonly entry: string | null;
	readonly payload: string;
	readonly proof: Uint8Array;
}

export function fleetHash(before: Uint8Array, link: Link): Buffer {
	const { project, log, n, seq, id, session, host, ts, type, v, cause, entry, payload, proof } = link;
	const text = `${netstring(project)},${log},${n},${seq},${id},${netstring(session)},${netstring(host)},${ts},${netstring(type)},${v},${netstring(cause)},${netstring(entry)},${netstring(payload)}`;
	return createHash("sha256").update(before).update(proof).update(text).digest();
}

/** A text after its length, so that no text can pass for two. */
function netstring(field: string | number | null): string {
	if (field === null) return "-";
	const text = String(field);
	return `${Buffer.byteLength(text)}:${text}`;
}

/** Lets only this machine prove later that a shipped event is this one. */
export function commitment(key: Uint8Array, originalHash: string): Buffer {
	return keyedHash(key, originalHash);
}

const BLOCK_BYTES = 64;
const pads = new WeakMap<Uint8Array, { readonly inner: Buffer; readonly outer: Buffer }>();

/** HMAC-SHA-256 of an ASCII text, in a third of the time of a key object per event. */
export function keyedHash(key: Uint8Array, text: string): Buffer {
	let pad = pads.get(key);
	if (!pad) {
		const xor = (byte: number) => Buffer.alloc(BLOCK_BYTES, byte).map((each, at) => each ^ (key[at] ?? 0)) as Buffer;
		pad = { inner: Buffer.from(xor(0x36)), outer: Buffer.from(xor(0x5c)) };
		pads.set(key, pad);
	}
	const inner = hash("sha256", Buffer.concat([pad.inner, Buffer.from(text, "latin1")]), "buffer");
	return hash("sha256", Buffer.concat([pad.outer, inner]), "buffer");
}

const KEY_BYTES = 32;

/** The secret of this installation, created once per data home. */
export function fleetKey(home: string): Buffer {
	const path = join(home, "fleet.key");
	const known = readKey(path);
	if (known) return known;
	makePrivateFolder(home);
	const mine = `${path}.${process.pid}`;
	try {
		writeFileSync(mine, randomBytes(KEY_BYTES), { mode: 0o600 });
		linkSync(mine, path);
	} catch (cause) {
		// Another process was first: its key counts.
		if ((cause as { code?: string }).code !== "EEXIST") throw cause;
	} finally {
		rmSync(mine, { force: true });
	}
	const key = readKey(path);
	if (!key) throw new EngineError("damaged", `${path} is not a key. Move it away, and weft makes a new one.`);
	return key;
}

function readKey(path: string): Buffer | undefined {
	const reading = readBounded(path, KEY_BYTES);
	return reading.kind === "bytes" && reading.bytes.length === KEY_BYTES ? Buffer.from(reading.bytes) : undefined;
}
