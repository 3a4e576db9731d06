import { closeSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { SEED_TOKENS } from "../../context/seal/rule.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../context/section/budget.ts";
import { EngineError } from "../../error/engine-error.ts";
import { Dump, openForWriting, refuseSame } from "../../replay/dump.ts";
import { MODE_NAMES, type ModeName } from "../../replay/modes.ts";
import { renderPage } from "../../replay/page.ts";
import { replayFile } from "../../replay/replay.ts";
import { tellReplay } from "../../replay/table.ts";
import { formatCount } from "../../text/bytes.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { Progress } from "../progress.ts";

export interface ReplayCommandOptions {
	readonly mode?: string;
	readonly model?: string;
	readonly window?: string;
	readonly profile?: string;
	readonly dump?: string;
	readonly html?: string;
	readonly sweep?: boolean;
}

const PROFILES = Object.keys(SEED_TOKENS) as (keyof typeof SEED_TOKENS)[];
const LEAST_WINDOW_TOKENS = 20_000;

export async function run(
	context: Context,
	[file = ""]: readonly string[],
	options: ReplayCommandOptions,
): Promise<ExitCode> {
	const { out, cwd } = context;
	const path = resolve(cwd, file);
	const modes = modesOf(options.mode);
	const window = wholeNumber("--window", options.window, LEAST_WINDOW_TOKENS) ?? DEFAULT_WINDOW_TOKENS;
	const profile = oneOf("--profile", options.profile, PROFILES) ?? context.readSettings().settings.profile;
	const htmlPath = options.html === undefined ? undefined : resolve(cwd, options.html);
	if (htmlPath !== undefined) refuseSame(htmlPath, path);
	const dump = options.dump === undefined ? undefined : new Dump(resolve(cwd, options.dump), path);
	const progress = new Progress(out.progressStream);
	try {
		const report = await replayFile(path, {
			modes,
			window,
			profile,
			sweep: options.sweep ?? false,
			...(options.model === undefined ? {} : { model: options.model }),
			...(dump ? { onRequest: (mode, call, request, tokens) => dump.add(mode, call, request, tokens) } : {}),
			onProgress: (what, done, total) => progress.say(() => `${what}: ${formatCount(done)} of ${formatCount(total)}`),
		});
		progress.clear();
		if (htmlPath !== undefined) writePage(htmlPath, renderPage(report));
		if (out.json) await out.document(report);
		else await out.lines(tellReplay(report, { width: out.columns, dim: (text) => out.paint("dim", text) }));
		for (const written of [options.dump, options.html]) if (written !== undefined) out.talk(`Written to ${written}`);
		const invalid = Object.values(report.modes).reduce((sum, mode) => sum + mode.invalid, 0);
		return invalid > 0 ? EXIT.failed : EXIT.ok;
	} finally {
		progress.clear();
		dump?.close();
	}
}

function modesOf(given: string | undefined): readonly ModeName[] {
	if (given === undefined) return MODE_NAMES;
	const names = given.split(",").map((name) => name.trim());
	const modes = names.flatMap((name) => MODE_NAMES.find((mode) => mode === name) ?? []);
	if (modes.length === names.length && modes.length > 0) return [...new Set(modes)];
	throw new EngineError("usage", `--mode takes ${MODE_NAMES.join(", ")}, separated by commas, not '${given}'.`);
}

function writePage(path: string, page: string): void {
	const file = openForWriting(path);
	try {
		writeFileSync(file, page);
	} finally {
		closeSync(file);
	}
}
