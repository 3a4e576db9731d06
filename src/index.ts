export { keepMemory } from "./agent/live/project-memory.ts";
export { type CaseResult, runConformance } from "./agent/openclaw/conformance/run.ts";
export type { AgentMessage, ContextEngine } from "./agent/openclaw/contract.ts";
export { type ContextEngineOptions, createContextEngine } from "./agent/openclaw/live.ts";
export { EngineError, type ErrorCode } from "./base/error/engine-error.ts";
export type { SideModel } from "./base/sidecar/ask.ts";
export { Sidecar } from "./base/sidecar/sidecar.ts";
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
	HandlerOptions,
	MessageEvent,
	MessageHandler,
	MessageResult,
} from "./context/handler/handler.ts";
export type { ModeName } from "./context/moment.ts";
export type { ContextPatchOp } from "./context/patch/operation.ts";
export type { ContextReason } from "./context/patch/transform.ts";
export type { Plan, PlannedSeal } from "./context/plan.ts";
export type { ProjectState } from "./context/project-state.ts";
export type { Assembled, MadeRequest, RequestInput, SealInput } from "./context/request.ts";
export type { Requests } from "./context/requests.ts";
export type { ContextItem } from "./context/section/section.ts";
export { type Engine, type EngineOptions, type GivenEvent, openEngine } from "./engine.ts";
export type { Aftermath } from "./guard/aftermath.ts";
export type { HostPowers } from "./guard/policy.ts";
export type { GuardCall, Outcome } from "./guard/types.ts";
export type { EventRecord, KnownType, NewEvent, Payload } from "./log/event/types.ts";
export type { StateAt } from "./log/fold/state-runner.ts";
export type { Log } from "./log/log.ts";
export type { FindQuery, FindResult } from "./log/search/types.ts";
export type { AppendResult, LogView, ReadQuery } from "./log/types.ts";
export { type CheckOptions, checkRequest, type Violation } from "./message/validity.ts";
export type { Form, ResultBlock } from "./message/view.ts";
export type { Settings } from "./settings/keys.ts";
export type { SettingProblem } from "./settings/resolve.ts";
export type { Compaction, CompactOptions } from "./state/history/compact.ts";
export type { History } from "./state/history/history.ts";
export type { Summariser, SummaryAnswer, SummaryRequest } from "./state/history/summariser.ts";
export type { MemoryKeeper } from "./state/memory/keeper.ts";
export { type BareMessage, messageReader } from "./state/work/translate-message.ts";
export type { ToolAnswer } from "./tool/types.ts";
