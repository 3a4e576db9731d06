/** weft in opencode: a plugin file in its config folder, and the MCP server in its config. */
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseObject } from "../../base/json/read.ts";
import { readForPlan } from "./apply.ts";
import { findProgram, versionOf } from "./find-program.ts";
import { type JsonEdit, setInJson, valueInJson } from "./json-edit.ts";
import { opencodePlugin } from "./opencode-plugin.ts";
import type { AgentSetup, Change, Finding, Found, PlanOptions, WeftCommand } from "./setup.ts";

export const opencodeSetup: AgentSetup = {
	name: "opencode",
	title: "opencode",
	tested: ["1.18.33"],
	folder: folderOf,
	find(env) {
		const program = findProgram("opencode", env);
		return program === undefined ? undefined : { program, version: versionOf(program, env), folder: folderOf(env) };
	},
	plan(found, options) {
		const file = pluginFile(found);
		const what = "The plugin: the planner's request, and the guard before tools.";
		const plugin: Change = { file, what, before: readForPlan(file), after: opencodePlugin(options.weft) };
		return [plugin, ...configChange(found, options)].filter(({ before, after }) => before !== after);
	},
	afterwards: () => ["New sessions of opencode load it. 'weft init opencode --undo' takes all of it back."],
	command(found, args, { weft, folder, env }) {
		if (readForPlan(pluginFile(found)) !== undefined) return { file: found.program, args, env };
		mkdirSync(folder, { recursive: true });
		const plugin = join(folder, "weft.js");
		writeFileSync(plugin, opencodePlugin(weft));
		const given = parseObject(env["OPENCODE_CONFIG_CONTENT"]) ?? {};
		const plugins = Array.isArray(given["plugin"]) ? given["plugin"] : [];
		const config = {
			...given,
			plugin: [...plugins, pathToFileURL(plugin).href],
			mcp: { ...(given["mcp"] as object | undefined), weft: serverOf(weft) },
		};
		return { file: found.program, args, env: { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) } };
	},
	check(found, options) {
		return [versionFinding(found, this.tested), installFinding(found, this.plan(found, options))];
	},
};

function configChange(found: Found, { weft }: PlanOptions): Change[] {
	const file = configFile(found);
	const before = readForPlan(file);
	const edits: JsonEdit[] = [{ path: ["mcp", "weft"], value: serverOf(weft), isOwn: true }];
	const after = setInJson(file, before, edits);
	const what = "Names weft's MCP server: lcm_grep, lcm_describe, lcm_expand, decide.";
	return [{ file, what, before, after, ours: { kind: "json", edits } }];
}

function serverOf(weft: WeftCommand): object {
	// By default opencode waits five seconds for a server, and goes on without it.
	return { type: "local", command: [...weft, "mcp"], enabled: true, timeout: 30_000 };
}

function versionFinding({ version }: Found, tested: readonly string[]): Finding {
	if (version === undefined)
		return { level: "warn", says: "does not say its version", todo: "Run 'opencode --version'." };
	if (tested.includes(version)) return { level: "ok", says: version };
	return {
		level: "warn",
		says: `${version}, which weft was not tested with`,
		todo: `weft was tested with ${tested.join(", ")}. Where the plugin gets no answer, opencode sends its own history.`,
	};
}

function installFinding(found: Found, changes: readonly Change[]): Finding {
	const isThere = valueInJson(readForPlan(configFile(found)), ["mcp", "weft"]) !== undefined;
	if (readForPlan(pluginFile(found)) === undefined && !isThere)
		return {
			level: "ok",
			says: "weft is not installed in it: 'weft init opencode' does, 'weft run opencode' tries it",
		};
	if (changes.length === 0) return { level: "ok", says: "the plugin is installed" };
	return { level: "warn", says: "installed, and not as this version has it", todo: "Run 'weft init opencode'." };
}

function configFile({ folder }: Found): string {
	const names = ["opencode.jsonc", "opencode.json"].map((name) => join(folder, name));
	return names.find((name) => readForPlan(name) !== undefined) ?? names[1]!;
}

function pluginFile({ folder }: Found): string {
	return join(folder, "plugin", "weft.js");
}

function folderOf(env: NodeJS.ProcessEnv): string {
	return join(env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config"), "opencode");
}
