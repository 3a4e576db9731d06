import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../../engine.ts";
import { importFile } from "../../hosts/import.ts";
import { readLines } from "../../hosts/line-reader.ts";
import { formatBytes, formatCount, plural } from "../../text/bytes.ts";
import { type Recovery, recover } from "../../view/recover.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { Progress } from "../progress.ts";

export interface RecoverCommandOptions {
	readonly maxTokens?: string;
}

const MOST_SHOWN = 20;

/** Imports a session into a temporary folder and fetches every byte of it back through the tool. */
export async function run(
	{ out }: Context,
	[path = ""]: readonly string[],
	options: RecoverCommandOptions,
): Promise<ExitCode> {
	const maxTokens = wholeNumber("--max-tokens", options.maxTokens, 100);
	const home = mkdtempSync(join(tmpdir(), "weft-recover-"));
	const progress = new Progress(out.progressStream);
	try {
		const engine = openEngine({ cwd: home, host: "cli", home: join(home, "data"), env: {}, trusted: false });
		try {
			const { kind, malformedCount } = await importFile(path, {
				logFor: () => ({
					append: (events) => engine.log.append(events, { packed: true }),
					read: (query) => engine.log.read(query),
				}),
			});
			const recovery = await recover(engine.log, {
				lines: goodLines(path),
				onProgress: (messages) => progress.say(() => `${formatCount(messages)} messages fetched`),
				...(maxTokens === undefined ? {} : { maxTokens }),
			});
			progress.clear();
			const whole = recovery.missing.length === 0;
			if (out.json) await out.document({ whole, kind, malformed: malformedCount, ...recovery });
			else await out.lines(report(recovery, malformedCount));
			return whole ? EXIT.ok : EXIT.failed;
		} finally {
			engine.close();
		}
	} finally {
		progress.clear();
		rmSync(home, { recursive: true, force: true });
	}
}

/** The lines that an import reads in: objects of JSON. */
async function* goodLines(path: string): AsyncGenerator<{ number: number; text: string }> {
	for await (const { number, text } of readLines(path)) {
		const trimmed = text?.trim() ?? "";
		if (isObject(trimmed)) yield { number, text: trimmed };
	}
}

function isObject(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return value !== null && typeof value === "object" && !Array.isArray(value);
	} catch {
		return false;
	}
}

function* report(
	{ messages, entries, blobs, bytes, pages, missing, lines }: Recovery,
	malformed: number,
): Generator<string> {
	yield `${plural(messages, "message")}, ${plural(entries, "other entry", "other entries")} and ${plural(blobs, "blob")}: ${formatBytes(bytes)} fetched through ${plural(pages, "page")} of lcm_expand.`;
	if (malformed > 0) yield `${plural(malformed, "line")} could not be read in, or not exactly.`;
	if (missing.length === 0) {
		yield `All of ${plural(lines, "line")} came back, byte for byte.`;
		return;
	}
	yield `${plural(missing.length, "thing")} did not come back: ${missing.slice(0, MOST_SHOWN).join(", ")}${missing.length > MOST_SHOWN ? ", …" : ""}`;
}
