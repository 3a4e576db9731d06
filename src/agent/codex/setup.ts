/** weft in Codex: the MCP server in config.toml, and hooks in hooks.json, which run once the user has trusted them. */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { EngineError } from "../../base/error/engine-error.ts";
import { ownModule, ownPath, readOwnText } from "../../base/file/package-file.ts";
import { asList, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { quoteWord } from "../../base/shell/quote-word.ts";
import { readForPlan } from "../setup/apply.ts";
import {
	type AgentSetup,
	type Finding,
	type FoundAgent,
	isWeftServer,
	onlyDue,
	type Provider,
	type SetupChange,
	type SetupOptions,
	type WeftCommand,
} from "../setup/contract.ts";
import { findAgent, versionFinding } from "../setup/find-program.ts";
import { type JsonEdit, setInJson, takeFromJson, valueInJson } from "../setup/json-edit.ts";
import { nodeProgram } from "../setup/node-program.ts";
import { serverCommand } from "../setup/server-command.ts";
import { withoutTable } from "../setup/toml-table.ts";
import { BUILT_IN, providerOf, withoutSetting } from "./setup-provider.ts";
import { serversIn } from "./setup-servers.ts";
import { type PlacedHook, trustInSession, trustOf } from "./setup-trust.ts";

const MARK = "# weft. 'weft init codex --undo' removes this.";
const SERVER = "weft";
const TABLE = `mcp_servers.${SERVER}`;

const HOOK_SCRIPT = quoteWord(ownPath("plugin", "weft-hook.sh"));
/** The first version 0.x whose arguments we tried hooks in. */
const SESSION_HOOKS_MINOR = 166;

const OTHER_SERVER = `config.toml names another server '${SERVER}'`;

export const codexSetup: AgentSetup = {
	name: "codex",
	title: "Codex",
	tested: ["0.166.0"],
	folder: folderOf,
	find: (env) => findAgent("codex", env, folderOf(env)),
	plan: (found, options) =>
		onlyDue([...serverChange(found, options), hooksChange(found, options), goneChange(options)]),
	remarks: (found, options) => (hasOtherServer(found, options) ? [`${OTHER_SERVER}: not changed.`] : []),
	afterwards: () => [
		"Codex runs the hooks only after you have trusted them. Start 'codex' once: it says 'Hooks need review'.",
		"Choose 'Trust all and continue', or review them first. 'codex exec' does not ask and skips them.",
		"'weft doctor' shows whether they are trusted.",
		"'weft init codex --undo' reverts everything.",
	],
	async proxied(found, session) {
		const asked = await providerOf(found, session);
		if ("why" in asked) return asked;
		const { provider, window, threshold } = asked;
		const sizes = Object.entries({ "--window": window, "--threshold": threshold });
		const args = [
			...["--for", "codex", "--upstream", new URL(provider.url).origin],
			...sizes.flatMap(([flag, tokens]) => (tokens === undefined ? [] : [flag, String(tokens)])),
		];
		const noKey = provider.name === undefined ? whyNoKey(found, session.env, provider) : undefined;
		if (noKey !== undefined) return { why: noKey };
		const which = provider.name === undefined ? "built-in provider" : `provider '${provider.name}'`;
		if (!provider.isOpaque) return { args, provider, says: `${which}: recorded, and sealed as text.` };
		// An opaque item of ours ties the session to weft.
		if (session.opaqueSeals)
			return { args, provider, says: `${which}: recorded and sealed; from then on it works only with weft.` };
		const says = `${which}: recorded, not sealed. See --opaque-seals.`;
		return { args: [...args, "--record-only"], provider, says };
	},
	headless: (task, args) => ["exec", ...args, task],
	command(found, args, { weft, proxy, provider, env }) {
		const isNamed = namesServer(readForPlan(join(found.folder, "config.toml")) ?? "");
		const server = isNamed ? [] : [`mcp_servers.${SERVER}=${inline(serverOf(weft))}`];
		const through = proxy === undefined || !provider ? undefined : addressThrough(provider, proxy);
		const hooks = sessionHooks(found, { weft, env });
		const set = [...server, ...hooks.settings, ...(through ? [`${through.key}=${toml(through.address)}`] : [])];
		// An address among the arguments is the proxy's upstream.
		const rest = through ? withoutSetting(args, through.key) : args;
		return { file: found.program, args: [...set.flatMap((each) => ["-c", each]), ...rest], env, says: hooks.says };
	},
	check(found, options) {
		const untested = "With another version the proxy only records.";
		return [
			versionFinding("codex", found, this.tested, untested),
			...installFindings(found, options, this.plan(found, options)),
		];
	},
};

function serverChange(found: FoundAgent, { weft, env }: SetupOptions): SetupChange[] {
	const file = join(found.folder, "config.toml");
	const before = readForPlan(file);
	const lines = Object.entries(serverOf(weft)).map(([key, value]) => `${key} = ${toml(value)}`);
	const block = `${[MARK, `[${TABLE}]`, ...lines].join("\n")}\n`;
	// Codex may have added to the file after our block.
	if (before?.includes(block)) return [];
	const gapOf = (text: string) => (text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n");
	const rest = withoutTable(before ?? "", { mark: MARK, name: TABLE, gap: "\n" });
	const gap = gapOf(rest);
	const after = `${rest}${gap}${block}`;
	const now = serversIn(rest, found, env);
	if (now.kind === "refused")
		throw new EngineError(
			"bad-config",
			`Codex cannot read ${file}, ${now.says}. Correct it first; nothing was written.`,
		);
	// The user has a server of this name: it takes precedence.
	if (now.kind === "named" ? now.commands.has(SERVER) : namesServer(rest)) return [];
	const then = serversIn(after, found, env);
	if (then.kind === "refused" || (then.kind === "named" && !then.commands.has(SERVER)))
		throw new EngineError(
			"bad-config",
			`${file} defines its servers in one inline value, which weft cannot extend. Nothing was written. Add this by hand: ${SERVER} = { ${lines.join(", ")} }`,
		);
	const what = "Names weft's MCP server, whose tools search and fetch the history.";
	return [{ file, what, before, after, ours: { kind: "table", table: { mark: MARK, name: TABLE, gap } } }];
}

/** The user's own server has our name: it takes precedence, and the model gets none of our tools. */
function hasOtherServer(found: FoundAgent, { env }: SetupOptions): boolean {
	const text = readForPlan(join(found.folder, "config.toml")) ?? "";
	const rest = withoutTable(text, { mark: MARK, name: TABLE, gap: "\n" });
	if (!rest.includes(SERVER)) return false;
	const servers = serversIn(rest, found, env);
	const command = servers.kind === "named" ? servers.commands.get(SERVER) : undefined;
	return command !== undefined && !isWeftServer(command);
}

/** Codex passes a server only the variables that are named. */
function serverOf(weft: WeftCommand): Readonly<Record<string, unknown>> {
	const [command, ...args] = serverCommand(weft);
	return { command, args, env_vars: ["CODEX_HOME", "WEFT_HOME", "XDG_DATA_HOME"] };
}

/** On a prompt to recall, around a tool to judge and to bound, before a compaction and at the end to write memory. */
const HOOKS = [
	["UserPromptSubmit", 20, undefined],
	["PreToolUse", 20, "apply_patch|Bash"],
	["PostToolUse", 20, "apply_patch|Bash"],
	["PreCompact", 20, undefined],
	["Stop", 20, undefined],
	// Codex does not wait longer when it exits.
	["SessionEnd", 3, undefined],
] as const;

function hooksChange(found: FoundAgent, options: SetupOptions): SetupChange {
	const file = join(found.folder, "hooks.json");
	const before = readForPlan(file);
	if (before !== undefined && before.trim() !== "" && !isStrictJson(before))
		throw new EngineError(
			"bad-config",
			`Codex cannot read ${file}: it is not strict JSON. Remove comments and trailing commas first; nothing was written.`,
		);
	const edits = HOOKS.map(([event, seconds, matcher]): JsonEdit => {
		const value = { ...(matcher && { matcher }), hooks: [handler(options, event, seconds)] };
		return { path: ["hooks", event], value, isItem: true };
	});
	const isCurrent = (group: unknown) => edits.some(({ value }) => isDeepStrictEqual(group, value));
	// Hooks of a weft at another path.
	const older = HOOKS.flatMap(([event]) =>
		asList(valueInJson(before, ["hooks", event])).flatMap((value): JsonEdit[] =>
			isOurs(value) && !isCurrent(value) ? [{ path: ["hooks", event], value, isItem: true }] : [],
		),
	);
	const rest = before === undefined ? undefined : (takeFromJson(before, older, undefined)?.text ?? before);
	const after = setInJson(file, rest, edits);
	const what = "Hooks: no edit of a file that changed unseen, no endless output. They run once you trust them.";
	return { file, what, before, after, ours: { kind: "json", edits } };
}

/**
 * For one session, hooks can come with the arguments, beside those of the user's files. Whoever runs `weft run codex` asks for
 * them, so they come with the trust that a person would give them: for these commands alone.
 */
function sessionHooks(
	found: FoundAgent,
	{ weft, env }: Pick<SetupOptions, "weft" | "env">,
): { readonly settings: readonly string[]; readonly says?: string | undefined } {
	const installed = readForPlan(join(found.folder, "hooks.json"));
	if (placedHooks(installed).length > 0) {
		const { level, says, todo } = trustFinding(found, installed);
		return { settings: [], says: level === "ok" ? undefined : `${says}. ${todo}` };
	}
	if (!takesSessionHooks(found.version))
		return { settings: [], says: "no edit is guarded: this Codex takes no hooks." };
	const command = hookCommand(weft, env);
	const hooks = HOOKS.map(([event, seconds, matcher]): PlacedHook => ({ event, group: 0, matcher, command, seconds }));
	const groups = hooks.map(({ event, matcher, seconds }) => {
		const group = { ...(matcher && { matcher }), hooks: [{ type: "command", command, timeout: seconds }] };
		return `hooks.${event}=[${tomlValue(group)}]`;
	});
	return { settings: [...groups, `hooks.state=${tomlValue(trustInSession(hooks))}`] };
}

/** Windows has no shell for them. */
function takesSessionHooks(version: string | undefined): boolean {
	const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
	return process.platform !== "win32" && (major > 0 || minor >= SESSION_HOOKS_MINOR);
}

/** Codex skips a file with comments without a word: it would run no hook and never ask for trust. */
function isStrictJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

/**
 * Codex asks for trust again when the command changes, so it names only files that an update leaves in place. A weft that was
 * removed says so at a prompt, and does nothing else: some shells would exit with 2, by which Codex refuses the call.
 */
function handler(options: SetupOptions, event: string, timeout: number): JsonObject {
	const gone = quoteWord(goneFile(options));
	const test = `test -r ${HOOK_SCRIPT} || { test ! -r ${gone} || sh ${gone}; exit 0; };`;
	const command = hookCommand(options.weft, options.env, event === "UserPromptSubmit" ? test : undefined);
	return { type: "command", command, timeout };
}

/** `test`: what happens first. */
function hookCommand(weft: WeftCommand, env: NodeJS.ProcessEnv, test = `test ! -r ${HOOK_SCRIPT} ||`): string {
	const words = [...byFiles(weft, env), "hook", "codex"].map(quoteWord).join(" ");
	return `${test} sh ${HOOK_SCRIPT} ${words}`;
}

/** Beside weft's data, because it answers when weft's own files are gone. */
function goneFile({ dataHome }: SetupOptions): string {
	return join(dataHome, "agents", "codex", "weft-gone.sh");
}

function goneChange(options: SetupOptions): SetupChange {
	const file = goneFile(options);
	const what = "Tells you in Codex, once in a session, if weft was removed.";
	return { file, what, before: readForPlan(file), after: readOwnText("plugin", "weft-gone.sh") };
}

/** A command on the PATH may be started with another Node. */
function byFiles([program, ...args]: WeftCommand, env: NodeJS.ProcessEnv): readonly string[] {
	const main = program === "weft" ? ownModule("show/cli/main") : undefined;
	return main === undefined ? [program, ...args] : [nodeProgram(env), main, ...args];
}

function isOurs(group: unknown): boolean {
	return asList(asObject(group)?.["hooks"]).some((each) =>
		/(?:\bweft\b|\/cli\/main\.[jt]s).*\bhook codex$/.test(asText(asObject(each)?.["command"]) ?? ""),
	);
}

/**
 * Changes only the address. Codex writes the provider's name into its session, and cannot open or list the session without
 * that provider: it must never be a name of ours.
 */
function addressThrough({ name, url }: Provider, proxy: string): { readonly key: string; readonly address: string } {
	const address = `${proxy}${new URL(url).pathname.replace(/\/$/, "")}`;
	return { key: name === undefined ? "openai_base_url" : `model_providers.${name}.base_url`, address };
}

/** Undefined: Codex has a key, or an address that the user has named. */
function whyNoKey({ program }: FoundAgent, env: NodeJS.ProcessEnv, { url }: Provider): string | undefined {
	const { stdout, stderr } = spawnSync(program, ["login", "status"], { env, encoding: "utf8", timeout: 20_000 });
	const said = `${stdout ?? ""}${stderr ?? ""}`;
	// A login takes precedence over a key in the environment. Codex asks which address the workspace has; one of ours would skip that.
	if (/ChatGPT/i.test(said) && url === BUILT_IN) return "With a ChatGPT login Codex finds its address by itself.";
	if (/ChatGPT/i.test(said)) return undefined;
	if (/API key/i.test(said) || env["CODEX_API_KEY"] || env["OPENAI_API_KEY"]) return undefined;
	return "Codex has no API key.";
}

/** Only in the spelling that Codex and weft write. */
function namesServer(text: string): boolean {
	return /^\s*\[mcp_servers\.weft\]/m.test(text);
}

function installFindings(found: FoundAgent, options: SetupOptions, changes: readonly SetupChange[]): Finding[] {
	const hooks = readForPlan(join(found.folder, "hooks.json"));
	const isInstalled = HOOKS.some(([event]) => asList(valueInJson(hooks, ["hooks", event])).some(isOurs));
	if (!isInstalled)
		return [{ level: "ok", says: "weft is not installed: 'weft init codex' installs it, 'weft run codex' tries it" }];
	const isOther = hasOtherServer(found, options);
	const state: Finding =
		changes.length === 0
			? { level: "ok", says: isOther ? "hooks are installed" : "server and hooks are installed" }
			: { level: "warn", says: "the installed hooks differ from this version's", todo: "Run 'weft init codex'." };
	const server: Finding = {
		level: "warn",
		says: `${OTHER_SERVER}, so the model has no lcm_ tools`,
		todo: "Rename that server, then run 'weft init codex'.",
	};
	return [state, ...(isOther ? [server] : []), trustFinding(found, hooks)];
}

function trustFinding(found: FoundAgent, hooks: string | undefined): Finding {
	const config = readForPlan(join(found.folder, "config.toml")) ?? "";
	const states = placedHooks(hooks).map((hook) => trustOf(hook, found.folder, config));
	if (states.every((state) => state === "trusted")) return { level: "ok", says: "hooks are trusted" };
	if (states.includes("off"))
		return {
			level: "warn",
			says: "hooks are turned off, so they do not run",
			todo: "Turn them on with /hooks in Codex.",
		};
	const why = states.includes("changed") ? "hooks were changed since you trusted them" : "hooks are not trusted yet";
	return { level: "warn", says: `${why}, so they do not run`, todo: "Start Codex: it asks. Choose 'Trust all'." };
}

/** Our hooks, with their positions among the user's. */
function placedHooks(text: string | undefined): PlacedHook[] {
	return HOOKS.flatMap(([event]) =>
		asList(valueInJson(text, ["hooks", event])).flatMap((each, group) => {
			const of = asObject(each);
			const hook = asObject(asList(of?.["hooks"])[0]);
			if (!of || !hook || !isOurs(each)) return [];
			const command = asText(hook["command"]) ?? "";
			return [{ event, group, matcher: asText(of["matcher"]), command, seconds: asNumber(hook["timeout"]) ?? 0 }];
		}),
	);
}

function folderOf(env: NodeJS.ProcessEnv): string {
	return env["CODEX_HOME"] || join(env["HOME"] || homedir(), ".codex");
}

/** JSON strings and lists are valid TOML. */
function toml(value: unknown): string {
	return JSON.stringify(value);
}

function inline(table: Readonly<Record<string, unknown>>): string {
	return `{${Object.entries(table)
		.map(([key, value]) => `${/^[\w-]+$/.test(key) ? key : toml(key)}=${tomlValue(value)}`)
		.join(",")}}`;
}

/** Tables inside lists and tables are inline. */
function tomlValue(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(tomlValue).join(",")}]`;
	const table = asObject(value);
	return table ? inline(table) : toml(value);
}
