/**
 * Where Codex sends its requests. We ask Codex itself, with the arguments of this session, because its settings come from
 * several files in many spellings. If the answer is uncertain there is no proxy: a request must never reach another provider.
 */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { asInteger, asName, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { AgentSession, FoundAgent, NoProxy, Provider } from "../setup/contract.ts";

/** Where Codex goes with an API key. */
export const BUILT_IN = "https://api.openai.com/v1";
const ANSWER_MS = 15_000;
/** Codex decides by the provider's display name, and by the address, which is then the proxy's. */
const OPAQUE = /^(?:OpenAI|[Aa][Zz][Uu][Rr][Ee])$/;

/** A provider, and the sizes that the user's settings name. */
export interface CodexProvider {
	readonly provider: Provider;
	/** Tokens of the model's window. */
	readonly window: number | undefined;
	/** Tokens above which Codex compacts by itself. */
	readonly threshold: number | undefined;
}

/** Codex compacts at this share of a window that the settings name. */
const COMPACT_SHARE = 0.9;

export async function providerOf(found: FoundAgent, session: AgentSession): Promise<CodexProvider | NoProxy> {
	const { args } = session;
	const other = optionsIn(args).find((arg) => /^(?:-p|--(?:profile|oss|local-provider)(?:=|$))/.test(arg));
	if (other !== undefined) return { why: `${other} may select another provider.` };
	const config = await readConfig(found, session);
	if (!config) return { why: "Codex does not report its provider." };
	const provider = providerIn(config, session);
	if ("why" in provider) return provider;
	const window = asInteger(config["model_context_window"]);
	const own = window === undefined ? undefined : Math.floor(window * COMPACT_SHARE);
	const limit = asInteger(config["model_auto_compact_token_limit"]);
	const threshold = limit === undefined ? own : Math.min(limit, own ?? limit);
	return { provider, window, threshold };
}

function providerIn(config: JsonObject, { env }: Pick<AgentSession, "env">): Provider | NoProxy {
	const name = asName(config["model_provider"]) ?? "openai";
	if (name !== "openai") {
		const provider = asObject(asObject(config["model_providers"])?.[name]);
		const url = asName(provider?.["base_url"]);
		// In `-c` a dot ends a key.
		const isUsable = url !== undefined && URL.canParse(url) && /^[\w-]+$/.test(name);
		const isOpaque = OPAQUE.test(asName(provider?.["name"]) ?? "");
		return isUsable ? { name, url, isOpaque } : { why: `weft cannot route the provider '${name}' through its proxy.` };
	}
	const named = asName(config["openai_base_url"]);
	if (named !== undefined)
		return URL.canParse(named) ? { url: named, isOpaque: true } : { why: `'${named}' is not a URL.` };
	if (env["OPENAI_BASE_URL"])
		return { why: "OPENAI_BASE_URL is set. Put the address into config.toml instead: openai_base_url." };
	return { url: BUILT_IN, isOpaque: true };
}

/** The effective settings, as Codex reads them. */
function readConfig({ program }: FoundAgent, { env, cwd: here, args }: AgentSession): Promise<JsonObject | undefined> {
	const cwd = resolve(here, argumentAfter(args, /^(?:-C|--cd)$/) ?? ".");
	const child = spawn(program, [...configArgs(args), "app-server"], {
		cwd: here,
		env,
		stdio: ["pipe", "pipe", "ignore"],
	});
	return new Promise((done) => {
		const end = (config: JsonObject | undefined) => {
			clearTimeout(timer);
			child.kill("SIGTERM");
			done(config);
		};
		const timer = setTimeout(() => end(undefined), ANSWER_MS);
		child.once("error", () => end(undefined));
		child.once("exit", () => end(undefined));
		child.stdin.on("error", () => {});
		createInterface({ input: child.stdout }).on("line", (line) => {
			const answer = parseObject(line);
			if (answer?.["id"] === 1) {
				send({ method: "initialized" });
				send({ id: 2, method: "config/read", params: { cwd, includeLayers: false } });
			}
			if (answer?.["id"] === 2) end(asObject(asObject(answer["result"])?.["config"]));
		});
		const send = (message: JsonObject) => child.stdin.write(`${JSON.stringify(message)}\n`);
		send({ id: 1, method: "initialize", params: { clientInfo: { name: "weft", version: "1" } } });
	});
}

/** The arguments that are settings: `-c key=value`. */
function configArgs(args: readonly string[]): string[] {
	return optionsIn(args).flatMap((arg, at, all) => {
		if (/^(?:-c|--config)$/.test(arg)) return [arg, ...all.slice(at + 1, at + 2)];
		return /^(?:-c.|--config=)/.test(arg) ? [arg] : [];
	});
}

/** The arguments without one setting: in Codex the last one wins. */
export function withoutSetting(args: readonly string[], key: string): string[] {
	const options = optionsIn(args);
	const names = (setting: string | undefined) => setting?.split("=")[0]?.trim() === key;
	const isFlag = (arg: string | undefined) => arg !== undefined && /^(?:-c|--config)$/.test(arg);
	return args.filter((arg, at) => {
		if (at >= options.length) return true;
		if (isFlag(arg)) return !names(options[at + 1]);
		if (isFlag(options[at - 1])) return !names(arg);
		return !names(/^(?:-c|--config=)(.+)$/s.exec(arg)?.[1]);
	});
}

function argumentAfter(args: readonly string[], name: RegExp): string | undefined {
	const at = optionsIn(args).findIndex((arg) => name.test(arg));
	return at < 0 ? undefined : args[at + 1];
}

/** Everything after `--` is the prompt. */
function optionsIn(args: readonly string[]): readonly string[] {
	const end = args.indexOf("--");
	return end < 0 ? args : args.slice(0, end);
}
