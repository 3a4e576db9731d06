/**
 * weft as OpenClaw's context engine, for the older contract and today's. A host makes an engine for each turn and disposes
 * of it afterwards, so everything that must outlive a turn is in the log. A failure never breaks a turn: the host gets its
 * own messages back unchanged. Only `commitTurn` rejects, because the host then keeps the turn and delivers it again.
 *
 * ```ts
 * api.registerContextEngine("weft", ({ workspaceDir }) => createContextEngine({ cwd: workspaceDir }));
 * ```
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import { printable } from "../../base/text/printable.ts";
import { Door } from "../live/door.ts";
import type {
	AssembleParams,
	AssembleResult,
	BootstrapResult,
	CompactResult,
	ContextEngine,
	ContextEngineInfo,
	TranscriptRewriteResult,
} from "./contract.ts";
import { FaultQueue } from "./fault-queue.ts";
import { openClawProject } from "./live-project.ts";
import { LiveTurns } from "./live-turns.ts";
import { weighAll } from "./message-budget.ts";
import { type ContextEngineOptions, openLog } from "./open.ts";
import { Sessions } from "./sessions.ts";
import { canNameTools, guidance, hostMemory, withHostMemory } from "./system-prompt.ts";

export function createContextEngine(options: ContextEngineOptions): ContextEngine {
	// A host may count fractions of a millisecond.
	const now = () => Math.trunc((options.now ?? Date.now)());
	const warn = options.warn ?? ((message: string) => process.stderr.write(`weft: ${printable(message)}\n`));
	const problems: string[] = [];
	const opened = openLog(options, (problem) => {
		problems.push(problem);
		warn(problem);
	});
	const engine = opened?.settings.enabled ? opened : undefined;
	const isOff = opened !== undefined && !engine;
	if (isOff) opened.close();
	const faults = new FaultQueue(engine, now);
	const door = new Door({
		record: (fault) => faults.add(fault),
		tell: warn,
		consequence: "OpenClaw carries on with its own messages",
	});
	const turns =
		engine &&
		new LiveTurns({
			...options,
			now,
			door,
			engine,
			sessions: new Sessions({ engine, cwd: options.cwd, now }),
			project: openClawProject(engine, { env: options.env, now, onFault: (where, error) => door.fail(where, error) }),
		});
	return new OpenClawEngine({ options, door, faults, turns, isOff, problem: problems.at(-1) });
}

export type { ContextEngineOptions };

/** A host that cannot do this refuses with our message instead of losing the turn halfway. */
const HOST_REQUIREMENTS: NonNullable<ContextEngineInfo["hostRequirements"]> = {
	"agent-run": {
		requiredCapabilities: ["assemble-before-prompt"],
		unsupportedMessage:
			"weft makes the context of every request, which this runtime does not allow. Use OpenClaw's embedded runtime, or set plugins.slots.contextEngine to legacy.",
	},
};

/** The host allows a second to dispose of an engine: time to read an undelivered turn and prepare the next one. */
const DISPOSE_MS = 800;

interface EngineParts {
	readonly options: ContextEngineOptions;
	readonly door: Door;
	readonly faults: FaultQueue;
	/** Undefined: weft is off, or the log could not be opened. */
	readonly turns: LiveTurns | undefined;
	/** True: the settings disable weft, so nothing failed. */
	readonly isOff: boolean;
	/** Why the log could not be opened. */
	readonly problem: string | undefined;
}

class OpenClawEngine implements ContextEngine {
	readonly info: ContextEngineInfo;
	readonly #parts: EngineParts;

	constructor(parts: EngineParts) {
		this.#parts = parts;
		this.info = {
			id: "weft",
			name: "weft",
			version: ownVersion(),
			// Without a log, or in a mode that never seals, the host must keep compacting.
			ownsCompaction: parts.turns?.makesSeals ?? false,
			turnMaintenanceMode: "background",
			hostRequirements: HOST_REQUIREMENTS,
			transcriptSemantics: {
				currentTurnFence: "before-current-turn-entry-v1",
				turnAdvancementIdempotency: "atomic-idempotent-v1",
			},
		};
	}

	bootstrap: ContextEngine["bootstrap"] = (params) =>
		this.#pass<BootstrapResult>(
			"bootstrap",
			params.sessionId,
			(turns) => turns.bootstrap(params),
			() => ({ bootstrapped: false, reason: "weft keeps no record of this session now." }),
		);

	ingest: ContextEngine["ingest"] = async (params) => {
		// Some hosts' own tests call it with nothing.
		const { message, ...rest } = params ?? {};
		if (!message) return { ingested: false };
		const { ingestedCount } = await this.ingestBatch({ ...rest, messages: [message] });
		return { ingested: ingestedCount > 0 };
	};

	ingestBatch: ContextEngine["ingestBatch"] = async (params) => {
		if (!params?.messages) return { ingestedCount: 0 };
		return this.#pass(
			"ingest",
			params.sessionId,
			async (turns) => ({ ingestedCount: turns.ingest(params) }),
			() => ({ ingestedCount: 0 }),
		);
	};

	afterTurn: ContextEngine["afterTurn"] = (params) =>
		this.#pass(
			"afterTurn",
			params.sessionId,
			async (turns) => turns.endTurn(params),
			() => undefined,
		);

	commitTurn: ContextEngine["commitTurn"] = async (params) => {
		const { isOff, turns, problem, faults, door } = this.#parts;
		// Accept the turn: once weft is on again, it reads it from the host's transcript.
		if (isOff) return { status: "committed" };
		// The user was warned of the problem when the log was opened.
		if (!turns) throw new EngineError("closed", `weft cannot record this turn: ${problem}`);
		faults.session = params.sessionId;
		try {
			return await turns.commit(params);
		} catch (error) {
			door.fail("commitTurn", error);
			throw error;
		}
	};

	assemble: ContextEngine["assemble"] = async (params) => {
		// No list is not an empty one, which would be a reset.
		if (!params?.messages) return asGiven({ ...params, messages: [] });
		const { door, options, isOff } = this.#parts;
		const { memoryPrompt } = options;
		const words = memoryPrompt && door.pass("memoryPrompt", () => hostMemory(memoryPrompt, params));
		const answer = await this.#pass(
			"assemble",
			params.sessionId,
			async (turns) => (await turns.assemble(params)) ?? asGiven(params),
			() => asGiven(params),
		);
		const own = isOff ? {} : guidance(canNameTools(options, params.availableTools));
		return withHostMemory({ ...answer, ...own }, words);
	};

	compact: ContextEngine["compact"] = async (params) => {
		const { door, options } = this.#parts;
		const { delegate } = options;
		const isOurs = this.info.ownsCompaction || !delegate;
		const answer = await this.#pass<CompactResult | undefined>(
			"compact",
			params.sessionId,
			async (turns) => {
				if (isOurs) return turns.compact(params);
				await turns.prepareHostCompaction(params);
				return undefined;
			},
			() => undefined,
		);
		if (answer) return answer;
		// If no engine compacts, the host gives up this turn and every later one of the session.
		const theirs = delegate && (await door.passAsync("delegate", () => delegate(params)));
		return theirs ?? { ok: false, compacted: false, reason: "weft could not compact." };
	};

	maintain: ContextEngine["maintain"] = (params) =>
		this.#pass(
			"maintain",
			params.sessionId,
			async (turns) =>
				(await turns.maintain(params)) ??
				untouched("weft leaves the transcript as it is: assemble computes what the model sees."),
			() => untouched("weft keeps no record of this session now."),
		);

	prepareSubagentSpawn: ContextEngine["prepareSubagentSpawn"] = (params) =>
		this.#pass(
			"prepareSubagentSpawn",
			params.parentSessionId ?? params.parentSessionKey,
			async (turns) => {
				const { parent, rollback } = turns.prepareSpawn(params);
				return { rollback: () => this.#pass("rollback", parent, rollback, () => undefined) };
			},
			() => undefined,
		);

	onSubagentEnded: ContextEngine["onSubagentEnded"] = (params) =>
		this.#pass(
			"onSubagentEnded",
			params.childSessionKey,
			async (turns) => turns.endSubagent(params),
			() => undefined,
		);

	dispose: ContextEngine["dispose"] = async () => {
		const until = performance.now() + DISPOSE_MS;
		const { turns } = this.#parts;
		for (const params of turns?.takeOpenAttempts() ?? []) {
			await this.#pass(
				"dispose",
				params.sessionId,
				(turns) => turns.readUndelivered(params, until),
				() => undefined,
			);
		}
		turns?.close();
	};

	/** Returns what `work` returns. If it fails, or weft is off, returns the fallback, which leaves the host as it was. */
	async #pass<Answer>(
		where: string,
		session: string,
		work: (turns: LiveTurns) => Promise<Answer>,
		fallback: () => Answer,
	): Promise<Answer> {
		const { door, faults, turns } = this.#parts;
		// No fault here: the user was warned when the log was opened, and a line at each turn would say nothing new.
		if (!turns) return fallback();
		faults.session = session;
		const answer = await door.passAsync(where, async () => ({ of: await work(turns) }));
		faults.flush();
		return answer ? answer.of : fallback();
	}
}

function asGiven({ messages }: AssembleParams): AssembleResult {
	return { messages, estimatedTokens: weighAll(messages), promptAuthority: "preassembly_may_overflow" };
}

function untouched(reason: string): TranscriptRewriteResult {
	return { changed: false, bytesFreed: 0, rewrittenEntries: 0, reason };
}
