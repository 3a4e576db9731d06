/** The guard in Claude Code: before a tool runs, after it ran, and for calls that the program refused before any hook saw them. */

import { asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { GuardCall } from "../../guard/types.ts";
import { fleetNotes } from "../live/fleet-recall.ts";
import { fitOutput } from "./fit-output.ts";
import { type HookEvent, textOf } from "./hook-event.ts";
import { CLAUDE_CODE_HOST } from "./translate.ts";

/** What the program does with it; undefined: it goes on. */
export type HookAnswer = { readonly hookSpecificOutput: JsonObject } | undefined;

const MAX_SEEN = 512;
/** Of what an output is the output, as far as it is told beside it. */
const MAX_INPUT_CHARS = 1_000;

/** Of what is said beside a result: more becomes a file that nobody reads. */
const MAX_CONTEXT_CHARS = 9_900;

export class GuardHooks {
	/** Calls whose result was looked at. */
	readonly #seen = new Set<string>();
	/** Where calls started, by their ids: a command may leave the shell in another folder. */
	readonly #startedIn = new Map<string, string>();

	before(engine: Engine, event: HookEvent, cwd: string): HookAnswer {
		if (event.cwd !== undefined) this.#start(event.callId, event.cwd);
		const outcome = engine.judge(callOf(event, cwd));
		if (outcome.action === "block") {
			this.#see(event.callId);
			return answer("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: outcome.reason });
		}
		return outcome.input && answer("PreToolUse", { updatedInput: outcome.input });
	}

	async after(engine: Engine, event: HookEvent, cwd: string): Promise<HookAnswer> {
		this.#see(event.callId);
		const startedIn = this.#startedIn.get(event.callId) ?? event.cwd;
		this.#startedIn.delete(event.callId);
		const call = callOf({ ...event, cwd: startedIn }, cwd);
		const isReport = engine.settings.policyMode === "report";
		const fitted = isReport || engine.log.readOnly ? undefined : fitOutput(event, (bytes) => engine.log.putBlob(bytes));
		if (fitted) {
			// The event that keeps the bytes for good: the transcript will hold only what is answered here.
			const of = JSON.stringify(call.input).slice(0, MAX_INPUT_CHARS);
			const data = { tool: event.tool, callId: event.callId, of, chars: fitted.text.length };
			const { session, host } = call;
			engine.record([{ type: "Custom", session, host, payload: { name: "bounded", data, blob: fitted.hash } }]);
		}
		const isError = event.event === "PostToolUseFailure";
		const text = fitted?.text ?? (isError ? (event.error ?? "") : shownText(event));
		const result = {
			kind: "result",
			tool: event.tool,
			callId: event.callId,
			text,
			isError,
			details: event.response,
		} as const;
		const { notes } = engine.observe(call, result);
		const elsewhere = await fleetNotes(engine, call, result);
		return beside(event.event, [...notes, ...elsewhere], fitted && { updatedToolOutput: fitted.response });
	}

	/** An edit whose old text is not in the file fires no hook of its own: here it gets the lines that are most like it. */
	batch(engine: Engine, event: HookEvent, cwd: string): HookAnswer {
		const notes = event.calls.flatMap(({ tool, callId, input, text }) => {
			if (this.#seen.has(callId) || !/^<tool_use_error>|^Error/.test(text)) return [];
			this.#see(callId);
			const call = callOf({ ...event, tool, callId, input }, cwd);
			return engine.observe(call, { kind: "result", tool, callId, text, isError: true }).notes;
		});
		return beside(event.event, notes);
	}

	#start(callId: string, folder: string): void {
		this.#startedIn.set(callId, folder);
		if (this.#startedIn.size > MAX_SEEN) this.#startedIn.delete(this.#startedIn.keys().next().value!);
	}

	#see(callId: string): void {
		this.#seen.add(callId);
		if (this.#seen.size > MAX_SEEN) this.#seen.delete(this.#seen.values().next().value!);
	}
}

export function answer(hookEventName: string, more: JsonObject): NonNullable<HookAnswer> {
	return { hookSpecificOutput: { hookEventName, ...more } };
}

function beside(event: string, notes: readonly string[], more?: JsonObject): HookAnswer {
	const said = notes.map((note) => `[weft] ${note}`).join("\n\n");
	if (said === "" && !more) return undefined;
	return answer(event, {
		...more,
		...(said !== "" && { additionalContext: said.slice(0, MAX_CONTEXT_CHARS).toWellFormed() }),
	});
}

/** A sub-agent is a session of its own, as in what the reader makes of its file. */
export function sessionOf({ session = "-", agent }: Pick<HookEvent, "session" | "agent">) {
	return { session: agent === undefined ? session : `${session}/${agent}`, host: CLAUDE_CODE_HOST };
}

function callOf(event: HookEvent, cwd: string): GuardCall {
	const { tool, callId, input, cwd: folder } = event;
	return { ...sessionOf(event), cwd, folder, tool, callId, input };
}

/** What a tool said, without the shape around it. */
function shownText({ response }: HookEvent): string {
	const object = asObject(response);
	if (!object) return textOf(response);
	const file = asText(asObject(object["file"])?.["content"]);
	const printed = [asText(object["stdout"]), asText(object["stderr"])].filter((text) => text);
	return (
		file ?? (printed.length > 0 ? printed.join("\n") : (asText(object["content"]) ?? asText(object["result"]) ?? ""))
	);
}
