/** weft in Claude Code: a plugin from a marketplace folder on this machine, named in the user's settings. */
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { asObject } from "../../base/json/read.ts";
import { readForPlan } from "./apply.ts";
import { claudePluginFiles, PLUGIN_FOLDER, quoted } from "./claude-plugin.ts";
import { findProgram, versionOf } from "./find-program.ts";
import { type JsonEdit, setInJson, valueInJson } from "./json-edit.ts";
import type { AgentSetup, Change, Finding, Found, PlanOptions, RunPlace, Start } from "./setup.ts";

/** Claude Code compacts about 33,000 tokens below: at 100,000, which is where weft would. */
const COMPACT_WINDOW_TOKENS = 133_000;
const RESERVED_TOKENS = 33_000;
const COMPACT_WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";

export const claudeSetup: AgentSetup = {
	name: "claude",
	title: "Claude Code",
	tested: ["2.1.325"],
	folder: folderOf,
	find(env) {
		const program = findProgram("claude", env);
		return program === undefined ? undefined : { program, version: versionOf(program, env), folder: folderOf(env) };
	},
	plan(found, options) {
		const market = marketplaceOf(options);
		const files = claudePluginFiles(options.weft).map(({ path, text }): Change => {
			const file = join(market, path);
			return { file, what: `Part of the plugin for Claude Code (${path}).`, before: readForPlan(file), after: text };
		});
		return [...files, ...settingsChange(found, options, market)].filter(({ before, after }) => before !== after);
	},
	afterwards: () => [
		"New sessions of Claude Code load the plugin; those that run now do not.",
		"/weft:status in Claude Code says what is recorded. 'weft init claude --undo' takes all of it back.",
	],
	async proxied(_found, { env }) {
		if (env["CLAUDE_CODE_USE_BEDROCK"] || env["CLAUDE_CODE_USE_VERTEX"])
			return { why: "Bedrock and Vertex speak another protocol to another address." };
		const window = Number(env[COMPACT_WINDOW]) || COMPACT_WINDOW_TOKENS;
		const upstream = env["ANTHROPIC_BASE_URL"];
		const to = upstream ? ["--upstream", upstream] : [];
		return { args: ["--for", "claude", "--threshold", String(window - RESERVED_TOKENS), ...to] };
	},
	command(found, args, { weft, folder, proxy, env }: RunPlace): Start {
		for (const { path, text } of claudePluginFiles(weft)) {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), text);
		}
		const load = isInstalled(found) ? [] : ["--plugin-dir", join(folder, PLUGIN_FOLDER)];
		return {
			file: found.program,
			args: [...load, ...args],
			env: {
				[COMPACT_WINDOW]: String(COMPACT_WINDOW_TOKENS),
				...env,
				...(proxy !== undefined && { ANTHROPIC_BASE_URL: proxy, WEFT_PROXY: proxy }),
			},
		};
	},
	check(found, options) {
		return [versionFinding(found, this.tested), installFinding(found, options, this.plan(found, options))];
	},
};

function settingsChange(found: Found, options: PlanOptions, market: string): Change[] {
	const file = join(found.folder, "settings.json");
	const before = readForPlan(file);
	const source = { source: "directory", path: market };
	const edits: JsonEdit[] = [
		{ path: ["extraKnownMarketplaces", "weft"], value: { source }, isOwn: true },
		{ path: ["enabledPlugins", "weft@weft"], value: true, isOwn: true },
	];
	const told = ["Names the plugin's folder and turns the plugin on."];
	if (options.compaction !== false && valueInJson(before, ["autoCompactWindow"]) === undefined) {
		edits.push({ path: ["autoCompactWindow"], value: COMPACT_WINDOW_TOKENS });
		told.push(`Compacts at about 100,000 tokens (autoCompactWindow ${COMPACT_WINDOW_TOKENS}).`);
	}
	if (options.statusLine && valueInJson(before, ["statusLine"]) === undefined) {
		const command = [...options.weft, "status", "--line"].map(quoted).join(" ");
		edits.push({ path: ["statusLine"], value: { type: "command", command } });
		told.push("Shows weft's status line.");
	}
	const after = setInJson(file, before, edits);
	// Values of a plan before this one, too: they are ours.
	const ours = edits.concat(valuesOfOurs(before, edits));
	return [{ file, what: told.join(" "), before, after, ours: { kind: "json", edits: ours } }];
}

/** What an earlier `weft init` set and this plan finds set. */
function valuesOfOurs(before: string | undefined, edits: readonly JsonEdit[]): JsonEdit[] {
	const isIn = (key: string) => edits.some(({ path }) => path[0] === key);
	const window = valueInJson(before, ["autoCompactWindow"]);
	const isOurs = !isIn("autoCompactWindow") && window === COMPACT_WINDOW_TOKENS;
	return isOurs ? [{ path: ["autoCompactWindow"], value: window }] : [];
}

function isInstalled(found: Found): boolean {
	const text = readForPlan(join(found.folder, "settings.json"));
	return asObject(valueInJson(text, ["enabledPlugins"]))?.["weft@weft"] === true;
}

function versionFinding({ version }: Found, tested: readonly string[]): Finding {
	if (version === undefined)
		return { level: "warn", says: "does not say its version", todo: "Run 'claude --version'." };
	if (tested.includes(version)) return { level: "ok", says: version };
	const todo = `weft was tested with ${tested.join(", ")}. What it cannot do with another version it leaves alone.`;
	return { level: "warn", says: `${version}, which weft was not tested with`, todo };
}

function installFinding(found: Found, _options: PlanOptions, changes: readonly Change[]): Finding {
	if (!isInstalled(found))
		return { level: "ok", says: "weft is not installed in it: 'weft init claude' does, 'weft run claude' tries it" };
	if (changes.length === 0) return { level: "ok", says: "the plugin is installed" };
	return {
		level: "warn",
		says: "the plugin is installed, and not as this version has it",
		todo: "Run 'weft init claude'.",
	};
}

function marketplaceOf({ dataHome }: PlanOptions): string {
	return join(dataHome, "agents", "claude-code");
}

function folderOf(env: NodeJS.ProcessEnv): string {
	return env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude");
}
