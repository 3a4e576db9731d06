export type { Assembled, AssembleInput } from "./assembly/request/requests.ts";
export type { ContextItem } from "./assembly/section.ts";
export { type Engine, type EngineOptions, type GivenEvent, openEngine } from "./engine.ts";
export type { ContextReason } from "./envelope/boundary.ts";
export type {
	ContextEnvelope,
	EnvelopeMessage,
	GivenMessage,
	SystemPart,
	ToolDefinition,
} from "./envelope/envelope.ts";
export type {
	Beside,
	ContextEvent,
	ContextHandler,
	ContextResult,
	HandlerApi,
	MessageEvent,
	MessageHandler,
	MessageResult,
} from "./envelope/handler.ts";
export type { ContextPatchOp } from "./envelope/operation.ts";
export { type CheckOptions, checkRequest, type Violation } from "./envelope/validity.ts";
export { EngineError, type ErrorCode } from "./error/engine-error.ts";
export type { EventRecord, KnownType, NewEvent, Payload } from "./event/types.ts";
export type { GuardCall, Outcome } from "./guard/types.ts";
export type { AgentMessage, ContextEngine } from "./hosts/openclaw/contract.ts";
export { type ContextEngineOptions, createContextEngine } from "./hosts/openclaw/engine.ts";
export type { Log } from "./log/log.ts";
export type { AppendResult, LogView, ReadQuery } from "./log/types.ts";
export type { Summariser, SummaryAnswer, SummaryRequest } from "./summary/summariser.ts";
export { type BareMessage, messageReader } from "./transcript/message-events.ts";
