/** The guard's types: a call before it runs, the verdict on it, and the guard's questions to the disk. */

import type { JsonObject } from "../base/json/read.ts";
import type { GivenPayload, NewEvent } from "../log/event/types.ts";
import type { ToolClasses } from "../state/session/tool-class.ts";

/** A tool call as any agent describes it. */
export interface GuardCall {
	readonly session: string;
	readonly host: string;
	/** The session's folder, the base of file names in events. */
	readonly cwd: string;
	/** The base of the call's own relative paths, if different: an agent's shell may be in another folder. */
	readonly folder?: string | undefined;
	readonly tool: string;
	readonly callId: string;
	readonly input: JsonObject;
	/** Finds the bytes that a read may show beyond `maxReadLines`, because the context has room; undefined: the lines alone count. */
	readonly findRoom?: (() => number | undefined) | undefined;
	/** When the call began, ms since the epoch, if the guard that judged it is gone. */
	readonly startedAt?: number | undefined;
}

export type GuardRule =
	| "read-first"
	| "read-age"
	| "unchanged"
	| "lines-shown"
	| "keep-first"
	| "keep-bytes"
	| "discovery-order"
	| "edit-order"
	| "read-size"
	| "loop";

export interface GuardSettings {
	/** report: verdicts are recorded, but nothing is blocked, cut or noted. */
	readonly policyMode: "enforce" | "report";
	/** false: the guard of edits is off. */
	readonly requireReadBeforeWrite: boolean;
	/** 0: a read never grows too old. */
	readonly maxReadAgeMs: number;
	readonly enforceDiscoveryOrder: boolean;
	readonly enforceEditOrder: boolean;
	/** 0: a read may be of any size. */
	readonly maxReadLines: number;
	/** Classes of tools beyond the built-in ones, by name in lower case. */
	readonly toolClasses?: ToolClasses;
}

export const DEFAULT_GUARD_SETTINGS: GuardSettings = {
	policyMode: "enforce",
	requireReadBeforeWrite: true,
	maxReadAgeMs: 7_200_000,
	enforceDiscoveryOrder: true,
	enforceEditOrder: true,
	maxReadLines: 500,
};

/** The events that the guard records. */
export type GuardEvent = Extract<
	NewEvent,
	{ readonly type: "Verdict" | "FileChanged" | "FilesKept" | "Fault" | "Custom" }
>;

export type VerdictPayload = GivenPayload<"Verdict">;

export type Outcome =
	| {
			readonly action: "pass";
			/** Remarks to add to the call's result. */
			readonly notes: readonly string[];
			/** Arguments that replace the call's own. */
			readonly input?: JsonObject;
			readonly events: readonly GuardEvent[];
	  }
	| { readonly action: "block"; readonly reason: string; readonly events: readonly GuardEvent[] };

export const PASS: Outcome = { action: "pass", notes: [], events: [] };

export type FileStat = NonNullable<VerdictPayload["stat"]>;

/** The thing at a path, symlinks followed. */
export type DiskLook =
	| { readonly kind: "file"; readonly stat: FileStat }
	| { readonly kind: "absent" }
	/** A folder, a pipe, a device: never opened, because that may wait forever. */
	| { readonly kind: "other" }
	| { readonly kind: "unreadable"; readonly code: string };

export type DiskContent =
	| { readonly kind: "bytes"; readonly bytes: Buffer }
	| { readonly kind: "absent" }
	| { readonly kind: "too-large"; readonly size: number }
	| { readonly kind: "unreadable"; readonly code: string };

export type Digest =
	| {
			readonly kind: "digest";
			readonly hash: string;
			/** With line ends as \n; equal to `hash` if there are no others. */
			readonly textHash: string;
			readonly lines: number;
			/** Undefined: a tool that reads the file as UTF-8 writes it back as it was. */
			readonly fragility: Fragility | undefined;
			/** The stat while the file had these bytes. */
			readonly stat: FileStat;
	  }
	| Exclude<DiskContent, { readonly kind: "bytes" }>;

/** Why a tool that reads a file as UTF-8 cannot write it back as it was. */
export type Fragility = "encoding" | "line ends";

/** The digest of a file that could be read. */
export type FileDigest = Extract<Digest, { readonly kind: "digest" }>;

/** The files of tool calls: the real disk, or those of a recorded session. Nothing here throws. */
export interface FilePort {
	stat(path: string): DiskLook;
	/** `stat`: of a look just before. If the bytes of a file with this stat are remembered, the disk is not touched. */
	read(path: string, stat?: FileStat): DiskContent;
	digest(path: string, stat?: FileStat): Digest;
	/** One name for a file, whatever path leads to it; undefined: there is no such file. */
	realpath(path: string): string | undefined;
	/** Bytes with this SHA-256 that were read lately; undefined: not kept. */
	remembered?(hash: string): Buffer | undefined;
	/** The names in a folder; empty where there is none. */
	list?(folder: string): readonly string[];
}

/** A text as the model last knew it; `slices` where only parts are known. */
export type BaseText =
	| { readonly kind: "whole"; readonly text: string }
	| { readonly kind: "slices"; readonly slices: readonly { readonly from: number; readonly text: string }[] };
