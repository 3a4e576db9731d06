/** weft in Codex: the MCP server in config.toml, and hooks in hooks.json, which run once the user has trusted them. */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { EngineError } from "../../base/error/engine-error.ts";
import { asList, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { readForPlan } from "./apply.ts";
import { quoted } from "./claude-plugin.ts";
import { providerOf, withoutSetting } from "./codex-provider.ts";
import { serversIn } from "./codex-servers.ts";
import { type PlacedHook, trustOf } from "./codex-trust.ts";
import { findProgram, versionOf } from "./find-program.ts";
import { type JsonEdit, setInJson, takeFromJson, valueInJson } from "./json-edit.ts";
import type {
	AgentSetup,
	Change,
	Finding,
	Found,
	PlanOptions,
	Provider,
	RunPlace,
	Start,
	WeftCommand,
} from "./setup.ts";
import { withoutTable } from "./toml-table.ts";

const MARK = "# weft. 'weft init codex --undo' takes this out.";
const SERVER = "weft";
const TABLE = `mcp_servers.${SERVER}`;

const OTHER_SERVER = `config.toml names another server '${SERVER}'`;

export const codexSetup: AgentSetup = {
	name: "codex",
	title: "Codex",
	tested: ["0.166.0"],
	folder: folderOf,
	find(env) {
		const program = findProgram("codex", env);
		return program === undefined ? undefined : { program, version: versionOf(program, env), folder: folderOf(env) };
	},
	plan(found, options) {
		return [...serverChange(found, options), ...hooksChange(found, options)].filter(
			({ before, after }) => before !== after,
		);
	},
	remarks: (found, options) => (hasOtherServer(found, options) ? [`${OTHER_SERVER}: left as it is.`] : []),
	afterwards: () => [
		"Codex runs the hooks only after you have trusted them. Start 'codex' once: it says 'Hooks need review'.",
		"Choose 'Trust all and continue', or look at them first. 'codex exec' does not ask, it leaves them out.",
		"'weft doctor' says whether they are trusted.",
		"'weft init codex --undo' takes all of it back.",
	],
	async proxied(found, session) {
		const provider = await providerOf(found, session);
		if ("why" in provider) return provider;
		const args = ["--for", "codex", "--upstream", new URL(provider.url).origin];
		const noKey = provider.name === undefined ? whyNoKey(found, session.env) : undefined;
		if (noKey !== undefined) return { why: noKey };
		const which = provider.name === undefined ? "built-in provider" : `provider '${provider.name}'`;
		if (!provider.isOpaque) return { args, provider, says: `${which}: recorded, and sealed by a text.` };
		// An item of ours would tie the session to weft.
		if (session.opaqueSeals)
			return { args, provider, says: `${which}: recorded and sealed; then it goes on only with weft.` };
		const says = `${which}: recorded, not sealed. See --opaque-seals.`;
		return { args: [...args, "--record-only"], provider, says };
	},
	command(found, args, { weft, proxy, provider, env }: RunPlace): Start {
		const isNamed = namesServer(readForPlan(join(found.folder, "config.toml")) ?? "");
		const server = isNamed ? [] : [`mcp_servers.${SERVER}=${inline(serverOf(weft))}`];
		const through = proxy === undefined || !provider ? undefined : addressThrough(provider, proxy);
		const set = [...server, ...(through ? [`${through.key}=${toml(through.address)}`] : [])];
		// The address among the arguments is where the proxy goes.
		const rest = through ? withoutSetting(args, through.key) : args;
		return { file: found.program, args: [...set.flatMap((each) => ["-c", each]), ...rest], env };
	},
	check(found, options) {
		return [versionFinding(found, this.tested), ...installFindings(found, options, this.plan(found, options))];
	},
};

function serverChange(found: Found, { weft: [command, ...args], env }: PlanOptions): Change[] {
	const file = join(found.folder, "config.toml");
	const before = readForPlan(file);
	const lines = Object.entries(serverOf([command, ...args])).map(([key, value]) => `${key} = ${toml(value)}`);
	const block = `${[MARK, `[${TABLE}]`, ...lines].join("\n")}\n`;
	// What Codex wrote after it stands there still.
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
	// Somebody has named it already: that one counts.
	if (now.kind === "named" ? now.commands.has(SERVER) : namesServer(rest)) return [];
	const then = serversIn(after, found, env);
	if (then.kind === "refused" || (then.kind === "named" && !then.commands.has(SERVER)))
		throw new EngineError(
			"bad-config",
			`${file} names its servers in one value, which cannot be added to. Nothing was written. Add there by hand: ${SERVER} = { ${lines.join(", ")} }`,
		);
	const what = "Names weft's MCP server: lcm_grep, lcm_describe, lcm_expand, decide.";
	return [{ file, what, before, after, ours: { kind: "table", table: { mark: MARK, name: TABLE, gap } } }];
}

/** Another server of this name, by the user's hand: it counts, and the model has none of our tools. */
function hasOtherServer(found: Found, { env }: PlanOptions): boolean {
	const text = readForPlan(join(found.folder, "config.toml")) ?? "";
	const rest = withoutTable(text, { mark: MARK, name: TABLE, gap: "\n" });
	if (!rest.includes(SERVER)) return false;
	const servers = serversIn(rest, found, env);
	const command = servers.kind === "named" ? servers.commands.get(SERVER) : undefined;
	return command !== undefined && !/(?:\bweft\b|\/cli\/main\.[jt]s).*\bmcp$/.test(command);
}

/** Codex gives a server only the variables that are named. */
function serverOf([command, ...args]: WeftCommand): Readonly<Record<string, unknown>> {
	return { command, args: [...args, "mcp"], env_vars: ["CODEX_HOME", "WEFT_HOME", "XDG_DATA_HOME"] };
}

/** Before an edit, to judge it; after a command, to bound what it printed; at the end of a turn, to read the last of it. */
const HOOKS = [
	["PreToolUse", 20, "apply_patch|Bash"],
	["PostToolUse", 20, "apply_patch|Bash"],
	["Stop", 20, undefined],
	// Codex waits no longer at its end.
	["SessionEnd", 3, undefined],
] as const;

function hooksChange(found: Found, { weft }: PlanOptions): Change[] {
	const file = join(found.folder, "hooks.json");
	const before = readForPlan(file);
	const edits = HOOKS.map(([event, seconds, matcher]): JsonEdit => {
		const value = { ...(matcher && { matcher }), hooks: [handler(weft, seconds)] };
		return { path: ["hooks", event], value, isItem: true };
	});
	const isNow = (group: unknown) => edits.some(({ value }) => isDeepStrictEqual(group, value));
	// Of a weft that stood elsewhere.
	const older = HOOKS.flatMap(([event]) =>
		asList(valueInJson(before, ["hooks", event])).flatMap((value): JsonEdit[] =>
			isOurs(value) && !isNow(value) ? [{ path: ["hooks", event], value, isItem: true }] : [],
		),
	);
	const rest = before === undefined ? undefined : (takeFromJson(before, older, undefined)?.text ?? before);
	const after = setInJson(file, rest, edits);
	const what = "Hooks: no edit of a file that changed unseen, no endless output. They run once you trust them.";
	return [{ file, what, before, after, ours: { kind: "json", edits } }];
}

function handler(weft: WeftCommand, timeout: number): JsonObject {
	const command = [...weft, "hook", "codex"].map(quoted).join(" ");
	return { type: "command", command, timeout };
}

function isOurs(group: unknown): boolean {
	return asList(asObject(group)?.["hooks"]).some((each) =>
		/(?:\bweft\b|\/cli\/main\.[jt]s).*\bhook codex$/.test(asText(asObject(each)?.["command"]) ?? ""),
	);
}

/**
 * Only the address is another one. Codex writes the provider's name into its session, and without that provider neither opens nor
 * lists it: a name of ours must never stand there.
 */
function addressThrough({ name, url }: Provider, proxy: string): { readonly key: string; readonly address: string } {
	const address = `${proxy}${new URL(url).pathname.replace(/\/$/, "")}`;
	return { key: name === undefined ? "openai_base_url" : `model_providers.${name}.base_url`, address };
}

/** Undefined: it has a key. */
function whyNoKey({ program }: Found, env: NodeJS.ProcessEnv): string | undefined {
	const { stdout, stderr } = spawnSync(program, ["login", "status"], { env, encoding: "utf8", timeout: 20_000 });
	const said = `${stdout ?? ""}${stderr ?? ""}`;
	// It counts before a key in the environment, and was not tried.
	if (/ChatGPT/i.test(said)) return "A login with ChatGPT goes to an address of its own.";
	if (/API key/i.test(said) || env["CODEX_API_KEY"] || env["OPENAI_API_KEY"]) return undefined;
	return "Codex has no API key.";
}

/** In the spelling that Codex and weft write. */
function namesServer(text: string): boolean {
	return /^\s*\[mcp_servers\.weft\]/m.test(text);
}

function versionFinding({ version }: Found, tested: readonly string[]): Finding {
	if (version === undefined) return { level: "warn", says: "does not say its version", todo: "Run 'codex --version'." };
	if (tested.includes(version)) return { level: "ok", says: version };
	const todo = `weft was tested with ${tested.join(", ")}. With another version the proxy only records.`;
	return { level: "warn", says: `${version}, which weft was not tested with`, todo };
}

function installFindings(found: Found, options: PlanOptions, changes: readonly Change[]): Finding[] {
	const hooks = readForPlan(join(found.folder, "hooks.json"));
	const isThere = HOOKS.some(([event]) => asList(valueInJson(hooks, ["hooks", event])).some(isOurs));
	if (!isThere)
		return [{ level: "ok", says: "weft is not installed in it: 'weft init codex' does, 'weft run codex' tries it" }];
	const isOther = hasOtherServer(found, options);
	const state: Finding =
		changes.length === 0
			? { level: "ok", says: isOther ? "hooks are installed" : "server and hooks are installed" }
			: { level: "warn", says: "installed, and not as this version has it", todo: "Run 'weft init codex'." };
	const server: Finding = {
		level: "warn",
		says: `${OTHER_SERVER}, so the model has no lcm_ tools`,
		todo: "Give that one another name, then run 'weft init codex'.",
	};
	return [state, ...(isOther ? [server] : []), trustFinding(found, hooks)];
}

function trustFinding(found: Found, hooks: string | undefined): Finding {
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

/** Ours, with their places among the user's. */
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

/** A JSON text or list is one of TOML too. */
function toml(value: unknown): string {
	return JSON.stringify(value);
}

function inline(table: Readonly<Record<string, unknown>>): string {
	return `{${Object.entries(table)
		.map(([key, value]) => `${key}=${toml(value)}`)
		.join(",")}}`;
}
