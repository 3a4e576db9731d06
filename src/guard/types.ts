/** The guard's words: a call before it runs, what is said of it, and what the guard may ask of the disk. */

import type { JsonObject } from "../base/json/read.ts";
import type { GivenPayload, NewEvent } from "../log/event/types.ts";
import type { ToolClasses } from "../state/session/tool-class.ts";

/** A tool call as any host describes it. */
export interface GuardCall {
	readonly session: string;
	readonly host: string;
	/** The session's folder: files are named from here. */
	readonly cwd: string;
	/** Where the call's own relative paths start, if not there: an agent's shell may stand elsewhere. */
	readonly folder?: string | undefined;
	readonly tool: string;
	readonly callId: string;
	readonly input: JsonObject;
	/** When the call began, ms since the epoch, where the guard that judged it is gone. */
	readonly startedAt?: number | undefined;
}

export type Rule =
	| "read-first"
	| "read-age"
	| "unchanged"
	| "lines-shown"
	| "discovery-order"
	| "edit-order"
	| "read-size"
	| "loop";

export interface GuardSettings {
	/** report: every verdict is written down, nothing is blocked, cut or remarked. */
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

/** What the guard wants written down. */
export type GuardEvent = Extract<NewEvent, { readonly type: "Verdict" | "FileChanged" | "Fault" }>;

export type VerdictPayload = GivenPayload<"Verdict">;

export type Outcome =
	| {
			readonly action: "pass";
			/** Remarks to be added to the call's result. */
			readonly notes: readonly string[];
			/** Arguments to run the call with in place of its own. */
			readonly input?: JsonObject;
			readonly events: readonly GuardEvent[];
	  }
	| { readonly action: "block"; readonly reason: string; readonly events: readonly GuardEvent[] };

export const PASS: Outcome = { action: "pass", notes: [], events: [] };

export type FileStat = NonNullable<VerdictPayload["stat"]>;

/** What is at a path, symlinks followed. */
export type Look =
	| { readonly kind: "file"; readonly stat: FileStat }
	| { readonly kind: "absent" }
	/** A folder, a pipe, a device: never opened, because that may wait forever. */
	| { readonly kind: "other" }
	| { readonly kind: "unreadable"; readonly code: string };

export type Content =
	| { readonly kind: "bytes"; readonly bytes: Buffer }
	| { readonly kind: "absent" }
	| { readonly kind: "too-large"; readonly size: number }
	| { readonly kind: "unreadable"; readonly code: string };

export type Digest =
	| {
			readonly kind: "digest";
			readonly hash: string;
			/** With line ends as \n; equal to `hash` where there are no others. */
			readonly textHash: string;
			readonly lines: number;
			/** What the disk said while these bytes were there. */
			readonly stat: FileStat;
	  }
	| Exclude<Content, { readonly kind: "bytes" }>;

/** The files that calls are about: the real disk, or files of a recorded session. Nothing here throws. */
export interface FilePort {
	stat(path: string): Look;
	read(path: string): Content;
	digest(path: string): Digest;
	/** One name for a file, whatever path leads to it; undefined: there is no such file. */
	realpath(path: string): string | undefined;
	/** Bytes with this SHA-256 that were read lately; undefined: not kept. */
	remembered?(hash: string): Buffer | undefined;
	/** The names in a folder; empty where there is none. */
	list?(folder: string): readonly string[];
}

/** A text as it was when the model last knew it; `slices` where only parts of it are known. */
export type Base =
	| { readonly kind: "whole"; readonly text: string }
	| { readonly kind: "slices"; readonly slices: readonly { readonly from: number; readonly text: string }[] };
