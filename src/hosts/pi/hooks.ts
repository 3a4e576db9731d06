/**
 * What weft answers to each of Pi's questions. One function each; undefined leaves everything as Pi has it. Loaded when a
 * session starts and weft is wanted.
 */
import type {
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
	ToolCallEvent,
	ToolCallEventResult,
	ToolResultEvent,
	ToolResultEventResult,
	TurnEndEvent,
	TurnEndEventResult,
} from "@earendil-works/pi-coding-agent";
import { compactForPi } from "./compact.ts";
import { endTurn } from "./end-turn.ts";
import { finishMessage } from "./finish-message.ts";
import { judgeCall } from "./judge-call.ts";
import { judgeResult } from "./judge-result.ts";
import type { LiveSession } from "./live-session.ts";
import { stubPasted } from "./pasted.ts";
import { addPrompt } from "./prompt.ts";
import { sendRequest } from "./send.ts";
import { showContext } from "./show-context.ts";

type Hook<Event, Answer> = (event: Event, live: LiveSession) => Answer | undefined | Promise<Answer | undefined>;

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
}

export const HOOKS: Hooks = {
	input: stubPasted,
	before_agent_start: addPrompt,
	context: showContext,
	before_provider_request: sendRequest,
	message_end: finishMessage,
	tool_call: judgeCall,
	tool_result: judgeResult,
	turn_end: endTurn,
	session_before_compact: compactForPi,
};
