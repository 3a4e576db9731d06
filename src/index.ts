export type {
	ContextEnvelope,
	EnvelopeMessage,
	GivenMessage,
	SystemPart,
	ToolDefinition,
} from "./context/envelope/envelope.ts";
export type {
	Beside,
	ContextEvent,
	ContextHandler,
	ContextResult,
	HandlerApi,
	MessageEvent,
	MessageHandler,
	MessageResult,
} from "./context/handler/handler.ts";
export type { ContextReason } from "./context/patch/boundary.ts";
export type { ContextPatchOp } from "./context/patch/operation.ts";
export type { Assembled, AssembleInput } from "./context/request/requests.ts";
export type { ContextItem } from "./context/section/section.ts";
export { type Engine, type EngineOptions, type GivenEvent, openEngine } from "./engine.ts";
export { EngineError, type ErrorCode } from "./error/engine-error.ts";
export type { EventRecord, KnownType, NewEvent, Payload } from "./event/types.ts";
export type { GuardCall, Outcome } from "./guard/types.ts";
export type { Summariser, SummaryAnswer, SummaryRequest } from "./history/summariser.ts";
export type { AgentMessage, ContextEngine } from "./hosts/openclaw/contract.ts";
export { type ContextEngineOptions, createContextEngine } from "./hosts/openclaw/engine.ts";
export type { Log } from "./log/log.ts";
export type { AppendResult, LogView, ReadQuery } from "./log/types.ts";
export { type CheckOptions, checkRequest, type Violation } from "./message/validity.ts";
export type { Form } from "./message/view.ts";
export { type BareMessage, messageReader } from "./session/message-events.ts";
