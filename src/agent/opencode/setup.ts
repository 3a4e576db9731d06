/** weft in opencode: a plugin file in its config folder, and the MCP server in its config. */
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ownVersion, readOwnText } from "../../base/file/package-file.ts";
import { asList, asObject, parseObject } from "../../base/json/read.ts";
import { readForPlan } from "../setup/apply.ts";
import {
	type AgentSetup,
	type Finding,
	type FoundAgent,
	isWeftServer,
	onlyDue,
	type SetupChange,
	type SetupOptions,
	type WeftCommand,
} from "../setup/contract.ts";
import { findAgent, versionFinding } from "../setup/find-program.ts";
import { type JsonEdit, setInJson, valueInJson } from "../setup/json-edit.ts";
import { serverCommand } from "../setup/server-command.ts";

const SERVER_PATH = ["mcp", "weft"];

export const opencodeSetup: AgentSetup = {
	name: "opencode",
	title: "opencode",
	tested: ["1.18.33"],
	folder: folderOf,
	find: (env) => findAgent("opencode", env, folderOf(env)),
	plan(found, options) {
		const file = pluginFile(found);
		const what = "The plugin: the planner's request, and the guard before tools.";
		const plugin: SetupChange = { file, what, before: readForPlan(file), after: opencodePlugin(options.weft) };
		return onlyDue([plugin, ...configChange(found, options)]);
	},
	remarks: (found) => (hasOtherServer(found) ? [`${otherServer(found)}: not changed.`] : []),
	afterwards: () => ["New sessions of opencode load it. 'weft init opencode --undo' reverts everything."],
	headless: (task, args) => ["run", ...args, task],
	command(found, args, { weft, folder, env }) {
		if (readForPlan(pluginFile(found)) !== undefined) return { file: found.program, args, env };
		mkdirSync(folder, { recursive: true });
		const plugin = join(folder, "weft.js");
		writeFileSync(plugin, opencodePlugin(weft));
		const given = parseObject(env["OPENCODE_CONFIG_CONTENT"]) ?? {};
		const plugins = Array.isArray(given["plugin"]) ? given["plugin"] : [];
		const servers = asObject(given["mcp"]);
		const isTaken = hasOtherServer(found) || servers?.["weft"] !== undefined;
		const config = {
			...given,
			plugin: [...plugins, pathToFileURL(plugin).href],
			// The user's own server of this name takes precedence.
			mcp: { ...servers, ...(!isTaken && { weft: serverOf(weft) }) },
		};
		return { file: found.program, args, env: { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) } };
	},
	check(found, options) {
		const untested = "If the plugin gets no answer, opencode sends its own history.";
		return [
			versionFinding("opencode", found, this.tested, untested),
			...installFindings(found, this.plan(found, options)),
		];
	},
};

/** The shipped plugin with the command that starts this weft. */
function opencodePlugin(weft: WeftCommand): string {
	const shipped = readOwnText("plugin", "opencode", "weft.js");
	const command = `const COMMAND = ${JSON.stringify([...weft, "hook", "opencode"])};`;
	const version = `const VERSION = ${JSON.stringify(ownVersion())};`;
	return shipped.replace(
		/^\/\/ 'weft init.*\nconst COMMAND = .*\nconst VERSION = .*$/m,
		() => `${command}\n${version}`,
	);
}

function configChange(found: FoundAgent, { weft }: SetupOptions): SetupChange[] {
	if (hasOtherServer(found)) return [];
	const file = configFile(found);
	const before = readForPlan(file);
	const edits: JsonEdit[] = [{ path: SERVER_PATH, value: serverOf(weft), isOwn: true }];
	const after = setInJson(file, before, edits);
	const what = "Names weft's MCP server, whose tools search and fetch the history.";
	return [{ file, what, before, after, ours: { kind: "json", edits } }];
}

/** The user's own server has our name: it takes precedence, and the model gets none of our tools. */
function hasOtherServer(found: FoundAgent): boolean {
	const server = valueInJson(readForPlan(configFile(found)), SERVER_PATH);
	return server !== undefined && !isWeftServer(asList(asObject(server)?.["command"]).join(" "));
}

function otherServer(found: FoundAgent): string {
	return `${basename(configFile(found))} names another server 'weft'`;
}

function serverOf(weft: WeftCommand): object {
	// By default opencode waits five seconds for a server and then continues without it.
	return { type: "local", command: serverCommand(weft), enabled: true, timeout: 30_000 };
}

function installFindings(found: FoundAgent, changes: readonly SetupChange[]): Finding[] {
	const isOther = hasOtherServer(found);
	const isConfigured = !isOther && valueInJson(readForPlan(configFile(found)), SERVER_PATH) !== undefined;
	if (readForPlan(pluginFile(found)) === undefined && !isConfigured)
		return [
			{
				level: "ok",
				says: "weft is not installed: 'weft init opencode' installs it, 'weft run opencode' tries it",
			},
		];
	const state: Finding =
		changes.length === 0
			? { level: "ok", says: "the plugin is installed" }
			: {
					level: "warn",
					says: "the installed plugin differs from this version's",
					todo: "Run 'weft init opencode'.",
				};
	const server: Finding = {
		level: "warn",
		says: `${otherServer(found)}, so the model has no lcm_ tools`,
		todo: "Rename that server, then run 'weft init opencode'.",
	};
	return [state, ...(isOther ? [server] : [])];
}

function configFile({ folder }: FoundAgent): string {
	const withComments = join(folder, "opencode.jsonc");
	return readForPlan(withComments) === undefined ? join(folder, "opencode.json") : withComments;
}

function pluginFile({ folder }: FoundAgent): string {
	return join(folder, "plugin", "weft.js");
}

function folderOf(env: NodeJS.ProcessEnv): string {
	return join(env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config"), "opencode");
}
