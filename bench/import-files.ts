/**
 * Made-up sessions of an agent, in its own format, up to a total size. A file of lines may be of any length, so it is one
 * session. A format that must be held in memory is split into many sessions: files of one JSON value, or rows of a database.
 */
import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Format, writeFormat } from "../test/formats/formats.ts";
import type { Script, Step } from "../test/formats/script.ts";
import { random } from "./corpus.ts";

/** Of a session that is not lines. */
const MAX_SESSION_MB = 16;
const STEPS_A_CHUNK = 400;
/** About the size of a step in a database. */
const ROW_BYTES_A_STEP = 2_600;

/** Gives the paths to import. */
export function writeSessions(format: Format, folder: string, megabytes: number): string[] {
	if (format.lines) return [writeLines(format, folder, megabytes * 1e6)];
	const count = Math.ceil(megabytes / MAX_SESSION_MB);
	const steps = Math.ceil((megabytes * 1e6) / count / bytesAStep(format));
	const paths = Array.from({ length: count }, (_, at) =>
		writeFormat(format, folder, madeUp(steps, at), { session: at + 1 }),
	);
	return [...new Set(paths)];
}

function bytesAStep({ whole }: Format): number {
	return whole ? JSON.stringify(whole(madeUp(STEPS_A_CHUNK, 0)), null, 2).length / STEPS_A_CHUNK : ROW_BYTES_A_STEP;
}

/** Piece by piece. */
function writeLines(format: Format, folder: string, bytes: number): string {
	const path = join(folder, format.path);
	const lines = format.lines!;
	mkdirSync(dirname(path), { recursive: true });
	const header = lines([]).length;
	writeFileSync(path, "");
	for (let chunk = 0; statSync(path).size < bytes; chunk++) {
		const written = lines(madeUp(STEPS_A_CHUNK, chunk)).slice(chunk === 0 ? 0 : header);
		const text = written.map((line) => `${JSON.stringify(line)}\n`).join("");
		// Each piece has names of its own.
		appendFileSync(path, text.replaceAll(/"(u|m|e|item_|msg_|call_|resp_|api)(\d+)/g, `"$1${chunk}x$2`));
	}
	return path;
}

const WORDS = "route ledger parcel invoice vessel cargo berth tariff order split merge check count close".split(" ");

function madeUp(steps: number, seed: number): Script {
	const chance = random(seed + 1);
	const words = (count: number) =>
		Array.from({ length: count }, () => WORDS[Math.floor(chance() * WORDS.length)]).join(" ");
	return Array.from({ length: steps }, (_, at): Step => {
		if (at % 12 === 0) return { user: words(12) };
		const act = { do: "run", command: `node ${words(2)}.mjs`, output: words(200), exit: at % 5 === 0 ? 1 : 0 } as const;
		return { answer: words(20), acts: [act], tokens: { input: 100, read: 1_000, output: 50 } };
	});
}
