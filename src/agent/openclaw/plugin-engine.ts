/** The plugin's engine: with the host's transcript, memory text and compaction, if the host has them. */
import { PASSED_BY } from "../../view/openclaw-use.ts";
import type { ContextEngine } from "./contract.ts";
import { type ContextEngineOptions, createContextEngine } from "./live.ts";
import { openClawProject } from "./live-project.ts";
import { openLog } from "./open.ts";
import type { PlaceContext } from "./plugin-api.ts";
import { optionsOf, type PluginConfig } from "./plugin-config.ts";
import type { PassedBy, Presence } from "./presence.ts";
import { Sessions } from "./sessions.ts";
import { OPENCLAW_HOST } from "./translate.ts";
import { turnAnswers } from "./turn-answers.ts";

/** The host resolves these for its plugins. They are variables because they are not dependencies of this package. */
const TRANSCRIPT_MODULE = "openclaw/plugin-sdk/session-transcript-runtime";
const CORE_MODULE = "openclaw/plugin-sdk/core";

export interface PluginEngineContext {
	/** The workspace of a session's agent: for sub-agents the host makes an engine without naming one. */
	readonly workspaceFor: (sessionKey: string) => string;
	readonly seen: Presence;
	/** False: another plugin has tools of the same names. */
	readonly hasOwnTools: boolean;
	/** Shows the user a line. */
	readonly notify: (notice: string) => void;
}

export async function openPluginEngine(
	config: PluginConfig,
	cwd: string,
	{ seen, hasOwnTools, workspaceFor, notify }: PluginEngineContext,
): Promise<ContextEngine> {
	const [transcript, core] = await Promise.all([load(TRANSCRIPT_MODULE), load(CORE_MODULE)]);
	const answers = turnAnswers();
	const engine = createContextEngine({
		...optionsOf(config, cwd),
		turnAnswers: answers,
		hasOwnTools,
		notify,
		readTranscript: asFunction<ContextEngineOptions["readTranscript"]>(
			transcript?.["readSessionTranscriptVisibleMessageDelta"],
		),
		memoryPrompt: asFunction<ContextEngineOptions["memoryPrompt"]>(core?.["buildMemorySystemPromptAddition"]),
		delegate: asFunction<ContextEngineOptions["delegate"]>(core?.["delegateCompactionToRuntime"]),
	});
	const { assemble, prepareSubagentSpawn, onSubagentEnded } = engine;
	const served = new Set<string | undefined>();
	const others = new Map<string, ContextEngine>();
	/** The engine of that session's agent; undefined: this one. */
	const elsewhere = (sessionKey: string): ContextEngine | undefined => {
		const place = workspaceFor(sessionKey);
		if (place === cwd) return undefined;
		const other = others.get(place) ?? createContextEngine(optionsOf(config, place));
		others.set(place, other);
		return other;
	};
	engine.assemble = (params) => {
		seen.engineAsked(params.sessionKey);
		served.add(params.sessionKey);
		answers.begin(params.sessionKey);
		return assemble(params);
	};
	engine.prepareSubagentSpawn = (params) =>
		(elsewhere(params.parentSessionKey)?.prepareSubagentSpawn ?? prepareSubagentSpawn)(params);
	engine.onSubagentEnded = (params) => (elsewhere(params.childSessionKey)?.onSubagentEnded ?? onSubagentEnded)(params);
	const dispose = engine.dispose.bind(engine);
	engine.dispose = async () => {
		for (const sessionKey of served) answers.end(sessionKey);
		for (const other of others.values()) await other.dispose();
		await dispose();
	};
	return engine;
}

/**
 * Records that the host ended a conversation and begins another under the same id. The host does not wait, and may report it
 * twice. `at`: the time of its report.
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

/** For `weft doctor`: nothing else in the log shows that the host does not call weft. */
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
		// Older hosts do not have it.
		return undefined;
	}
}

function asFunction<Wanted>(given: unknown): Wanted | undefined {
	return typeof given === "function" ? (given as Wanted) : undefined;
}
