/**
 * One session of an agent at work: the loop that every agent passes through. An adapter translates its program's hooks into
 * these calls and the answers back, and does nothing else. The rules for all agents are here: in `off` weft only records, in
 * `report` it records verdicts and changes nothing.
 */

import { asText } from "../../base/json/read.ts";
import { cutEnd, cutStart, cutToBytes } from "../../base/text/cut.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { lastModel } from "../../context/cache/reported-fold.ts";
import { controlEvent } from "../../context/control-share.ts";
import type { ModeName } from "../../context/moment.ts";
import { failureNotes } from "../../context/notes.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { RequestInput, SealInput } from "../../context/request.ts";
import type { RewriteForecast } from "../../context/seal/rewrite-forecast.ts";
import type { SealReason } from "../../context/seal/rule.ts";
import { countHeld } from "../../context/section/thread.ts";
import { inRealTokens } from "../../context/sizes.ts";
import type { GuardCall, GuardEvent } from "../../guard/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { cutBetweenMarks, nameInLine } from "../../message/enclosure.ts";
import { imitatesNotes, NOT_OURS, safeNote, withNotes } from "../../message/note.ts";
import { stubLarge } from "../../state/history/large-content.ts";
import { HISTORY_DEFAULTS } from "../../state/history/types.ts";
import type { ActiveSkills } from "../../state/memory/skill/active-skills.ts";
import { commandText } from "../../state/session/shell-command.ts";
import { renderRewriteNotice } from "../../view/rewrite-notice.ts";
import { renderSealNotice } from "../../view/seal-notice.ts";
import { failureChange } from "./failure-change.ts";
import type { LiveProject } from "./project.ts";
import { findReadingRoom } from "./reading-room.ts";
import { type RecallBlockOptions, type RecalledBlock, recallBlock } from "./recall-block.ts";
import type { OfferedSeal } from "./seed-offer-event.ts";
import { isOwnTool, shortenResult, type ToolResult } from "./tool-result.ts";

/** A tool call as an adapter hands it over. */
export type ToolCall = Omit<GuardCall, "session" | "host" | "cwd">;

export type CallVerdict =
	/** `input`: run the call with these arguments instead. */
	| { readonly action: "pass"; readonly input?: ToolCall["input"] | undefined }
	| { readonly action: "block"; readonly reason: string };

/** A result as the model gets it. */
export interface SeenResult {
	/** Shortened where it was too long. */
	readonly text: string;
	/** SHA-256 of the whole text where it was shortened. */
	readonly blob?: string | undefined;
	readonly notes: readonly string[];
	/** The change that the call made to a file, where the agent itself notes none. */
	readonly details?: unknown;
}

/** People write their request before or after the file they paste. */
const KEPT_PROMPT_CHARS = 2_000;

const PASS: CallVerdict = { action: "pass" };
const MAX_REASON_CHARS = 600;
/** Limits a call's arguments in the event that keeps the whole text of its result. */
const MAX_INPUT_CHARS = 1_000;
const MAX_CHANGES_TOKENS = 300;
const MAX_NAMED_CHANGES = 8;

export class LiveSession {
	readonly ref: SessionRef;
	readonly cwd: string;
	/** Set by an adapter whose agent has skills. */
	skills: ActiveSkills | undefined;
	/** Tokens of the model's window. Set by an adapter whose agent says it. */
	window: number | undefined;
	readonly #project: LiveProject;
	/** The moment at which the user last heard that the context is written again. */
	#toldRewrite: string | undefined;
	#isControlNoted = false;
	/** seq of the newest event whose failures the model knows. */
	#failuresKnown: number | undefined;

	constructor(project: LiveProject, ref: SessionRef, cwd: string) {
		this.#project = project;
		this.ref = { session: ref.session, host: ref.host };
		this.cwd = cwd;
	}

	/** Recalls memory for the user's words. The adapter puts the block where its port says, then calls `recalled`. */
	async recall(
		words: string,
		input: Omit<RequestInput, "session" | "host"> = {},
		options: RecallBlockOptions = {},
	): Promise<RecalledBlock | undefined> {
		const { engine, port, isOff, memory } = this.#project;
		if (isOff || port.recall === "none" || words.trim() === "") return undefined;
		memory?.takeInEdits(this.ref);
		const scope = engine.settings.memory ? options.scope : "none";
		return recallBlock(engine, { ...input, ...this.ref }, words, { ...options, scope });
	}

	/** Recalls memory as text beside the user's words, within the agent's limit. The model gets it for sure. */
	async recallBeside(words: string): Promise<string | undefined> {
		const block = await this.recall(words);
		if (!block) return undefined;
		const { maxBesideChars = Number.POSITIVE_INFINITY } = this.#project.port;
		const text = cutStart(block.text, maxBesideChars);
		this.recalled(block, text);
		return text;
	}

	/**
	 * The block has reached the model: memory counts its bullets as used, and the session has its rules. `beside`: the text that no
	 * message of the log holds.
	 */
	recalled({ bullets, isOpening }: RecalledBlock, beside?: string): void {
		const { engine } = this.#project;
		if ((isOpening || beside !== undefined) && !engine.log.readOnly)
			engine.record([
				{ type: "Given", ...this.ref, payload: { ...(isOpening && { opens: true as const }), text: beside } },
			]);
		if (bullets.length > 0) this.#project.memory?.recalled(this.ref, bullets);
	}

	/** Shortens a prompt with a pasted file to its beginning, an outline and its end. Undefined: it stays as it is. */
	shortenPrompt(text: string): string | undefined {
		const { engine, isOff, isReporting } = this.#project;
		const { log, settings } = engine;
		if (isOff || isReporting) return undefined;
		const thresholdTokens = settings.largFileThresholdTokens;
		const large = stubLarge(text, { store: (bytes) => log.putBlob(bytes), thresholdTokens });
		if (!large.stubbed) return undefined;
		// Keeps the bytes for good: the agent's own entry will hold only the shorter text.
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
			? { action: "block", reason: this.#safe(outcome.reason, call) }
			: { action: "pass", input: outcome.input };
	}

	/** After a tool ran: shortens its result, records its effects and collects notes. */
	async look(call: ToolCall, result: ToolResult): Promise<SeenResult> {
		const { engine, fleet, isOff } = this.#project;
		if (isOff) return { text: result.text, notes: [] };
		const guarded = this.#guardCall(call);
		const { text, blob } = shortenResult(engine, guarded, result, () => this.#findRoom());
		if (blob !== undefined) this.#keepOriginal(call, text, blob);
		const { tool, callId } = call;
		const { isError, details } = result;
		const block = { kind: "result", tool, callId, text, isError, details } as const;
		// Before new events are recorded, while the state is still folded.
		const earlier = this.#failuresSince(tool);
		const { notes, written } = engine.observe(guarded, block);
		const change = this.#notesFailures && !isOwnTool(tool) ? failureChange(engine, guarded, block) : undefined;
		const failures = change ? failureNotes(change.after, change.newest) : [];
		const elsewhere = (change && (await fleet?.notes(this.ref, change))) ?? [];
		const said = [...notes, ...earlier, ...failures, ...elsewhere].map((note) => this.#safe(note, call));
		const isForged = !this.#project.isReporting && !isOwnTool(tool) && imitatesNotes(text);
		return { text, blob, notes: isForged ? [...said, NOT_OURS] : said, details: written };
	}

	/** What the next request writes to the provider's cache again; undefined: little, or the agent decides it all. */
	forecastRewrite(input: Omit<RequestInput, "session" | "host">): RewriteForecast | undefined {
		const { engine, mode } = this.#project;
		// `warp` writes a new context for every run.
		if (mode === "off" || mode === "warp") return undefined;
		return engine.requests.forecastRewrite({ ...input, ...this.ref, mode: this.sealMode, decide: false });
	}

	/**
	 * Before the user's next words: says once for each moment that the next request writes the whole context again.
	 * `isSummarised`: the agent's own model would read it all to compact it. Undefined: nothing to say.
	 */
	rewriteNotice(
		input: Omit<RequestInput, "session" | "host">,
		options: { readonly isSummarised?: boolean | undefined } = {},
	): string | undefined {
		const forecast = this.forecastRewrite(input);
		const tip = this.#project.engine.history.tree.tip(this.ref);
		const moment = forecast && `${tip} ${forecast.why} ${input.model}`;
		if (!forecast || moment === this.#toldRewrite) return undefined;
		this.#toldRewrite = moment;
		return renderRewriteNotice(forecast, options);
	}

	/** Before a request: names files that changed since the model saw them, in a short text for the end of the request. */
	changesOnDisk(): string | undefined {
		const { engine, isOff, isReporting } = this.#project;
		if (isOff || isReporting) return undefined;
		const { events } = engine.observe(this.#guardCall({ tool: "", callId: "", input: {} }));
		return renderFileChanges(events);
	}

	/**
	 * Plans the seal that replaces the agent's own compaction. It counts once the agent has accepted it. Undefined: nothing can
	 * leave, or too little, and the agent compacts by itself.
	 */
	async seal(input: Omit<SealInput, "session" | "host">): Promise<PlannedSeal | undefined> {
		const { engine, isOff, sidecar } = this.#project;
		if (isOff || engine.log.readOnly || this.#isTooShort(input)) return undefined;
		const { gate } = sidecar;
		return engine.requests.seal({ gate, ...input, ...this.ref, mode: this.sealMode, decide: true });
	}

	/** Tells the user of a seal that was made. `search`: the user's own way to find what left. */
	sealNotice(seal: OfferedSeal | PlannedSeal, search: string, model?: string): string {
		const { engine } = this.#project;
		const { reported } = engine.stateFor(this.ref).state;
		const { prices } = engine.requests.policy({ ...this.ref, model, decide: false });
		const used = model ?? lastModel(reported, this.ref);
		return renderSealNotice(seal, {
			real: (tokens) => inRealTokens(reported, this.ref, tokens),
			held: "held" in seal ? seal.held : countHeld(seal.seed),
			search,
			model: used,
			prices,
		});
	}

	/**
	 * Writes the session's memory before its messages leave the context: from state at once, then by a model, for which the agent waits
	 * some seconds at most. `asks`: the session's own model is slow, so it is among `all` only.
	 */
	async beforeCompaction({ asks = "small" as "none" | "small" | "all" } = {}): Promise<void> {
		const { memory, memoryModels } = this.#project;
		memory?.begin(this.ref);
		const models = { none: () => [], small: () => memoryModels.urgent(), all: () => memoryModels.background() };
		await memory?.beforeCompaction(this.ref, models[asks]());
	}

	/**
	 * At a moment that may bring a seal: if it does, a model updates the session's memory first, and the session's own leaves itself a
	 * note, so that the seed has their words. `why`: undefined if no seal is due.
	 */
	async beforeDueSeal(why: () => SealReason | undefined): Promise<void> {
		const { memory, memoryModels } = this.#project;
		const isSmallAsked = memoryModels.urgent().length > 0;
		if (!memory || !(isSmallAsked || memoryModels.note())) return;
		const reason = why();
		if (reason === undefined) return;
		await Promise.all([isSmallAsked ? this.beforeCompaction() : undefined, this.noteAtSeal(reason)]);
	}

	/** Where the agent lends the session's own model with its cached context, and the user allowed it. */
	async noteAtSeal(why: SealReason): Promise<void> {
		const { memory, memoryModels } = this.#project;
		const model = memoryModels.note();
		// Without a cache the note would cost a whole prompt; after an overflow no request fits.
		if (memory && model && why !== "cold-cache" && why !== "overflow") await memory.noteAtSeal(this.ref, model);
	}

	afterCompaction(): void {
		this.#project.memory?.afterCompaction(this.ref);
	}

	/**
	 * `warp` computes a context for each run and seals nothing. Where weft makes the messages, the summaries of `lossless`
	 * compact the agent's own session. Where only the seed reaches the model, it is the seed of `woven`.
	 */
	get sealMode(): ModeName {
		const { mode, port } = this.#project;
		if (mode !== "warp") return mode;
		return port.request === "messages" ? "lossless" : "woven";
	}

	/** With `controlShare`, writes down once in which half of the comparison this session is. */
	#noteControl(): void {
		const { settings, log } = this.#project.engine;
		const { controlShare } = settings;
		if (this.#isControlNoted || controlShare === 0 || log.readOnly || this.ref.session.includes("/")) return;
		this.#isControlNoted = true;
		this.#project.engine.record([controlEvent(this.ref, controlShare)]);
	}

	/** `isRunOver`: the agent waits for the user. */
	turnEnded({ isRunOver }: { readonly isRunOver: boolean }): void {
		const { memory, isOff, engine } = this.#project;
		this.#project.ship();
		if (isOff) return;
		this.#noteControl();
		// Fold this turn now, so that the next request does not wait for it.
		engine.stateFor(this.ref);
		memory?.begin(this.ref);
		memory?.turnEnded(this.ref, { isRunOver });
		if (isRunOver) void memory?.retryLater(this.ref);
	}

	/** The session has ended; the process may serve others. */
	ended(): void {
		this.#project.memory?.sessionEnded(this.ref);
		this.#project.ship({ isLast: true });
	}

	/** The user starts another session. */
	left(): void {
		this.#project.memory?.beforeNewSession(this.ref);
	}

	/** Records a map of the repository where it differs from the last one. */
	async mapRepository(signal: AbortSignal): Promise<void> {
		const { engine, isOff } = this.#project;
		if (isOff) return;
		// Loaded here, because most hook processes never need it.
		const { readRepoMap } = await import("../../base/git/repo-map.ts");
		const map = await readRepoMap(engine.project.root, { signal });
		if (!map || signal.aborted) return;
		const known = engine.stateFor(this.ref).state.repo.map;
		if (known && known.head === map.head && known.files === map.files) return;
		engine.record([{ type: "RepoMap", ...this.ref, payload: { ...map } }]);
	}

	/**
	 * Too few messages for a summary: the agent's own compaction handles them, unless the seed only comes beside it. An overflow
	 * must shrink the request however few there are, and a seal that is due has passed the rule already.
	 */
	#isTooShort({ force, why, ...input }: Omit<SealInput, "session" | "host">): boolean {
		const { engine, port } = this.#project;
		if (port.seals !== "compaction" || !force || why === "overflow") return false;
		const { path } = engine.requests.moment({ ...input, ...this.ref, decide: false });
		return path.opening === undefined && path.messages.length < HISTORY_DEFAULTS.minMessages;
	}

	/** The log has an answer of a model in this session, and so the room that is left. */
	get isAnswered(): boolean {
		return lastModel(this.#project.engine.stateFor(this.ref).state.reported, this.ref) !== undefined;
	}

	#findRoom(): number | undefined {
		return findReadingRoom(this.#project, this.ref, this.window);
	}

	#guardCall(call: ToolCall): GuardCall {
		const findRoom = () => {
			const tokens = this.#findRoom();
			return tokens === undefined ? undefined : bytesOfTokens(tokens);
		};
		return { ...call, ...this.ref, cwd: this.cwd, findRoom };
	}

	/** Everything that the guard says to a model passes here: it names files and quotes them. */
	#safe(note: string, { callId }: ToolCall): string {
		return safeNote(note, `${this.ref.session} ${callId}`);
	}

	/** Blocks a call that an active skill does not allow. */
	#refuseBySkills(call: ToolCall): CallVerdict | undefined {
		const { tool, callId, input } = call;
		const { skills } = this;
		if (!skills) return undefined;
		const [command, path] = [commandText(input), asText(input["path"])];
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
		return isReporting ? undefined : { action: "block", reason: this.#safe(reason, call) };
	}

	/** Keeps the bytes for good where the agent's own file will hold only the shorter text. */
	#keepOriginal({ tool, callId, input }: ToolCall, text: string, blob: string): void {
		const { engine, port } = this.#project;
		if (port.originals !== "beside") return;
		const of = cutStart(commandText(input) ?? JSON.stringify(input), MAX_INPUT_CHARS);
		const data = { tool, callId, of, chars: text.length };
		engine.record([{ type: "Custom", ...this.ref, payload: { name: "bounded", data, blob } }]);
	}

	/** `warp` shows open failures in its context, and `lossless` adds nothing to results. */
	get #notesFailures(): boolean {
		return this.#project.mode === "woven" && !this.#project.isReporting;
	}

	/** Notes on failures that the user's own commands opened, reopened or resolved since the last result; once each. */
	#failuresSince(tool: string): string[] {
		if (isOwnTool(tool)) return [];
		const { log, stateFor } = this.#project.engine;
		const newest = log.newestSeq();
		const since = this.#failuresKnown ?? newest;
		this.#failuresKnown = newest;
		if (since === newest || !this.#notesFailures) return [];
		const byUser = (seq: number) => log.get(seq)?.payload["by"] === "user";
		return failureNotes(stateFor(this.ref).state.failures.failures, since, byUser);
	}
}

/** The result's text with the notes at its end. */
export function insideText({ text, notes }: SeenResult): string {
	return withNotes(text, notes);
}

/** The notes alone, within the agent's limit for text beside a result. Undefined: there are none. */
export function besideText({ notes }: SeenResult, maxChars = Number.POSITIVE_INFINITY): string | undefined {
	return notes.length === 0 ? undefined : cutBetweenMarks(withNotes("", notes).trimStart(), maxChars);
}

/** Undefined: the events hold no changed file. */
function renderFileChanges(events: readonly GuardEvent[]): string | undefined {
	const changes = events.flatMap((event) => (event.type === "FileChanged" ? [event.payload] : []));
	if (changes.length === 0) return undefined;
	const named = changes.slice(0, MAX_NAMED_CHANGES).map(({ path, kind, added, removed }) => {
		const name = nameInLine(path);
		if (kind === "delete") return `${name} (deleted)`;
		return removed === null ? name : `${name} (+${added}/−${removed})`;
	});
	const more = changes.length - named.length;
	const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	const text = `[weft] Changed on disk since you last saw it, not by you: ${list}. Read what you need of it again before you edit it.`;
	return cutToBytes(text, bytesOfTokens(MAX_CHANGES_TOKENS));
}
