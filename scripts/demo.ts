/**
 * `npm start`: weft at work on a recorded session, without key or network. The data goes to a temporary home, which is
 * kept so that one can look further; the last lines say where it is.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { styleText } from "node:util";

const ROOT = join(import.meta.dirname, "..");
const CLI = join(ROOT, "src", "cli", "main.ts");

const file = process.argv[2] === undefined ? join(ROOT, "demo", "session.jsonl") : resolve(process.argv[2]);
const home = mkdtempSync(join(tmpdir(), "weft-demo-"));
const env = { ...process.env, WEFT_HOME: home };

const steps: readonly [say: string, args: readonly string[]][] = [
	["A recorded session goes into the log, message by message, with what can be told from each.", ["import", shown(file), "--project", "."]],
	["What is there, and how fresh it is.", []],
	["The timeline: what was asked, read, changed, run.", ["log", "--limit", "24"]],
	["Search finds words, parts of identifiers, substrings, and CJK from two characters on.", ["grep", "tide", "--limit", "4"]],
	["Nothing in it was changed since it was written: a hash chain over all events says so.", ["verify"]],
];

for (const [say, args] of steps) {
	console.log(`\n${styleText("dim", `# ${say}`)}\n${styleText("bold", `$ weft ${args.join(" ")}`.trimEnd())}`);
	const { status } = spawnSync(process.execPath, [CLI, ...args], { stdio: "inherit", env, cwd: ROOT });
	if (status !== 0) process.exit(status ?? 1);
}
console.log(`
${styleText("dim", "# Look further; the log of this demonstration stays until you remove its folder:")}
export WEFT_HOME=${home}
npm run -s weft -- log --type FileChanged
npm run -s weft -- show 5
npm run -s weft -- --help`);

function shown(path: string): string {
	const short = relative(ROOT, path);
	return short.startsWith("..") ? path : short;
}
