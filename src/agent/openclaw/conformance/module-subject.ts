/**
 * An engine from a module, as OpenClaw would load it: a plugin with `register`, or a module that exports `createContextEngine`. The
 * host's own modules that a plugin imports are answered by the host model, so that no OpenClaw is needed.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { EngineError } from "../../../base/error/engine-error.ts";
import { errorText } from "../../../base/error/error-text.ts";
import type { CompactResult, ContextEngine } from "../contract.ts";
import type { TranscriptQuery } from "../transcript-pages.ts";
import type { Subject } from "./cases.ts";
import type { HostModel, MakeEngine } from "./host-model.ts";

type Factory = (given: object) => ContextEngine | Promise<ContextEngine>;

export interface EngineModule {
	readonly tools: readonly string[];
	readonly factory: Factory;
}

/** The functions of the host's modules that plugins call. */
const HOST_FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
	"openclaw/plugin-sdk/session-transcript-runtime": ["readSessionTranscriptVisibleMessageDelta"],
	"openclaw/plugin-sdk/core": ["delegateCompactionToRuntime", "buildMemorySystemPromptAddition", "definePluginEntry"],
	"openclaw/plugin-sdk/plugin-entry": ["definePluginEntry"],
};
/** What the host keeps raw when it compacts by itself. */
const KEPT_TOKENS = 20_000;

const hosts = new Map<string, HostModel>();
const SHIM = Symbol.for("weft.conformance.host");
const shim = {
	readSessionTranscriptVisibleMessageDelta: (query: TranscriptQuery) =>
		hosts.get(query.sessionId)?.readTranscript(query) ?? Promise.resolve({ kind: "missing" }),
	delegateCompactionToRuntime: async ({ sessionId }: { readonly sessionId: string }): Promise<CompactResult> =>
		hosts.get(sessionId)?.compactItself(KEPT_TOKENS) ?? { ok: false, compacted: false },
	buildMemorySystemPromptAddition: () => undefined,
	definePluginEntry: (entry: unknown) => entry,
};

/** `specifier`: a path, or a package of the folder. */
export async function loadEngineModule(specifier: string, cwd: string): Promise<EngineModule> {
	(globalThis as Record<symbol, unknown>)[SHIM] = shim;
	const hooks = registerHooks({
		resolve: (name, context, next) =>
			name in HOST_FUNCTIONS ? { url: `weft-host:${name}`, shortCircuit: true } : next(name, context),
		load: (url, context, next) => {
			if (!url.startsWith("weft-host:")) return next(url, context);
			const names = HOST_FUNCTIONS[url.slice("weft-host:".length)] ?? [];
			const lines = names.map(
				(name) => `export const ${name} = globalThis[Symbol.for("weft.conformance.host")].${name};`,
			);
			return { format: "module", source: lines.join("\n"), shortCircuit: true };
		},
	});
	try {
		return engineOf(await importModule(pathOf(specifier, cwd), specifier), specifier);
	} finally {
		// A plugin may load the host's modules with its first engine.
		process.once("exit", () => hooks.deregister());
	}
}

/** A module that cannot be loaded is a fault of its author's, not of ours. */
async function importModule(path: string, specifier: string): Promise<Record<string, unknown>> {
	try {
		return await import(pathToFileURL(path).href);
	} catch (cause) {
		throw new EngineError("usage", `${specifier} cannot be loaded: ${errorText(cause)}`, { cause });
	}
}

function pathOf(specifier: string, cwd: string): string {
	try {
		return createRequire(join(cwd, "any.js")).resolve(
			/^[./]|^[a-z]:[\\/]/i.test(specifier) ? resolve(cwd, specifier) : specifier,
		);
	} catch (cause) {
		throw new EngineError("not-found", `There is no module ${specifier} here. Give a path or an installed package.`, {
			cause,
		});
	}
}

function engineOf(loaded: Record<string, unknown>, specifier: string): EngineModule {
	const create = loaded["createContextEngine"];
	const plugin = (loaded["default"] ?? loaded["plugin"] ?? loaded) as { readonly register?: unknown };
	if (typeof plugin.register !== "function" && typeof plugin !== "function") {
		if (typeof create === "function") return { tools: [], factory: create as Factory };
		const todo = "Export `createContextEngine`, or a plugin whose `register` calls `api.registerContextEngine`.";
		throw new EngineError("usage", `${specifier} has no context engine. ${todo}`);
	}
	const tools: string[] = [];
	let factory: Factory | undefined;
	const known: Readonly<Record<string, unknown>> = {
		registrationMode: "full",
		config: {},
		pluginConfig: {},
		logger: { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} },
		registerContextEngine: (_id: string, given: Factory) => {
			factory = given;
		},
		registerTool: (_tool: unknown, options?: { readonly name?: string }) => {
			if (options?.name !== undefined) tools.push(options.name);
		},
	};
	// A plugin may register what has nothing to do with its engine.
	const api = new Proxy(known, { get: (target, name: string) => target[name] ?? (() => undefined) });
	const register = (typeof plugin === "function" ? plugin : plugin.register) as (api: unknown) => void;
	register.call(plugin, api);
	if (!factory) throw new EngineError("usage", `${specifier} registers no context engine.`);
	return { tools, factory };
}

/** A subject over a folder of its own, and how to remove it. */
export function subjectOf({ tools, factory }: EngineModule, name: string): Subject & Disposable {
	const root = mkdtempSync(join(tmpdir(), "weft-conformance-"));
	const [cwd, home] = [join(root, "work"), join(root, "home")];
	for (const folder of [cwd, home]) mkdirSync(folder);
	const before = { ...process.env };
	Object.assign(process.env, {
		HOME: home,
		WEFT_HOME: join(home, "weft"),
		OPENCLAW_STATE_DIR: join(home, ".openclaw"),
	});
	const make: MakeEngine = async (host) => {
		hosts.set(host.ids.sessionId, host);
		// A plugin has the clock of this machine.
		if (host.rows.length === 0) host.now = Date.now();
		const { readTranscript } = host;
		const given = { workspaceDir: cwd, cwd, home: join(home, "weft"), agentDir: home, config: {}, readTranscript };
		return asHostSees(await factory(given), host);
	};
	return {
		name,
		tools,
		make,
		[Symbol.dispose]() {
			process.env = before;
			rmSync(root, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}

/** Most calls are optional. An engine without `commitTurn` gets its turns as older hosts deliver them. */
export function asHostSees(
	engine: Partial<ContextEngine> & Pick<ContextEngine, "info">,
	host: HostModel,
): ContextEngine {
	const nothing = async () => undefined;
	const bound = (name: keyof ContextEngine) => {
		const own = engine[name];
		return typeof own === "function" ? own.bind(engine) : undefined;
	};
	const none = { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
	const older: ContextEngine["commitTurn"] = async ({ messages, sessionId, sessionKey, isHeartbeat = false }) => {
		const given = { sessionId, sessionKey, messages, isHeartbeat };
		const prePromptMessageCount = host.rows.length - messages.length;
		const all = host.rows.map(({ message }) => message);
		if (engine.afterTurn) await engine.afterTurn({ ...given, messages: all, prePromptMessageCount });
		else if (engine.ingestBatch) await engine.ingestBatch(given);
		else for (const message of messages) await engine.ingest?.({ sessionId, sessionKey, message, isHeartbeat });
		return { status: "committed" };
	};
	const made = {
		info: engine.info,
		bootstrap: bound("bootstrap") ?? (async () => ({ bootstrapped: false })),
		maintain: bound("maintain") ?? (async () => none),
		commitTurn: bound("commitTurn") ?? older,
		assemble: bound("assemble"),
		compact: bound("compact"),
		dispose: bound("dispose") ?? nothing,
		ingest: bound("ingest") ?? (async () => ({ ingested: false })),
		ingestBatch: bound("ingestBatch") ?? (async () => ({ ingestedCount: 0 })),
		afterTurn: bound("afterTurn") ?? nothing,
		prepareSubagentSpawn: bound("prepareSubagentSpawn") ?? nothing,
		onSubagentEnded: bound("onSubagentEnded") ?? nothing,
	};
	return made as unknown as ContextEngine;
}
