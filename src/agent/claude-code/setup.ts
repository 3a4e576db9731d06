/** weft in Claude Code: a plugin in a local marketplace folder, named in the user's settings. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { writeAtomically } from "../../base/file/atomic-write.ts";
import { asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import { quoteWord } from "../../base/shell/quote-word.ts";
import type { SealSetting } from "../../context/seal/policy.ts";
import { readForPlan } from "../setup/apply.ts";
import {
	type AgentSetup,
	type Finding,
	type FoundAgent,
	onlyDue,
	type SetupChange,
	type SetupOptions,
} from "../setup/contract.ts";
import { findAgent, versionFinding } from "../setup/find-program.ts";
import { type JsonEdit, setInJson, valueInJson } from "../setup/json-edit.ts";
import { claudePluginFiles, PLUGIN_FOLDER } from "./setup-plugin.ts";

/** Claude Code compacts about 33,000 tokens below its window: at 100,000, which is where weft would. */
const COMPACT_WINDOW_TOKENS = 133_000;
const RESERVED_TOKENS = 33_000;
/** Claude Code takes the model's own window where that is smaller. Without any number it does not compact smaller ones. */
const WHOLE_WINDOW_TOKENS = 1_000_000;
const COMPACT_WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";
/** The plugin and its marketplace. */
const PLUGIN = "weft@weft";

export const claudeSetup: AgentSetup = {
	name: "claude",
	title: "Claude Code",
	tested: ["2.1.325"],
	folder: folderOf,
	find: (env) => findAgent("claude", env, folderOf(env)),
	plan(found, options) {
		const market = marketplaceOf(options);
		const files = claudePluginFiles(options.weft).map(({ path, text }): SetupChange => {
			const file = join(market, path);
			return { file, what: `Part of the plugin for Claude Code (${path}).`, before: readForPlan(file), after: text };
		});
		return onlyDue([...files, settingsChange(found, options, market)]);
	},
	afterwards: () => [
		"New sessions of Claude Code load the plugin; running ones do not.",
		"/weft:status in Claude Code shows what is recorded. 'weft init claude --undo' reverts everything.",
	],
	async proxied(_found, { env, seal }) {
		if (env["CLAUDE_CODE_USE_BEDROCK"] || env["CLAUDE_CODE_USE_VERTEX"])
			return { why: "Bedrock and Vertex use another protocol and address." };
		const own = Number(env[COMPACT_WINDOW]) || undefined;
		const window = own ?? compactWindow(seal);
		const threshold = ["--threshold", String(window - RESERVED_TOKENS)];
		const shares = own === undefined || own >= WHOLE_WINDOW_TOKENS ? [] : ["--window", String(own)];
		const upstream = env["ANTHROPIC_BASE_URL"];
		const to = upstream ? ["--upstream", upstream] : [];
		return { args: ["--for", "claude", ...threshold, ...shares, ...to] };
	},
	headless: (task, args) => [...args, "-p", task],
	command(found, args, { weft, folder, proxy, env, seal }) {
		for (const { path, text } of claudePluginFiles(weft)) {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), text);
		}
		const load = isInstalled(found) ? [] : ["--plugin-dir", join(folder, PLUGIN_FOLDER)];
		return {
			file: found.program,
			args: [...load, ...args],
			env: {
				[COMPACT_WINDOW]: String(compactWindow(seal)),
				...env,
				...(proxy !== undefined && {
					ANTHROPIC_BASE_URL: proxy,
					WEFT_PROXY: proxy,
					...(env["ANTHROPIC_BASE_URL"] && { WEFT_UPSTREAM: env["ANTHROPIC_BASE_URL"] }),
				}),
			},
		};
	},
	forget(folder, dataHome) {
		const plugins = join(folder, "plugins");
		let isOurs = false;
		takeFromList(join(plugins, "known_marketplaces.json"), ({ weft, ...others }) => {
			isOurs = asObject(weft)?.["installLocation"] === marketplaceOf({ dataHome });
			return isOurs ? others : undefined;
		});
		// The user may have the plugin from another marketplace of this name.
		if (!isOurs) return;
		takeFromList(join(plugins, "installed_plugins.json"), (list) => {
			const { [PLUGIN]: installed, ...others } = asObject(list["plugins"]) ?? {};
			return installed === undefined ? undefined : { ...list, plugins: others };
		});
		rmSync(join(plugins, "data", "weft-weft"), { recursive: true, force: true });
	},
	check(found, options) {
		const untested = "With another version it leaves alone what it cannot do.";
		return [versionFinding("claude", found, this.tested, untested), installFinding(found, this.plan(found, options))];
	},
};

/** Claude Code compacts early to save money, unless the user wants its window used. */
function compactWindow(seal: SealSetting = "auto"): number {
	return seal === "auto" || seal === "thrift" ? COMPACT_WINDOW_TOKENS : WHOLE_WINDOW_TOKENS;
}

function settingsChange(found: FoundAgent, options: SetupOptions, market: string): SetupChange {
	const file = join(found.folder, "settings.json");
	const before = readForPlan(file);
	const source = { source: "directory", path: market };
	const edits: JsonEdit[] = [
		{ path: ["extraKnownMarketplaces", "weft"], value: { source }, isOwn: true },
		{ path: ["enabledPlugins", PLUGIN], value: true, isOwn: true },
	];
	const what = ["Names the plugin's folder and turns the plugin on."];
	if (options.compaction !== false && valueInJson(before, ["autoCompactWindow"]) === undefined) {
		edits.push({ path: ["autoCompactWindow"], value: COMPACT_WINDOW_TOKENS });
		what.push(`Compacts at about 100,000 tokens (autoCompactWindow ${COMPACT_WINDOW_TOKENS}).`);
	}
	if (options.statusLine && valueInJson(before, ["statusLine"]) === undefined) {
		const command = [...options.weft, "status", "--line"].map(quoteWord).join(" ");
		edits.push({ path: ["statusLine"], value: { type: "command", command } });
		what.push("Shows weft's status line.");
	}
	const after = setInJson(file, before, edits);
	const ours: JsonEdit[] = [...edits, ...earlierEdits(before, edits)];
	return { file, what: what.join(" "), before, after, ours: { kind: "json", edits: ours } };
}

/** Values that an earlier `weft init` set and that this plan leaves as they are: undo removes them too. */
function earlierEdits(before: string | undefined, edits: readonly JsonEdit[]): JsonEdit[] {
	const isPlanned = edits.some(({ path }) => path[0] === "autoCompactWindow");
	const window = valueInJson(before, ["autoCompactWindow"]);
	const isOurs = !isPlanned && window === COMPACT_WINDOW_TOKENS;
	return isOurs ? [{ path: ["autoCompactWindow"], value: window }] : [];
}

function isInstalled(found: FoundAgent): boolean {
	const text = readForPlan(join(found.folder, "settings.json"));
	return asObject(valueInJson(text, ["enabledPlugins"]))?.[PLUGIN] === true;
}

function installFinding(found: FoundAgent, changes: readonly SetupChange[]): Finding {
	if (!isInstalled(found))
		return { level: "ok", says: "weft is not installed: 'weft init claude' installs it, 'weft run claude' tries it" };
	if (changes.length === 0) return { level: "ok", says: "the plugin is installed" };
	return {
		level: "warn",
		says: "the installed plugin differs from this version's",
		todo: "Run 'weft init claude'.",
	};
}

/** Claude Code writes these lists itself, when it loads a plugin. `without`: undefined if there is nothing to take out. */
function takeFromList(file: string, without: (list: JsonObject) => JsonObject | undefined): void {
	try {
		const list = parseObject(readForPlan(file));
		const rest = list && without(list);
		if (rest) writeAtomically(file, JSON.stringify(rest, null, 2));
	} catch {
		// A list that cannot be changed names a folder that is gone: Claude Code skips it.
	}
}

function marketplaceOf({ dataHome }: Pick<SetupOptions, "dataHome">): string {
	return join(dataHome, "agents", "claude-code");
}

function folderOf(env: NodeJS.ProcessEnv): string {
	return env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude");
}
