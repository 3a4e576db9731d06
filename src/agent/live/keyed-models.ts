/**
 * The models of `compactionModels` that the user has a key for, for agents that lend weft none. A key goes only to its provider, or to
 * the address that the user set for it; one in an untrusted project's .env file gets none. The settings decide whether any of them is asked: see `memory-models.ts`.
 */
import { asList, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { SideAnswer, SideModel } from "../../base/sidecar/ask.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { Settings } from "../../settings/keys.ts";
import { readProjectVariables } from "../../settings/project-variables.ts";

interface KeyedProvider {
	/** Environment variables: the key, and another address. */
	readonly key: string;
	readonly address?: string | undefined;
	readonly url: string;
	readonly api: "messages" | "completions";
}

const completions = (key: string, url: string): KeyedProvider => ({ key, url, api: "completions" });

const PROVIDERS: Readonly<Record<string, KeyedProvider>> = {
	anthropic: {
		key: "ANTHROPIC_API_KEY",
		address: "ANTHROPIC_BASE_URL",
		url: "https://api.anthropic.com",
		api: "messages",
	},
	openai: { ...completions("OPENAI_API_KEY", "https://api.openai.com/v1"), address: "OPENAI_BASE_URL" },
	cerebras: completions("CEREBRAS_API_KEY", "https://api.cerebras.ai/v1"),
	deepseek: completions("DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
	groq: completions("GROQ_API_KEY", "https://api.groq.com/openai/v1"),
	mistral: completions("MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
	openrouter: completions("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
	xai: completions("XAI_API_KEY", "https://api.x.ai/v1"),
};

/** Variables that say where a key is sent. */
const KEY_PLACES = /^(?:WEFT_(?:PROXY|UPSTREAM)|(?:ANTHROPIC|OPENAI)_BASE_URL)$/;

/** `untrusted`: the root of a project whose own files must not say where a key is sent. */
export function keyedModels(
	models: Settings["compactionModels"],
	env: NodeJS.ProcessEnv,
	untrusted: string | undefined,
): SideModel[] {
	const { fileOf } = readProjectVariables(env, untrusted === undefined ? [] : [untrusted], KEY_PLACES);
	const isProjects = (name: string) => fileOf(name) !== undefined;
	return models.flatMap(({ provider: name, id }) => {
		const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
		const key = provider && env[provider.key];
		const url = provider && addressOf(provider, env, isProjects);
		if (!key || url === undefined) return [];
		const ask = provider.api === "messages" ? askMessages : askCompletions;
		return [
			{
				name: `${name}/${id}`,
				complete: (prompt, { maxTokens, signal }) => ask({ url, key, id, prompt, maxTokens, signal }),
			},
		];
	});
}

/** Undefined: the key would travel unencrypted, or where only the project says. Behind weft's own proxy the provider's address is the one before it. */
function addressOf(
	{ address, url }: KeyedProvider,
	env: NodeJS.ProcessEnv,
	isProjects: (name: string) => boolean,
): string | undefined {
	if (address !== undefined && [address, "WEFT_PROXY", "WEFT_UPSTREAM"].some(isProjects)) return undefined;
	const set = address === undefined ? undefined : env[address];
	const isProxy = set !== undefined && set !== "" && set === env["WEFT_PROXY"];
	const chosen = (isProxy ? env["WEFT_UPSTREAM"] : set) || url;
	const parsed = URL.parse(chosen);
	const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(parsed?.hostname ?? "");
	if (!parsed || !(parsed.protocol === "https:" || (parsed.protocol === "http:" && isLocal))) return undefined;
	return chosen.replace(/\/+$/, "");
}

interface KeyedCall {
	readonly url: string;
	readonly key: string;
	readonly id: string;
	readonly prompt: string;
	readonly maxTokens: number;
	readonly signal: AbortSignal;
}

async function askMessages({ url, key, id, prompt, maxTokens, signal }: KeyedCall): Promise<SideAnswer> {
	const headers = { "x-api-key": key, "anthropic-version": "2023-06-01" };
	const body = { model: id, max_tokens: maxTokens, messages: [{ role: "user", content: prompt }] };
	const answer = await post(`${url.replace(/\/v1$/, "")}/v1/messages`, headers, body, signal);
	const blocks = asList(answer["content"]).map(asObject);
	const text = blocks.flatMap((block) => (block?.["type"] === "text" ? (asText(block["text"]) ?? []) : [])).join("\n");
	const usage = asObject(answer["usage"]);
	return { text, usage: usage && usageOf(usage["input_tokens"], usage["output_tokens"]) };
}

async function askCompletions({ url, key, id, prompt, maxTokens, signal }: KeyedCall): Promise<SideAnswer> {
	const headers = { authorization: `Bearer ${key}` };
	const body = { model: id, max_completion_tokens: maxTokens, messages: [{ role: "user", content: prompt }] };
	const answer = await post(`${url}/chat/completions`, headers, body, signal);
	const [choice] = asList(answer["choices"]).map(asObject);
	const text = asText(asObject(choice?.["message"])?.["content"]) ?? "";
	const usage = asObject(answer["usage"]);
	return { text, usage: usage && usageOf(usage["prompt_tokens"], usage["completion_tokens"]) };
}

function usageOf(input: unknown, output: unknown): JsonObject {
	return { input: asNumber(input) ?? 0, output: asNumber(output) ?? 0 };
}

const MAX_REASON_CHARS = 200;

/** A redirection could take the key elsewhere, so none is followed. */
async function post(
	url: string,
	headers: Readonly<Record<string, string>>,
	body: JsonObject,
	signal: AbortSignal,
): Promise<JsonObject> {
	const answer = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
		redirect: "error",
		signal,
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${answer.status} ${cutStart(text, MAX_REASON_CHARS)}`);
	const value = asObject(JSON.parse(text));
	if (!value) throw new Error("the answer is no JSON object");
	return value;
}
