/** The engine as the plugin makes it: with the host's transcript and the host's own compaction, where the host has them. */
import { PASSED_BY } from "../../view/openclaw-use.ts";
import type { ContextEngine } from "./contract.ts";
import { type ContextEngineOptions, createContextEngine } from "./engine.ts";
import { openClawProject } from "./live-project.ts";
import { openLog } from "./open.ts";
import type { PlaceContext } from "./plugin-api.ts";
import { optionsOf, type PluginConfig } from "./plugin-config.ts";
import type { PassedBy, Presence } from "./presence.ts";
import { Sessions } from "./sessions.ts";
import { OPENCLAW_HOST } from "./translate.ts";

/** The host resolves them for its plugins; as variables, because they are no dependency of this package. */
const TRANSCRIPT_MODULE = "openclaw/plugin-sdk/session-transcript-runtime";
const CORE_MODULE = "openclaw/plugin-sdk/core";

export interface PluginEngineContext {
	/** Where the agent of a session works: for sub-agents the host makes an engine without saying where. */
	readonly workspaceFor: (sessionKey: string) => string;
	readonly seen: Presence;
	/** False: tools of our names are another plugin's. */
	readonly hasOwnTools: boolean;
}

export async function openPluginEngine(
	config: PluginConfig,
	cwd: string,
	{ seen, hasOwnTools, workspaceFor }: PluginEngineContext,
): Promise<ContextEngine> {
	const [transcript, core] = await Promise.all([load(TRANSCRIPT_MODULE), load(CORE_MODULE)]);
	const engine = createContextEngine({
		...optionsOf(config, cwd),
		hasOwnTools,
		readTranscript: asFunction<ContextEngineOptions["readTranscript"]>(
			transcript?.["readSessionTranscriptVisibleMessageDelta"],
		),
		memoryPrompt: asFunction<ContextEngineOptions["memoryPrompt"]>(core?.["buildMemorySystemPromptAddition"]),
		delegate: asFunction<ContextEngineOptions["delegate"]>(core?.["delegateCompactionToRuntime"]),
	});
	const { assemble, prepareSubagentSpawn, onSubagentEnded } = engine;
	const others = new Map<string, ContextEngine>();
	/** The engine over the log of that session's agent; undefined: this one. */
	const elsewhere = (sessionKey: string): ContextEngine | undefined => {
		const place = workspaceFor(sessionKey);
		if (place === cwd) return undefined;
		const other = others.get(place) ?? createContextEngine(optionsOf(config, place));
		others.set(place, other);
		return other;
	};
	engine.assemble = (params) => {
		seen.asked(params.sessionKey);
		return assemble(params);
	};
	engine.prepareSubagentSpawn = (params) =>
		(elsewhere(params.parentSessionKey)?.prepareSubagentSpawn ?? prepareSubagentSpawn)(params);
	engine.onSubagentEnded = (params) => (elsewhere(params.childSessionKey)?.onSubagentEnded ?? onSubagentEnded)(params);
	const dispose = engine.dispose.bind(engine);
	engine.dispose = async () => {
		for (const other of others.values()) await other.dispose();
		await dispose();
	};
	return engine;
}

/**
 * The host says that a conversation ended and another one begins under the same id. It does not wait for us, and may say
 * it twice. `at`: when it said so.
 */
export async function recordReset(
	options: ContextEngineOptions,
	{ sessionId, sessionKey }: PlaceContext,
	at: number,
): Promise<void> {
	const engine = openLog(options, () => {});
	if (!engine || sessionId === undefined) return;
	try {
		if (!engine.settings.enabled) return;
		const sessions = new Sessions({ engine, cwd: options.cwd, now: options.now ?? Date.now });
		const { env, now = Date.now } = options;
		const { live } = openClawProject(engine, { env, now, onFault: () => {} });
		live.session(sessions.of({ sessionId, sessionKey }).ref, options.cwd).left();
		live.end();
		sessions.endConversation({ sessionId, sessionKey }, at);
	} finally {
		engine.close();
	}
}

/** For `weft doctor`: while nobody calls us, nothing else in the log tells. */
export async function recordPassedBy(options: ContextEngineOptions, passed: PassedBy): Promise<void> {
	const engine = openLog(options, () => {});
	if (!engine) return;
	try {
		if (engine.settings.enabled) {
			engine.record([{ type: "Custom", host: OPENCLAW_HOST, payload: { name: PASSED_BY, data: { ...passed } } }]);
		}
	} finally {
		engine.close();
	}
}

async function load(specifier: string): Promise<Record<string, unknown> | undefined> {
	try {
		return (await import(specifier)) as Record<string, unknown>;
	} catch {
		// An older host does without it.
		return undefined;
	}
}

function asFunction<Wanted>(given: unknown): Wanted | undefined {
	return typeof given === "function" ? (given as Wanted) : undefined;
}
