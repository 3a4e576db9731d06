/**
 * One session of an agent at work: the loop that every agent passes through. An adapter translates its program's hooks into
 * these calls and the answers back, and does nothing else. Rules that hold for all agents are here: in `off` weft records and
 * does nothing else, in `report` it writes verdicts down and changes nothing.
 */
import { asText } from "../../base/json/read.ts";
import { cutEnd, cutStart } from "../../base/text/cut.ts";
import type { ModeName } from "../../context/moment.ts";
import { failureNotes } from "../../context/notes.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { RequestInput, SealInput } from "../../context/request.ts";
import type { GuardCall } from "../../guard/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { withNotes } from "../../message/note.ts";
import { stubLarge } from "../../state/history/large-content.ts";
import type { ActiveSkills } from "../../state/memory/skill/active-skills.ts";
import { failureChange } from "./failure-change.ts";
import { renderFileChanges } from "./file-changes.ts";
import type { LiveProject } from "./project.ts";
import { type RecalledBlock, type RecallFor, recallBlock } from "./recall-for.ts";
import { isOwnTool, shortenResult, type ToolResult } from "./tool-result.ts";

/** A tool call as an adapter hands it over. */
export type ToolCall = Omit<GuardCall, "session" | "host" | "cwd">;

export type CallVerdict =
	/** `input`: run the call with these arguments instead. */
	| { readonly action: "pass"; readonly input?: ToolCall["input"] | undefined }
	| { readonly action: "block"; readonly reason: string };

/** What the model gets of a result. */
export interface SeenResult {
	/** The result's text, shortened where it was too long. */
	readonly text: string;
	/** SHA-256 of the whole text where it was shortened. */
	readonly blob?: string | undefined;
	readonly notes: readonly string[];
	/** What the call did to a file, where the agent itself notes nothing. */
	readonly details?: unknown;
}

/** People write what they want at the beginning or the end of a pasted file. */
const KEPT_PROMPT_CHARS = 2_000;

const PASS: CallVerdict = { action: "pass" };
const MAX_REASON_CHARS = 600;
/** Of a call's arguments, in the event that keeps the whole text of its result. */
const MAX_INPUT_CHARS = 1_000;

export class LiveSession {
	readonly ref: SessionRef;
	readonly cwd: string;
	/** Skills that are active; set by an adapter whose agent has them. */
	skills: ActiveSkills | undefined;
	readonly #project: LiveProject;
	/** The newest event whose failures the model knows. */
	#failuresKnown: number | undefined;

	constructor(project: LiveProject, ref: SessionRef, cwd: string) {
		this.#project = project;
		this.ref = { session: ref.session, host: ref.host };
		this.cwd = cwd;
	}

	/** The user speaks: what memory holds on it. The adapter puts the block where its port says, then calls `recalled`. */
	async recall(
		words: string,
		input: Omit<RequestInput, "session" | "host"> = {},
		options: RecallFor = {},
	): Promise<RecalledBlock | undefined> {
		const { engine, port, isOff, memory } = this.#project;
		if (isOff || port.recall === "none" || words.trim() === "") return undefined;
		memory?.takeInEdits(this.ref);
		const scope = engine.settings.memory ? options.scope : "none";
		return recallBlock(engine, { ...input, ...this.ref }, words, { ...options, scope });
	}

	/** The block has reached the model: the bullets in it have proved themselves. */
	recalled({ bullets }: RecalledBlock): void {
		if (bullets.length > 0) this.#project.memory?.recalled(this.ref, bullets);
	}

	/** A prompt with a whole file pasted into it: its beginning, an outline and its end. Undefined: it goes out as it is. */
	shortenPrompt(text: string): string | undefined {
		const { engine, isOff, isReporting } = this.#project;
		const { log, settings } = engine;
		if (isOff || isReporting) return undefined;
		const thresholdTokens = settings.largFileThresholdTokens;
		const large = stubLarge(text, { store: (bytes) => log.putBlob(bytes), thresholdTokens });
		if (!large.stubbed) return undefined;
		// The event that keeps the bytes for good: the agent's own entry will hold only the shorter text.
		const payload = { name: "pasted", data: { chars: text.length }, blob: large.hash };
		engine.record([{ type: "Custom", ...this.ref, payload }]);
		return [cutStart(text, KEPT_PROMPT_CHARS), large.text, cutEnd(text, KEPT_PROMPT_CHARS)].join("\n\n");
	}

	/** Before a tool runs. */
	judge(call: ToolCall): CallVerdict {
		if (this.#project.isOff) return PASS;
		const refused = this.#refuseBySkills(call);
		if (refused) return refused;
		const outcome = this.#project.engine.judge(this.#guardCall(call));
		return outcome.action === "block"
			? { action: "block", reason: outcome.reason }
			: { action: "pass", input: outcome.input };
	}

	/** After a tool ran: its result is shortened, what it did is looked at, and notes are collected. */
	async look(call: ToolCall, result: ToolResult): Promise<SeenResult> {
		const { engine, fleet, isOff } = this.#project;
		if (isOff) return { text: result.text, notes: [] };
		const guarded = this.#guardCall(call);
		const { text, blob } = shortenResult(engine, guarded, result);
		if (blob !== undefined) this.#keepOriginal(call, text, blob);
		const { tool, callId } = call;
		const { isError, details } = result;
		const block = { kind: "result", tool, callId, text, isError, details } as const;
		// Before anything new is written: the state is folded already.
		const earlier = this.#failuresSince(tool);
		const { notes, written } = engine.observe(guarded, block);
		const change = this.#notesFailures && !isOwnTool(tool) ? failureChange(engine, guarded, block) : undefined;
		const failures = change ? failureNotes(change.after, change.newest) : [];
		const elsewhere = (change && (await fleet?.notes(this.ref, change))) ?? [];
		return { text, blob, notes: [...notes, ...earlier, ...failures, ...elsewhere], details: written };
	}

	/** Before a request: files that somebody else has changed since the model saw them, in one short text for its end. */
	changesOnDisk(): string | undefined {
		const { engine, isOff, isReporting } = this.#project;
		if (isOff || isReporting) return undefined;
		const { events } = engine.observe(this.#guardCall({ tool: "", callId: "", input: {} }));
		return renderFileChanges(events);
	}

	/** The agent compacts, or should: the seal that takes its place. It counts once the agent has taken it. */
	async seal(input: Omit<SealInput, "session" | "host">): Promise<PlannedSeal | undefined> {
		const { engine, isOff, sidecar } = this.#project;
		if (isOff || engine.log.readOnly) return undefined;
		const { gate } = sidecar;
		return engine.requests.seal({ gate, ...input, ...this.ref, mode: this.sealMode, decide: true });
	}

	/** A compaction comes: what memory holds of the session is written first. */
	beforeCompaction(): void {
		const { memory } = this.#project;
		memory?.begin(this.ref);
		memory?.beforeCompaction(this.ref);
	}

	afterCompaction(): void {
		this.#project.memory?.afterCompaction(this.ref);
	}

	/**
	 * `warp` computes a context for each run, so there is nothing to seal. Where weft makes the messages, the agent's own
	 * session is compacted by the summaries. Where the seed is all that reaches the model, it is the one of `woven`.
	 */
	get sealMode(): ModeName {
		const { mode, port } = this.#project;
		if (mode !== "warp") return mode;
		return port.request === "messages" ? "lossless" : "woven";
	}

	/** `isRunOver`: the agent rests. */
	turnEnded({ isRunOver }: { readonly isRunOver: boolean }): void {
		const { memory, isOff, engine } = this.#project;
		this.#project.ship();
		if (isOff) return;
		// What is true after this turn is folded with it, so that the next request does not wait for it.
		engine.state();
		memory?.begin(this.ref);
		memory?.turnEnded(this.ref, { isRunOver });
		if (isRunOver) void memory?.retryLater(this.ref);
	}

	/** The user begins another session. */
	left(): void {
		this.#project.memory?.beforeNewSession(this.ref);
	}

	#guardCall(call: ToolCall): GuardCall {
		return { ...call, ...this.ref, cwd: this.cwd };
	}

	/** A call that an active skill does not allow. */
	#refuseBySkills({ tool, callId, input }: ToolCall): CallVerdict | undefined {
		const { skills } = this;
		if (!skills) return undefined;
		const [command, path] = [asText(input["command"]), asText(input["path"])];
		const refused = skills.refuse({ tool, command, path }, this.cwd);
		if (refused === undefined) {
			if (tool === "read" && path !== undefined) skills.read(path, this.cwd);
			return undefined;
		}
		const { engine, isReporting } = this.#project;
		const reason = cutStart(refused, MAX_REASON_CHARS);
		const mode = engine.settings.policyMode;
		const payload = { verdict: "block", rule: "skill-tools", mode, reason, tool, callId } as const;
		engine.record([{ type: "Verdict", ...this.ref, payload }]);
		return isReporting ? undefined : { action: "block", reason };
	}

	/** The event that keeps the bytes for good, where the agent's own file will hold only the shorter text. */
	#keepOriginal({ tool, callId, input }: ToolCall, text: string, blob: string): void {
		const { engine, port } = this.#project;
		if (port.originals !== "beside") return;
		const of = cutStart(asText(input["command"]) ?? JSON.stringify(input), MAX_INPUT_CHARS);
		const data = { tool, callId, of, chars: text.length };
		engine.record([{ type: "Custom", ...this.ref, payload: { name: "bounded", data, blob } }]);
	}

	/** `warp` shows open failures in its context, and `lossless` adds nothing to results. */
	get #notesFailures(): boolean {
		return this.#project.mode === "woven" && !this.#project.isReporting;
	}

	/** Failures that commands of the user opened, brought back or resolved since the last result; once each. */
	#failuresSince(tool: string): string[] {
		if (isOwnTool(tool)) return [];
		const { log, state } = this.#project.engine;
		const newest = log.newestSeq();
		const since = this.#failuresKnown ?? newest;
		this.#failuresKnown = newest;
		if (since === newest || !this.#notesFailures) return [];
		const byUser = (seq: number) => log.get(seq)?.payload["by"] === "user";
		return failureNotes(state().state.failures.failures, since, byUser);
	}
}

/** The result with its notes at the end. */
export function insideText({ text, notes }: SeenResult): string {
	return withNotes(text, notes);
}

/** The notes alone, within what the program shows beside a result. Undefined: there are none. */
export function besideText({ notes }: SeenResult, maxChars = Number.POSITIVE_INFINITY): string | undefined {
	return notes.length === 0 ? undefined : cutStart(withNotes("", notes).trimStart(), maxChars);
}
