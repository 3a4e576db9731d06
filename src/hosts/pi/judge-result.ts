/**
 * After a tool has run: its whole text is kept before it is cut, what exceeds the bounds is cut, and the guard's remarks
 * are added at its end. Pi keeps only what is returned here, so the original must be safe before.
 */

import type { ToolResultEvent, ToolResultEventResult } from "@earendil-works/pi-coding-agent";
import { failureNotes } from "../../context/notes.ts";
import { putRecent } from "../../fold/keyed.ts";
import { bound } from "../../guard/bound.ts";
import { pointerTo } from "../../guard/read-again.ts";
import { stubLarge } from "../../history/large.ts";
import { asName, asObject } from "../../json/read.ts";
import { withNotes } from "../../message/note.ts";
import { shownBy } from "../../session/derive-read.ts";
import { sessionPath } from "../../session/path.ts";
import { toolClass } from "../../session/tool-class.ts";
import { guardCall } from "./guard-call.ts";
import type { LiveSession } from "./live-session.ts";
import { wholeOutput } from "./whole-output.ts";

const MOST_BLOBS = 256;

export function judgeResult(event: ToolResultEvent, live: LiveSession): ToolResultEventResult | undefined {
	if (live.mode() === "off") return undefined;
	const said = textsOf(event).join("\n");
	const fitting = standing(event, said, live) ?? fit(event, said, live);
	const { toolName: tool, toolCallId: callId, isError, details } = event;
	if (fitting.hash !== undefined) putRecent(live.blobs, callId, fitting.hash, MOST_BLOBS);

	const result = { kind: "result", callId, tool, text: fitting.text, isError, details } as const;
	const { notes, events } = live.guard.after(guardCall(event, live), result);
	if (events.length > 0) live.engine.record(events);
	const text = withNotes(fitting.text, [...notes, ...failuresSince(event, live)]);
	if (text === said) return undefined;
	const rest = event.content.filter((block) => block.type !== "text");
	return { content: [{ type: "text", text }, ...rest], details, isError };
}

/** What each session was told of failures, by the newest event that was counted in. */
const told = new WeakMap<LiveSession, number>();

/** Failures that opened, came back or were resolved since the last result, once each. */
function failuresSince({ toolName }: ToolResultEvent, live: LiveSession): string[] {
	// What our own tools give back is exact, to the last byte.
	if (isOurs(toolName)) return [];
	const newest = live.engine.log.newestSeq();
	const since = told.get(live) ?? newest;
	told.set(live, newest);
	if (live.mode() !== "woven" || live.engine.settings.policyMode === "report") return [];
	return failureNotes(live.engine.state().failures.failures, since);
}

/** A reading that stands in the conversation already, unchanged: where it does. */
function standing(event: ToolResultEvent, said: string, live: LiveSession): Fitting | undefined {
	const { toolName: tool, toolCallId: callId, isError, details } = event;
	if (isError || live.mode() !== "woven" || live.engine.settings.policyMode === "report") return undefined;
	const call = { tool, class: toolClass(tool), input: asObject(event.input) ?? {} };
	if (call.class !== "read") return undefined;
	const shown = shownBy(call, { kind: "result", callId, tool, text: said, isError, details });
	if (!shown) return undefined;
	const path = sessionPath(shown.path, live.cwd);
	const text = pointerTo(live.engine.state().served, live.session, { ...shown, path });
	return text === undefined ? undefined : { text };
}

interface Fitting {
	readonly text: string;
	/** Of the whole text, which is stored; undefined: nothing was left out. */
	readonly hash?: string;
}

function fit(event: ToolResultEvent, said: string, live: LiveSession): Fitting {
	const { log, settings } = live.engine;
	// In report mode nothing is cut; our own tools answer in pages.
	if (settings.policyMode === "report" || isOurs(event.toolName)) return { text: said };
	const isShell = toolClass(event.toolName) === "shell";
	const whole = isShell ? wholeOutput(said) : undefined;
	const source = whole?.text ?? said;
	// A command says what went wrong at the end of its output: it is cut in the middle, never outlined.
	if (!isShell && !event.isError) {
		const path = asName((event.input as { path?: unknown }).path);
		const large = stubLarge(source, {
			store: (bytes) => log.putBlob(bytes),
			thresholdTokens: settings.largFileThresholdTokens,
			...(path === undefined ? {} : { path }),
		});
		if (large.stubbed) return { text: large.text, hash: large.hash };
	}
	const bounded = bound(source);
	if (!bounded.cut || !source.isWellFormed()) return { text: said };
	const hash = log.putBlob(Buffer.from(source, "utf8"));
	return { text: `${bounded.text}${whole?.status ?? ""}`, hash };
}

function isOurs(tool: string): boolean {
	return /^lcm_/.test(tool);
}

function textsOf(event: ToolResultEvent): string[] {
	return event.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}
