/**
 * The plugin under test, with a witness: what the host calls, how long it took, what was answered, written beside the
 * gateway. And it can fail on demand. It runs inside the gateway.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentMessage, ContextEngine } from "../../src/agent/openclaw/contract.ts";
import type { PluginApi } from "../../src/agent/openclaw/plugin-api.ts";
import { shapeOf } from "./shape.ts";

const CALLS = "calls.jsonl";
const FAILING = "failing-commits";
const KILLING = "killing-commit";
/** Sessions of that name have all that was assembled written down, not its size alone. */
const WHOLE = /:wire/;

interface Plugin {
	readonly id: string;
	readonly name: string;
	register(api: PluginApi): void;
}

/** One call of the host's. */
export interface Call {
	readonly call: string;
	readonly session: string;
	readonly sessionId: string;
	readonly ms: number;
	/** Of the gateway's thread meanwhile: on a busy machine it says more than the clock. */
	readonly cpuMs: number;
	/** Of `assemble`: what opens it, by its id. */
	readonly seed?: string | undefined;
	readonly messages?: readonly AgentMessage[] | undefined;
	readonly given: Readonly<Record<string, unknown>>;
	/** Names of all that was given, and what each is. */
	readonly shape?: readonly string[] | undefined;
	readonly answer?: unknown;
	readonly error?: string | undefined;
}

const METHODS = [
	"bootstrap",
	"assemble",
	"compact",
	"maintain",
	"commitTurn",
	"prepareSubagentSpawn",
	"onSubagentEnded",
	"dispose",
] as const;

export function watched(plugin: Plugin, folder: string): Plugin {
	return {
		...plugin,
		register(api) {
			const registerContextEngine: PluginApi["registerContextEngine"] = (id, factory) =>
				api.registerContextEngine(id, async (context) => watchEngine(await factory(context), folder));
			const given = new Proxy(api, {
				get: (target, name) =>
					name === "registerContextEngine" ? registerContextEngine : Reflect.get(target, name, target),
			});
			plugin.register(given);
		},
	};
}

function watchEngine(engine: ContextEngine, folder: string): ContextEngine {
	const methods = engine as unknown as Record<string, (params: object) => Promise<unknown>>;
	for (const name of METHODS) {
		const work = methods[name]!.bind(engine);
		methods[name] = async (params: object) => {
			if (name === "commitTurn") {
				failOnce(folder);
				dieOnce(folder, "before");
			}
			const started = performance.now();
			const cpu = process.threadCpuUsage();
			const note = (more: Record<string, unknown>) => {
				const ms = performance.now() - started;
				const { user, system } = process.threadCpuUsage(cpu);
				write(folder, name, params ?? {}, { ms, cpuMs: (user + system) / 1_000 }, more);
			};
			try {
				const answer = await work(params);
				if (name === "commitTurn") dieOnce(folder, "after");
				note({ answer });
				return answer;
			} catch (error) {
				note({ error: String(error) });
				throw error;
			}
		};
	}
	return engine;
}

function write(
	folder: string,
	call: string,
	params: object,
	spent: Pick<Call, "ms" | "cpuMs">,
	{ answer, error }: Record<string, unknown>,
) {
	const { sessionKey, childSessionKey, sessionId = "", ...rest } = params as Record<string, unknown>;
	const session = String(sessionKey ?? childSessionKey ?? "");
	const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "object"));
	const tenths = (ms: number) => Math.round(ms * 10) / 10;
	const shape = shapeOf(params);
	const base = { call, session, sessionId, ms: tenths(spent.ms), cpuMs: tenths(spent.cpuMs), given, shape, error };
	const messages = call === "assemble" ? (answer as { messages: readonly AgentMessage[] } | undefined)?.messages : [];
	const seed = (messages?.[0]?.["weft"] as { seed?: string } | undefined)?.seed;
	const said = call === "assemble" ? { seed, ...(WHOLE.test(session) && { messages }) } : { answer };
	appendFileSync(join(folder, CALLS), `${JSON.stringify({ ...base, ...said })}\n`);
}

export function readCalls(folder: string): Call[] {
	const path = join(folder, CALLS);
	if (!existsSync(path)) return [];
	const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
	return lines.map((line) => JSON.parse(line) as Call);
}

/** The next commits fail, so many of them. */
export function failCommits(folder: string, times: number): void {
	writeFileSync(join(folder, FAILING), String(times));
}

/** The gateway dies at the next commit: the answer is given, and nothing is recorded (before), or all of it (after). */
export function killAtCommit(folder: string, when: "before" | "after"): void {
	writeFileSync(join(folder, KILLING), when);
}

function dieOnce(folder: string, when: "before" | "after"): void {
	const path = join(folder, KILLING);
	if (!existsSync(path) || readFileSync(path, "utf8") !== when) return;
	rmSync(path);
	process.kill(process.pid, "SIGKILL");
	// The signal needs a moment: not a statement may follow.
	for (;;);
}

function failOnce(folder: string): void {
	const path = join(folder, FAILING);
	const left = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
	if (left <= 0) return;
	writeFileSync(path, String(left - 1));
	throw new Error("this commit was made to fail");
}
