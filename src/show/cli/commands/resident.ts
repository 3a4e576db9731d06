/** The resident of a project: answers the hooks that their processes pass to it, and runs their proxies, until none has come for a while. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { CodexLive } from "../../../agent/codex/live.ts";
import { addressOf } from "../../../agent/live/shared-engines.ts";
import { residentAddress } from "../../../agent/resident/address.ts";
import type { AgentCalls } from "../../../agent/resident/call-lines.ts";
import type { HookRequest } from "../../../agent/resident/hook-request.ts";
import { residentSeconds } from "../../../agent/resident/seconds.ts";
import type { OpenProxy } from "../../../agent/resident/served-proxies.ts";
import { type ResidentAnswer, serveResident } from "../../../agent/resident/server.ts";
import { ownPath } from "../../../base/file/package-file.ts";
import { realPath } from "../../../base/file/regular-file.ts";
import { asList, asObject, asText, type JsonObject, parseObject } from "../../../base/json/read.ts";
import type { Call } from "../frame.ts";
import { connectMcp } from "./mcp.ts";
import { connectOpencode } from "./opencode-questions.ts";

export async function run({ context }: Call<"resident">): Promise<void> {
	const { root, env } = context;
	const home = context.dataFolder();
	const address = residentAddress(home, root);
	if (!address) return;
	const program = realPath(process.argv[1] ?? "");
	const live = new CodexLive({ stays: true });
	const stopped = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopped.abort());
	try {
		await serveResident({
			address,
			isCurrent: unchanged([process.argv[1] ?? "", ownPath("package.json")]),
			idleMs: residentSeconds(env) * 1_000,
			signal: stopped.signal,
			answer: (request) => answerHook(live, request, { home, root, program }),
			connect: async (calling) => connectProcess(calling, { home, root, program }),
			openProxy: (calling) => openProxyOf(calling, { home, root, program }),
		});
	} finally {
		live.close();
	}
}

interface ServedPlace {
	readonly home: string;
	readonly root: string;
	/** The real path of this weft. */
	readonly program: string | undefined;
}

/** Answers only what the hook's own process would answer with the same log and the same program. */
export async function answerHook(live: CodexLive, hook: HookRequest, served: ServedPlace): Promise<ResidentAnswer> {
	const [program = "", ...args] = hook.args;
	if (realPath(program) !== served.program) return { kind: "outdated" };
	const event = parseObject(hook.input.toString("utf8"));
	if (!event) return { kind: "answered" };
	const { env } = hook;
	const folder = env["PWD"] ?? served.root;
	const given = args[args.indexOf("--home") + 1];
	const home = args.includes("--home") && given !== undefined ? resolve(folder, given) : undefined;
	const cwd = await live.folderOf(event, folder);
	const of = addressOf({ env, home, cwd });
	if (of.root !== served.root || realPath(of.home) !== realPath(served.home)) return { kind: "elsewhere" };
	const answer = await live.answer(event, { env, home, folder });
	return { kind: "answered", text: answer && `${JSON.stringify(answer)}\n` };
}

/** Answers for a process that an agent has started, if it has the same log and the same program. */
function connectProcess(calling: JsonObject, served: ServedPlace): AgentCalls | undefined {
	const args = asList(calling["args"]).map(String);
	const env = (asObject(calling["env"]) ?? {}) as NodeJS.ProcessEnv;
	const cwd = asText(calling["folder"]) ?? served.root;
	const home = homeServed({ args, env, cwd }, served);
	if (home === "elsewhere") return undefined;
	const place = { env, home, cwd, pid: Number(calling["pid"]), warn: () => {} };
	return args.at(-1) === "mcp" ? connectMcp(place) : connectOpencode(place);
}

/** Runs the proxy of `weft run`, if a process of its own would have the same log, program and certificates. */
async function openProxyOf({ args, env, input }: HookRequest, served: ServedPlace): Promise<OpenProxy | undefined> {
	const cwd = input.toString("utf8");
	const home = homeServed({ args, env, cwd }, served);
	if (home === "elsewhere" || connectionSettings(env) !== connectionSettings(process.env)) return undefined;
	const { openHandedProxy } = await import("./proxy.ts");
	return openHandedProxy({ env, home, cwd, args: args.slice(args.indexOf("proxy") + 1) });
}

/** Node reads these when a process starts. */
function connectionSettings(env: NodeJS.ProcessEnv): string {
	const names = Object.keys(env).filter((name) => /^(?:NODE|SSL|OPENSSL)_/.test(name));
	return JSON.stringify(names.sort().map((name) => [name, env[name]]));
}

interface CallingPlace {
	/** From the program on. */
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
}

/** The process's `--home`, if it gave one. */
function homeServed({ args, env, cwd }: CallingPlace, served: ServedPlace): string | undefined | "elsewhere" {
	const [program = ""] = args;
	const given = args.includes("--home") ? args[args.indexOf("--home") + 1] : undefined;
	const home = given === undefined ? undefined : resolve(cwd, given);
	const of = addressOf({ env, home, cwd });
	const isServed = of.root === served.root && realPath(of.home) === realPath(served.home);
	return isServed && realPath(program) === served.program ? home : "elsewhere";
}

/** False from when one of the files is another, or gone: weft was updated or removed. */
function unchanged(files: readonly string[]): () => boolean {
	const look = () =>
		files
			.map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
			.map((stat) => `${stat?.dev} ${stat?.ino} ${stat?.size} ${stat?.mtimeNs}`)
			.join("\n");
	const first = look();
	return () => look() === first;
}
