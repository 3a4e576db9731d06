/**
 * `weft grep --all` over a thousand sessions in many projects, compared with the bare queries: SQLite itself opens each log and
 * searches the same words, ranked, and where few match also parts of words, as our search does. Compares CPU time, and shows
 * when the first hits appear.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Writable } from "node:stream";
import { zstdDecompressSync } from "node:zlib";
import { gramExpression } from "../src/log/search/grams.ts";
import { Context } from "../src/show/cli/context.ts";
import { runCommand } from "../src/show/cli/frame.ts";
import { Output } from "../src/show/cli/output.ts";
import { makeLargeLog } from "../test/rig/large-log.ts";
import { median, type Ratio } from "./measure.ts";

const PROJECTS = 20;
const SESSIONS = 1_000;
const SESSION_EVENTS = 60;
const WORDS = ["billing", "tariffs calendar", "nothingholdsthis"];
const ROUNDS = 5;
const BOUND = 2;
const LIMIT = 20;

export async function runGrepAllBench({
	onProgress,
}: {
	readonly onProgress: (what: string) => void;
}): Promise<{ readonly ratios: readonly Ratio[] }> {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-grep-"));
	try {
		const home = join(folder, "home");
		for (let at = 0; at < PROJECTS; at++) {
			onProgress(`project ${at + 1} of ${PROJECTS}`);
			const root = join(folder, `project-${at}`);
			mkdirSync(root);
			await makeLargeLog({ home, root, sessions: SESSIONS / PROJECTS, events: SESSION_EVENTS });
		}
		const logs = readdirSync(join(home, "projects")).map((key) => join(home, "projects", key, "log.db"));
		const ratios: Ratio[] = [];
		for (const words of WORDS) {
			onProgress(words);
			ratios.push(await measureRequests(words, logs, home, folder));
		}
		return { ratios };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function measureRequests(words: string, logs: readonly string[], home: string, cwd: string): Promise<Ratio> {
	const rounds: { ours: number; first: number | undefined; bare: number }[] = [];
	for (let round = 0; round <= ROUNDS; round++) {
		const bare = cpu();
		for (const path of logs) askBare(path, words);
		const bareMs = bare();
		const ours = cpu();
		let first: number | undefined;
		const stdout = new Writable({
			write: (_chunk, _encoding, done) => {
				first ??= ours();
				done();
			},
		}) as unknown as NodeJS.WriteStream;
		const out = new Output({ json: false, color: false }, stdout, stdout);
		await runCommand("grep", new Context({ home }, { env: {}, cwd, out }), [words], { all: true });
		// The first round is for warming up.
		if (round > 0) rounds.push({ ours: ours(), first, bare: bareMs });
	}
	const ours = median(rounds.map((each) => each.ours));
	const bare = median(rounds.map((each) => each.bare));
	const first = median(rounds.map((each) => each.first ?? each.ours));
	return {
		name: `grep --all ${words}`,
		beside: `${logs.length} bare queries`,
		ratio: median(rounds.map((each) => each.ours / each.bare)),
		bound: BOUND,
		detail: `${ours.toFixed(0)} ms against ${bare.toFixed(0)} ms of CPU; the first words after ${first.toFixed(0)} ms`,
	};
}

/** The unavoidable work: open the file, search the words, unpack the texts of the hits. */
function askBare(path: string, words: string): void {
	const db = new DatabaseSync(path, { readOnly: true });
	const query = words
		.split(" ")
		.map((word) => `"${word}"`)
		.join(" ");
	const found = db
		.prepare("SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rank LIMIT ?")

		.all(query, LIMIT) as { rowid: number }[];
	// Few hits: the words may be parts of others.
	const grams = words.split(" ").map((word) => gramExpression(word));
	if (found.length < LIMIT)
		found.push(
			...(db
				.prepare("SELECT rowid FROM search_grams WHERE search_grams MATCH ? ORDER BY rowid DESC LIMIT 256")
				.all(grams.join(" AND ")) as { rowid: number }[]),
		);
	const doc = db.prepare("SELECT seq FROM search_doc WHERE id = ?");
	const row = db.prepare("SELECT * FROM event WHERE seq = ?");
	const pack = db.prepare("SELECT first, data FROM pack WHERE ? BETWEEN first AND last");
	const texts = new Map<number, Buffer>();
	for (const { rowid } of found) {
		const { seq } = doc.get(rowid) as { seq: number };
		row.get(seq);
		const { first, data } = (pack.get(seq) ?? {}) as { first?: number; data?: Uint8Array };
		if (first !== undefined && data && !texts.has(first)) texts.set(first, zstdDecompressSync(data));
	}
	db.close();
}

/** Milliseconds of the processor from now on. */
function cpu(): () => number {
	const before = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1_000;
	};
}
