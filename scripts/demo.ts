/**
 * `npm start`: the real Pi with weft repairs a small repository, driven by a scripted model, without a key or a network. Then
 * it shows what weft did and what Pi alone would have cost, and opens the inspector. `npm start -- FILE` replays your own
 * session. The data stays in a temporary folder, which the last lines name.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { styleText } from "node:util";
import { ownVersion } from "../src/base/file/package-file.ts";
import { openEngine } from "../src/engine.ts";
import { projectRoot } from "../src/log/home.ts";
import { untilInterrupted } from "../src/show/cli/interrupt.ts";
import { serve } from "../src/show/inspector/server/serve.ts";

const ROOT = join(import.meta.dirname, "..");
const CLI = join(ROOT, "src", "show", "cli", "main.ts");

const [given] = process.argv.slice(2);
process.exitCode = given === undefined ? await demonstrate() : await replayOwn(resolve(given));

async function demonstrate(): Promise<number> {
	const [{ perform, WINDOW_TOKENS }, { describeOutcome }] = await Promise.all([
		import("./demo/perform.ts"),
		import("./demo/outcome.ts"),
	]);
	title("Pi works on a repository with failing tests; weft keeps the log, guards the\nfiles and weaves the context.");
	const performance = await perform((line) => console.log(line));
	const { workspace, sessionFile, complaints } = performance;
	if (sessionFile === undefined) {
		console.error(`Pi wrote no session.\n${complaints}`);
		return 1;
	}
	title("The outcome");
	const { wrapWords } = await import("../src/base/text/wrap.ts");
	for (const line of describeOutcome(performance)) console.log(wrapWords(line, process.stdout.columns).join("\n"));
	if (complaints !== "") console.log(`\n${complaints}`);

	const project = ["--home", workspace.home, "--project", workspace.project];
	title("What it would have cost without weft");
	console.log(await costSentence(sessionFile, WINDOW_TOKENS));
	lookFurther(project, ["log --limit 30", "context --why", "state", "why src/quote.js", "tree", "inspect"]);
	await look(workspace.home, workspace.project, WINDOW_TOKENS);
	return 0;
}

/** The run was with weft: what it cost is beside what Pi alone would have sent. */
async function costSentence(sessionFile: string, window: number): Promise<string> {
	const [{ openRecording }, { replaySession }, { formatDollars, plural }] = await Promise.all([
		import("../src/replay/recording.ts"),
		import("../src/replay/report.ts"),
		import("../src/base/text/bytes.ts"),
	]);
	const recording = await openRecording(sessionFile);
	try {
		const { billed, modes } = await replaySession(recording, { rows: ["host"], profile: "balanced", window });
		const alone = modes.host?.costDollars ?? 0;
		const compactions = plural(modes.host?.causes["the host compacted"] ?? 0, "compaction");
		return [
			`At the price of a usual model this run cost ${formatDollars(billed.costDollars)}. Pi alone, with ${compactions} of its own, would have`,
			`cost about ${formatDollars(alone)}: weft took ${Math.round(100 * (1 - billed.costDollars / alone))} % off. Long sessions save more.`,
		].join("\n");
	} finally {
		recording.close();
	}
}

async function replayOwn(file: string): Promise<number> {
	if (!existsSync(file)) {
		console.error(`No such file: ${file}`);
		return 3;
	}
	const home = mkdtempSync(join(tmpdir(), "weft-demo-"));
	const place = ["--home", home, "--project", ROOT];
	title("Your session is imported into its own log");
	const status = weft(["import", file, ...place]);
	if (status !== 0) return status;
	weft(["status", ...place]);
	title("What it cost, and would have cost with weft");
	weft(["replay", file]);
	lookFurther(place, ["log --limit 30", "state", "context --why", "grep WORDS", "inspect"]);
	await look(home, ROOT);
	return 0;
}

function weft(args: readonly string[]): number {
	const { status } = spawnSync(process.execPath, [CLI, ...args], { stdio: "inherit", cwd: ROOT });
	return status ?? 1;
}

function title(text: string): void {
	console.log(`\n${styleText("bold", text)}\n`);
}

function lookFurther([, home, , project]: readonly string[], commands: readonly string[]): void {
	title("Explore further; the data stays in its folder until you delete it");
	console.log(`export WEFT_HOME=${home}`);
	for (const command of commands) console.log(`npm run -s weft -- ${command} --project ${project}`);
}

/** Opens the inspector on this log: on a terminal until Ctrl-C. */
async function look(home: string, project: string, window?: number): Promise<void> {
	const open = (cwd: string) => openEngine({ cwd, home, host: "inspector" });
	const root = projectRoot(project);
	const inspector = await serve({
		home,
		root,
		open,
		window,
		port: 0,
		unmasked: false,
		version: ownVersion(),
		now: Date.now,
	});
	title("Open this in your browser");
	console.log(inspector.address);
	if (process.stdout.isTTY) {
		console.log(styleText("dim", "Ctrl-C ends."));
		await untilInterrupted((signal) => new Promise<void>((done) => signal.addEventListener("abort", () => done())));
	} else
		console.log("It closes now. On a terminal it stays open until Ctrl-C; 'weft inspect', as above, opens it again.");
	await inspector.close();
}
