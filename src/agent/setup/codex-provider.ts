/**
 * Where Codex sends its requests. Codex itself is asked, with the arguments of this session: its settings come from several files,
 * in many spellings. Where the answer is not sure there is no proxy: what is meant for one provider must never reach another.
 */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { asName, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { AgentSession, Found, NoProxy, Provider } from "./setup.ts";

const BUILT_IN = "https://api.openai.com/v1";
const ANSWER_MS = 15_000;
/** Codex goes by what a provider is called on the screen. By the address too; that one is ours then. */
const OPAQUE = /^(?:OpenAI|[Aa][Zz][Uu][Rr][Ee])$/;

export async function providerOf(found: Found, session: AgentSession): Promise<Provider | NoProxy> {
	const { env, args } = session;
	const other = own(args).find((arg) => /^(?:-p|--(?:profile|oss|local-provider)(?:=|$))/.test(arg));
	if (other !== undefined) return { why: `With ${other} another provider may be meant.` };
	const config = await readConfig(found, session);
	if (!config) return { why: "Codex does not say which provider its settings name." };
	const name = asName(config["model_provider"]) ?? "openai";
	if (name !== "openai") {
		const provider = asObject(asObject(config["model_providers"])?.[name]);
		const url = asName(provider?.["base_url"]);
		// A dot would be taken for the end of a key in `-c`.
		const isSure = url !== undefined && URL.canParse(url) && /^[\w-]+$/.test(name);
		const isOpaque = OPAQUE.test(asName(provider?.["name"]) ?? "");
		return isSure ? { name, url, isOpaque } : { why: `The provider '${name}' is not one that can be led through it.` };
	}
	const named = asName(config["openai_base_url"]);
	if (named !== undefined)
		return URL.canParse(named) ? { url: named, isOpaque: true } : { why: `'${named}' is not an address.` };
	if (env["OPENAI_BASE_URL"])
		return { why: "OPENAI_BASE_URL is set. Name the address in config.toml: openai_base_url." };
	return { url: BUILT_IN, isOpaque: true };
}

/** Everything in force, as Codex reads it. */
function readConfig({ program }: Found, { env, cwd: here, args }: AgentSession): Promise<JsonObject | undefined> {
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
			const said = parseObject(line);
			if (said?.["id"] === 1) {
				tell({ method: "initialized" });
				tell({ id: 2, method: "config/read", params: { cwd, includeLayers: false } });
			}
			if (said?.["id"] === 2) end(asObject(asObject(said["result"])?.["config"]));
		});
		const tell = (message: JsonObject) => child.stdin.write(`${JSON.stringify(message)}\n`);
		tell({ id: 1, method: "initialize", params: { clientInfo: { name: "weft", version: "1" } } });
	});
}

/** Settings among the arguments: `-c key=value`. */
function configArgs(args: readonly string[]): string[] {
	return own(args).flatMap((arg, at, all) => {
		if (/^(?:-c|--config)$/.test(arg)) return [arg, ...all.slice(at + 1, at + 2)];
		return /^(?:-c.|--config=)/.test(arg) ? [arg] : [];
	});
}

/** The arguments without a setting that they name. The last one counts in Codex. */
export function withoutSetting(args: readonly string[], key: string): string[] {
	const mine = own(args);
	const names = (setting: string | undefined) => setting?.split("=")[0]?.trim() === key;
	const isFlag = (arg: string | undefined) => arg !== undefined && /^(?:-c|--config)$/.test(arg);
	return args.filter((arg, at) => {
		if (at >= mine.length) return true;
		if (isFlag(arg)) return !names(mine[at + 1]);
		if (isFlag(mine[at - 1])) return !names(arg);
		return !names(/^(?:-c|--config=)(.+)$/s.exec(arg)?.[1]);
	});
}

function argumentAfter(args: readonly string[], name: RegExp): string | undefined {
	const at = own(args).findIndex((arg) => name.test(arg));
	return at < 0 ? undefined : args[at + 1];
}

/** What follows `--` is said to the model. */
function own(args: readonly string[]): readonly string[] {
	const end = args.indexOf("--");
	return end < 0 ? args : args.slice(0, end);
}
