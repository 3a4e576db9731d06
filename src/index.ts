export { type Engine, type EngineOptions, type GivenEvent, openEngine } from "./engine.ts";
export { EngineError, type ErrorCode } from "./error/engine-error.ts";
export type { EventRecord, KnownType, NewEvent, Payload } from "./event/types.ts";
export type { Log } from "./log/log.ts";
export type { AppendResult, LogView, ReadQuery } from "./log/types.ts";
