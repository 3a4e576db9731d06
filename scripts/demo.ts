/**
 * `npm start`: the real Pi with weft repairs a small repository, driven by a scripted model, without key or network; then
 * what weft did, what each mode would have cost, and the inspector on that log. `npm start -- FILE` replays a session of your own. The data goes to
 * a temporary folder, which is kept so that one can look further; the last lines say where it is.
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
		console.error(`Pi has written no session.\n${complaints}`);
		return 1;
	}
	title("What came of it");
	const { wrapWords } = await import("../src/base/text/wrap.ts");
	for (const line of describeOutcome(performance)) console.log(wrapWords(line, process.stdout.columns).join("\n"));
	if (complaints !== "") console.log(`\n${complaints}`);

	const project = ["--home", workspace.home, "--project", workspace.project];
	title("This very session under each mode, compared with Pi's own history");
	weft(["replay", sessionFile, "--window", String(WINDOW_TOKENS)]);
	lookFurther(project, ["log --limit 30", "context --why", "state", "why src/quote.js", "tree", "inspect"]);
	await look(workspace.home, workspace.project, WINDOW_TOKENS);
	return 0;
}

async function replayOwn(file: string): Promise<number> {
	if (!existsSync(file)) {
		console.error(`There is no file ${file}.`);
		return 3;
	}
	const home = mkdtempSync(join(tmpdir(), "weft-demo-"));
	const place = ["--home", home, "--project", ROOT];
	title("Your session goes into a log of its own");
	const status = weft(["import", file, ...place]);
	if (status !== 0) return status;
	weft(["status", ...place]);
	title("What it would have cost under each mode, compared with the host's own history");
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
	title("Look further; everything stays in its folder until you remove it");
	console.log(`export WEFT_HOME=${home}`);
	for (const command of commands) console.log(`npm run -s weft -- ${command} --project ${project}`);
}

/** The inspector on this very log: on a terminal it stays until Ctrl-C. */
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
	title("See it: open this in your browser");
	console.log(inspector.address);
	if (process.stdout.isTTY) {
		console.log(styleText("dim", "Ctrl-C ends."));
		await untilInterrupted((signal) => new Promise((done) => signal.addEventListener("abort", () => done())));
	} else console.log("It was open while this ran. On a terminal it stays until Ctrl-C; later: weft inspect, as above.");
	await inspector.close();
}
