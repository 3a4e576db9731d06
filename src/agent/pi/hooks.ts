/** weft's answer to each of Pi's hooks: one function each; undefined changes nothing. Loads when a session starts with weft. */
import type {
	AgentSettledEvent,
	BeforeAgentStartEvent,
	BeforeProviderRequestEvent,
	ContextEvent,
	ContextEventResult,
	InputEvent,
	InputEventResult,
	MessageEndEvent,
	MessageEndEventResult,
	SessionBeforeCompactEvent,
	SessionBeforeCompactResult,
	SessionBeforeSwitchEvent,
	SessionCompactEvent,
	ToolCallEvent,
	ToolCallEventResult,
	ToolResultEvent,
	ToolResultEventResult,
	TurnEndEvent,
	TurnEndEventResult,
} from "@earendil-works/pi-coding-agent";
import { formatCount } from "../../base/text/bytes.ts";
import { renderAutoPolicy } from "../../context/seal/policy.ts";
import { HISTORY_PREAMBLE } from "../../tool/catalogue.ts";
import type { LivePi } from "./live.ts";
import { askAboutMemoryModels } from "./memory-question.ts";
import { planContext, recordSent, sendRequest } from "./request.ts";
import { compactForPi, endTurn, isSealedBeforeInput, sealBeforeInput, settleSeal } from "./seal.ts";
import { judgeCall, judgeResult } from "./tool-hooks.ts";

type Hook<Event, Answer> = (event: Event, live: LivePi) => Answer | undefined | Promise<Answer | undefined>;

export interface Hooks {
	readonly input: Hook<InputEvent, InputEventResult>;
	readonly before_agent_start: Hook<BeforeAgentStartEvent, void>;
	readonly context: Hook<ContextEvent, ContextEventResult>;
	readonly before_provider_request: Hook<BeforeProviderRequestEvent, unknown>;
	readonly message_end: Hook<MessageEndEvent, MessageEndEventResult>;
	readonly tool_call: Hook<ToolCallEvent, ToolCallEventResult>;
	readonly tool_result: Hook<ToolResultEvent, ToolResultEventResult>;
	readonly turn_end: Hook<TurnEndEvent, TurnEndEventResult>;
	readonly session_before_compact: Hook<SessionBeforeCompactEvent, SessionBeforeCompactResult>;
	/** The agent waits for the user. */
	readonly agent_settled: Hook<AgentSettledEvent, void>;
	readonly session_before_switch: Hook<SessionBeforeSwitchEvent, void>;
	readonly session_compact: Hook<SessionCompactEvent, void>;
	/** Before every hook, first: records the request that has left. */
	readonly settleRequest: (live: LivePi) => void;
	/** Before every hook, after Pi's new entries: records the seal that Pi has accepted. */
	readonly settleSeal: (live: LivePi) => void;
	/** When a session starts or another model is chosen: tells what the user should know before the next request. */
	readonly tellAhead: (live: LivePi) => void;
	/** Runs in the background, once per session. */
	readonly beside: (live: LivePi, signal: AbortSignal) => Promise<void>;
}

export const HOOKS: Hooks = {
	input: async (event, live) => {
		await sealBeforeInput(live);
		tellOfRewrite(live);
		const { images } = event;
		const text = live.loop.shortenPrompt(event.text);
		if (text === undefined) return undefined;
		live.warn(describePasted(event));
		return { action: "transform", text, ...(images ? { images } : {}) };
	},
	before_agent_start: addPrompt,
	context: (event, live) => {
		// The user's words are recorded by now, so memory can begin the session.
		live.project.memory?.begin(live.session);
		return planContext(event, live);
	},
	before_provider_request: sendRequest,
	message_end: finishMessage,
	tool_call: judgeCall,
	tool_result: judgeResult,
	turn_end: endTurn,
	session_before_compact: async (event, live) => {
		await live.skills?.run("before_compact", live);
		return compactForPi(event, live);
	},
	agent_settled: async (_event, live) => {
		await live.skills?.run("after_response", live);
		live.loop.turnEnded({ isRunOver: true });
		// In the background: Pi must not wait for the user's answer.
		void askAboutMemoryModels(live).catch((error) => live.project.fail("question", error));
	},
	session_before_switch: (_event, live) => {
		live.loop.left();
	},
	session_compact: ({ fromExtension }, live) => {
		// For a seal by weft, `settleSeal` does this.
		if (!fromExtension) live.loop.afterCompaction();
	},
	settleRequest: recordSent,
	settleSeal,
	tellAhead: (live) => {
		tellOfPolicy(live);
		if (!isSealedBeforeInput(live)) tellOfRewrite(live);
	},
	beside: (live, signal) => live.loop.mapRepository(signal),
};

/** A user who turned Pi's compaction off should know that weft heeds it. */
function tellOfPolicy(live: LivePi): void {
	const { autoSeal, ctx, engine } = live;
	if (live.mode() === "off" || engine.settings.seal !== "auto" || autoSeal !== "no-compaction") return;
	const notice = renderAutoPolicy(ctx.model?.id ?? "the model", live.pricesOf(ctx.model?.id), autoSeal);
	if (notice !== undefined) live.warnOnce(notice);
}

function tellOfRewrite(live: LivePi): void {
	const notice = live.loop.rewriteNotice(live.input());
	if (notice !== undefined) live.warn(notice);
}

function describePasted({ text }: InputEvent): string {
	const size = formatCount(text.length);
	return `your message of ${size} characters is large: the model gets its beginning, an outline and its end. The whole is kept, and the model can fetch it.`;
}

const SECTION_NAME = "lossless_context";

/**
 * Adds the constant preamble about the history to Pi's system prompt, as its own section. It is there from the first request, in
 * every mode: a section that came later would change the first bytes of all that was sent.
 */
function addPrompt({ systemPromptOptions }: BeforeAgentStartEvent): void {
	systemPromptOptions.sections[SECTION_NAME] = HISTORY_PREAMBLE.trim();
}

/** The user's own handlers may change a message before Pi stores it. */
async function finishMessage({ message }: MessageEndEvent, live: LivePi): Promise<MessageEndEventResult | undefined> {
	if (live.mode() === "off" || message.role === "system") return undefined;
	const finished = await live.engine.requests.finish(live.input(), { ...message });
	return finished.isChanged && finished.message ? ({ message: finished.message } as MessageEndEventResult) : undefined;
}
