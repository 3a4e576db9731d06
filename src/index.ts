export type {
	ContextEnvelope,
	EnvelopeMessage,
	GivenMessage,
	SystemPart,
	ToolDefinition,
} from "./context/envelope/envelope.ts";
export type {
	ContextEvent,
	ContextHandler,
	ContextResult,
	HandlerApi,
	HandlerContext,
	MessageEvent,
	MessageHandler,
	MessageResult,
} from "./context/handler/handler.ts";
export type { Assembled, MadeRequest, RequestInput, SealInput } from "./context/made-request.ts";
export type { ModeName } from "./context/moment.ts";
export type { ContextReason } from "./context/patch/boundary.ts";
export type { ContextPatchOp } from "./context/patch/operation.ts";
export type { Plan, PlannedSeal } from "./context/plan.ts";
export type { ProjectState } from "./context/project-state.ts";
export type { Requests } from "./context/requests.ts";
export type { ContextItem } from "./context/section/section.ts";
export { type Engine, type EngineOptions, type GivenEvent, openEngine } from "./engine.ts";
export { EngineError, type ErrorCode } from "./error/engine-error.ts";
export type { EventRecord, KnownType, NewEvent, Payload } from "./event/types.ts";
export type { StateAt } from "./fold/state.ts";
export type { Aftermath } from "./guard/look-again.ts";
export type { HostPowers } from "./guard/policy.ts";
export type { GuardCall, Outcome } from "./guard/types.ts";
export type { Compaction, CompactOptions } from "./history/compact.ts";
export type { History } from "./history/history.ts";
export type { Summariser, SummaryAnswer, SummaryRequest } from "./history/summariser.ts";
export { keepMemory } from "./hosts/keep-memory.ts";
export type { AgentMessage, ContextEngine } from "./hosts/openclaw/contract.ts";
export { type ContextEngineOptions, createContextEngine } from "./hosts/openclaw/engine.ts";
export type { Log } from "./log/log.ts";
export type { FindQuery, FindResult } from "./log/search/types.ts";
export type { AppendResult, LogView, ReadQuery } from "./log/types.ts";
export type { MemoryKeeper } from "./memory/keeper.ts";
export { type CheckOptions, checkRequest, type Violation } from "./message/validity.ts";
export type { Form, ResultBlock } from "./message/view.ts";
export type { Settings } from "./settings/keys.ts";
export type { SettingProblem } from "./settings/resolve.ts";
export type { SideModel } from "./sidecar/ask.ts";
export { Sidecar } from "./sidecar/sidecar.ts";
export type { ToolAnswer } from "./tool/types.ts";
export { type BareMessage, messageReader } from "./work/translate-message.ts";
