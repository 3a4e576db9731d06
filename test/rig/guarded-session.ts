/**
 * An agent with real files, a real log and the guard between: each call is recorded, judged, run and recorded as a host
 * does it. Tools are Pi's in small: read, edit, write, bash, and any other name that does nothing.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createTwoFilesPatch } from "diff";
import Schema from "typebox/schema";
import { PiTranslator } from "../../src/agent/pi/translate.ts";
import { baseFromLog } from "../../src/guard/base-text.ts";
import { DiskFiles } from "../../src/guard/disk.ts";
import { GUARD_FOLDS, Guard, type GuardState } from "../../src/guard/guard.ts";
import { DEFAULT_GUARD_SETTINGS, type FilePort, type GuardSettings } from "../../src/guard/types.ts";
import { EVENT_SCHEMAS } from "../../src/log/event/schema.ts";
import type { EventRecord, NewEvent, Payload } from "../../src/log/event/types.ts";
import { Log } from "../../src/log/log.ts";
import { withNotes } from "../../src/message/note.ts";
import { TemporaryProject } from "./temporary-folder.ts";

export class GuardedProject extends TemporaryProject {
	readonly log = new Log({ folder: join(this.root, "data"), origin: "here" });
	#state: GuardState | undefined;
	#seq = 0;

	override [Symbol.dispose](): void {
		this.log.close();
		super[Symbol.dispose]();
	}

	record(events: readonly NewEvent[]): void {
		for (const { type, payload } of events) {
			const schema = EVENT_SCHEMAS[type as keyof typeof EVENT_SCHEMAS];
			if (type === "Verdict" || type === "FileChanged" || type === "Fault") Schema.Parse(schema, payload);
		}
		this.log.append(events);
	}

	state(): GuardState {
		this.#state ??= initialState();
		for (const record of this.log.read({ after: this.#seq })) {
			step(this.#state, record);
			this.#seq = record.seq;
		}
		return this.#state;
	}

	events<T extends "Verdict" | "FileChanged" | "FileRead" | "Fault">(type: T): Payload<T>[] {
		return [...this.log.read({ types: [type] })].map((record) => record.payload as Payload<T>);
	}

	seqOf(of: { readonly session: string; readonly host: string }, entry: string): number | undefined {
		const { session, host } = of;
		for (const record of this.log.read({ session, host, types: ["Message"] }))
			if (record.entry === entry) return record.seq;
		return undefined;
	}

	/** `verdict rule path` of each, refreshes aside. */
	verdicts(): string[] {
		const said = this.events("Verdict").filter(({ verdict }) => verdict !== "refresh");
		return said.map(({ verdict, rule, path }) => [verdict, rule, path].filter(Boolean).join(" "));
	}
}

export interface AgentOptions {
	readonly settings?: Partial<GuardSettings>;
	readonly canChangeInput?: boolean;
	readonly files?: FilePort;
	/** Messages reach the log only by `hand`: as in hosts that hand a turn over when it is done. */
	readonly late?: boolean;
	readonly cwd?: string;
	/** A session that was resumed in a new process: the guard knows only what the log says. */
	readonly session?: string;
}

export interface CallResult {
	readonly action: "pass" | "block";
	readonly text: string;
	readonly notes: readonly string[];
}

let agents = 0;

export class GuardedAgent {
	readonly session: string;
	readonly project: GuardedProject;
	readonly #guard: Guard;
	readonly #translator: PiTranslator;
	readonly #late: boolean;
	readonly #cwd: string;
	readonly #waiting: NewEvent[] = [];
	/** A session has each entry once, also when two agents work in it. */
	readonly #number = ++agents;
	#entries = 0;
	/** How far the agent's clock is ahead, ms. */
	ahead = 0;

	constructor(project: GuardedProject, options: AgentOptions = {}) {
		this.session = options.session ?? `s${this.#number}`;
		this.project = project;
		this.#late = options.late ?? false;
		this.#cwd = options.cwd ?? project.folder;
		this.#translator = new PiTranslator({ id: this.session, cwd: this.#cwd, version: 3 });
		this.#guard = new Guard({
			state: () => project.state(),
			files: options.files ?? new DiskFiles(),
			base: baseFromLog(project.log),
			settings: { ...DEFAULT_GUARD_SETTINGS, ...options.settings },
			powers: { canChangeInput: options.canChangeInput ?? true },
			now: () => this.now(),
			keep: (bytes) => project.log.putBlob(bytes),
			seqOf: (of, entry) => project.seqOf(of, entry),
		});
	}

	now(): number {
		return Date.now() + this.ahead;
	}

	/** The entry's id. */
	user(text: string): string {
		return this.#say({ role: "user", content: [{ type: "text", text }] });
	}

	read(path: string, range: { offset?: number; limit?: number } = {}): CallResult {
		return this.call("read", { path, ...range });
	}

	edit(path: string, oldText: string, newText: string): CallResult {
		return this.call("edit", { path, edits: [{ oldText, newText }] });
	}

	write(path: string, content: string): CallResult {
		return this.call("write", { path, content });
	}

	bash(command: string): CallResult {
		return this.call("bash", { command });
	}

	/** `during` runs after the check and before the tool, `then` after the tool and before the guard looks. */
	call(tool: string, input: Record<string, unknown>, during?: () => void, then?: () => void): CallResult {
		const callId = `c${this.#number}.${++this.#entries}`;
		const call = { session: this.session, host: "pi", cwd: this.#cwd, tool, callId, input };
		this.#say({ role: "assistant", content: [{ type: "toolCall", id: callId, name: tool, arguments: input }] });
		const outcome = this.#guard.before(call);
		this.project.record(outcome.events);
		if (outcome.action === "block") {
			this.#answer(callId, tool, { text: outcome.reason, isError: true });
			return { action: "block", text: outcome.reason, notes: [] };
		}
		during?.();
		const ran = { ...call, input: outcome.input ?? input };
		const result = runTool(tool, ran.input, this.#cwd);
		then?.();
		const { notes, events } = this.#guard.after(ran, { kind: "result", callId, tool, ...result });
		this.project.record(events);
		this.#answer(callId, tool, { ...result, text: withNotes(result.text, notes) });
		return { action: "pass", text: result.text, notes };
	}

	/** Hands over what waits. */
	hand(): void {
		this.project.record(this.#waiting.splice(0));
	}

	#answer(toolCallId: string, toolName: string, { text, ...rest }: ToolOutput): void {
		this.#say({ role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], ...rest });
	}

	#say(message: object): string {
		const id = `e${this.#number}.${++this.#entries}`;
		const entry = { type: "message", id, timestamp: new Date(this.now()).toISOString(), message };
		this.#waiting.push(...this.#translator.translate(entry, JSON.stringify(entry), id));
		if (!this.#late) this.hand();
		return id;
	}
}

export function initialState(): GuardState {
	return {
		files: GUARD_FOLDS.files.initial(),
		verdicts: GUARD_FOLDS.verdicts.initial(),
		order: GUARD_FOLDS.order.initial(),
		loop: GUARD_FOLDS.loop.initial(),
	};
}

export function step(state: GuardState, record: EventRecord): void {
	GUARD_FOLDS.files.step(state.files, record);
	GUARD_FOLDS.verdicts.step(state.verdicts, record);
	GUARD_FOLDS.order.step(state.order, record);
	GUARD_FOLDS.loop.step(state.loop, record);
}

export interface ToolOutput {
	readonly text: string;
	readonly isError: boolean;
	readonly details?: object;
}

export function runTool(tool: string, input: Record<string, unknown>, cwd: string): ToolOutput {
	const file = resolve(cwd, String(input["path"] ?? "."));
	try {
		if (tool === "read" && file.endsWith(".png")) return { text: "Read image file [image/png]", isError: false };
		if (tool === "read") return { text: slice(readFileSync(file, "utf8"), input), isError: false };
		if (tool === "write") {
			writeFileSync(file, String(input["content"]));
			return { text: "Successfully wrote.", isError: false };
		}
		if (tool === "grep") return { text: search(file, String(input["pattern"]), cwd), isError: false };
		if (tool === "edit") return edit(file, input["edits"] as readonly { oldText: string; newText: string }[]);
		if (tool === "bash") {
			const run = spawnSync("sh", ["-c", String(input["command"])], { cwd, encoding: "utf8" });
			return { text: run.stdout + run.stderr, isError: run.status !== 0 };
		}
		return { text: `${tool} is done.`, isError: false };
	} catch (error) {
		return { text: String(error), isError: true };
	}
}

/** As Pi's tool shows it. */
function search(file: string, pattern: string, cwd: string): string {
	const lines = readFileSync(file, "utf8").split("\n");
	const found = lines.flatMap((line, at) =>
		line.includes(pattern) ? [`${relative(cwd, file)}:${at + 1}: ${line}`] : [],
	);
	return found.join("\n");
}

function slice(text: string, { offset, limit }: { offset?: number; limit?: number }): string {
	const lines = text.split("\n");
	const from = (offset ?? 1) - 1;
	const end = limit === undefined ? lines.length : Math.min(lines.length, from + limit);
	const shown = lines.slice(from, end).join("\n");
	const more = lines.length - end;
	return more > 0 ? `${shown}\n\n[${more} more lines in file. Use offset=${end + 1} to continue.]` : shown;
}

function edit(file: string, edits: readonly { oldText: string; newText: string }[]): ToolOutput {
	const before = readFileSync(file, "utf8");
	let after = before;
	for (const { oldText, newText } of edits) {
		if (after.split(oldText).length !== 2) return { text: "oldText must occur once.", isError: true };
		after = after.replace(oldText, () => newText);
	}
	writeFileSync(file, after);
	const patch = createTwoFilesPatch(file, file, before, after);
	return { text: "Successfully replaced.", isError: false, details: { patch, diff: "" } };
}
