/** Pi by its hooks around a tool call. */
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { createTwoFilesPatch } from "diff";
import { LiveProject } from "../../../src/agent/live/project.ts";
import type { LivePi } from "../../../src/agent/pi/live.ts";
import { PI_PORT } from "../../../src/agent/pi/port.ts";
import { judgeCall, judgeResult } from "../../../src/agent/pi/tool-hooks.ts";
import { PiTranslator } from "../../../src/agent/pi/translate.ts";
import { type Engine, openEngine } from "../../../src/engine.ts";
import {
	type AgentTrait,
	applyEdits,
	editsOf,
	HookedAgent,
	type HookedPlace,
	linesOf,
	matches,
	type OwnCall,
	type OwnOutput,
	type OwnVerdict,
	shell,
	type ToolCall,
} from "../hooked-agent.ts";
import { applyPatch } from "./apply-patch.ts";

export class HookedPi extends HookedAgent {
	readonly traits = new Set<AgentTrait>([
		"remembers texts",
		"looks before requests",
		"unifies line ends",
		"edits pieces",
		"reads by a tool",
		"shows failed edits",
		"outlines reads",
	]);
	readonly session = `pi-${this.number}`;
	#live: LivePi;
	readonly #translator: PiTranslator;
	#entries = 0;

	constructor(place: HookedPlace, cwd: string) {
		super(place, cwd);
		this.#live = this.#open();
		this.#translator = new PiTranslator({ id: this.session, cwd, version: 3 });
		const timestamp = new Date(this.now()).toISOString();
		const header = { type: "session", version: 3, id: this.session, timestamp, cwd };
		this.engine.record(this.#translator.translate(header, JSON.stringify(header), "session"));
	}

	get engine(): Engine {
		return this.#live.engine;
	}

	async another(): Promise<HookedAgent> {
		return new HookedPi(this.place, this.cwd);
	}

	async restart(): Promise<void> {
		this.engine.close();
		this.#live = this.#open();
	}

	async close(): Promise<void> {
		this.engine.close();
	}

	async user(text: string): Promise<void> {
		this.#say({ role: "user", content: [{ type: "text", text }] });
	}

	override async request(): Promise<void> {
		this.#live.loop.changesOnDisk();
	}

	protected own({ tool, input }: ToolCall) {
		return { tool, input };
	}

	protected run(call: OwnCall): OwnOutput {
		return runPiTool(call, this.cwd);
	}

	protected async before({ tool: toolName, callId: toolCallId, input }: OwnCall): Promise<OwnVerdict> {
		const event = { type: "tool_call", toolName, toolCallId, input: { ...input } } as const;
		const answer = judgeCall(event, this.#live);
		return answer?.block ? { block: answer.reason ?? "" } : { input: event.input };
	}

	protected async after(call: OwnCall, { text, isError, details }: OwnOutput): Promise<string> {
		const { tool: toolName, callId: toolCallId, input } = call;
		const content = [{ type: "text" as const, text }];
		const event = { type: "tool_result", toolName, toolCallId, input, content, details, isError } as never;
		const [block] = (await judgeResult(event, this.#live))?.content ?? content;
		return block?.type === "text" ? block.text : "";
	}

	protected async sayCalls(calls: readonly OwnCall[]): Promise<void> {
		const content = calls.map(({ callId: id, tool: name, input }) => ({
			type: "toolCall",
			id,
			name,
			arguments: input,
		}));
		this.#say({ role: "assistant", content });
	}

	protected async sayResult({ callId, tool }: OwnCall, { text, ...rest }: OwnOutput): Promise<void> {
		this.#say({
			role: "toolResult",
			toolCallId: callId,
			toolName: tool,
			content: [{ type: "text", text }],
			...rest,
		});
	}

	#say(message: object): void {
		const id = `e${++this.#entries}`;
		const entry = { type: "message", id, timestamp: new Date(this.now()).toISOString(), message };
		this.engine.record(this.#translator.translate(entry, JSON.stringify(entry), id));
	}

	/** The parts of a live session that its hooks around tools use. */
	#open(): LivePi {
		const { home, env } = this.place;
		const { canChangeInput, unifiesLineEnds } = PI_PORT;
		const now = () => this.now();
		const powers = { canChangeInput, unifiesLineEnds };
		const engine = openEngine({ cwd: this.cwd, host: "pi", home, env, powers, now });
		const onFault = (where: string, error: unknown) => {
			throw new Error(where, { cause: error });
		};
		const loop = new LiveProject({ port: PI_PORT, engine, env, now, onFault }).session(
			{ session: this.session, host: "pi" },
			this.cwd,
		);
		return { engine, loop, removedTools: new Set(), blobs: new Map(), ctx: {} } as unknown as LivePi;
	}
}

/** Pi's tools in small; OpenClaw has them too. */
export function runPiTool({ tool, input, of }: OwnCall, cwd: string): OwnOutput {
	if (of.says !== undefined) return { text: of.says, isError: false };
	const path = relativeTo(cwd, String(input["path"] ?? "."));
	if (tool === "read") {
		const { lines, end, total } = linesOf(readFileSync(path, "utf8"), input);
		const more = total - end;
		const rest = more > 0 ? `\n\n[${more} more lines in file. Use offset=${end + 1} to continue.]` : "";
		return { text: `${lines.join("\n")}${rest}`, isError: false };
	}
	if (tool === "write") {
		writeFileSync(path, String(input["content"]));
		return { text: "Successfully wrote.", isError: false };
	}
	if (tool === "edit") {
		const text = readFileSync(path, "utf8");
		const next = applyEdits(text, editsOf(of));
		writeFileSync(path, next);
		const patch = createTwoFilesPatch(path, path, text, next);
		return { text: "Successfully replaced.", isError: false, details: { patch, diff: "" } };
	}
	if (tool === "grep") {
		const found = matches(readFileSync(path, "utf8"), String(input["pattern"]));
		return { text: found.map(({ at, line }) => `${relative(cwd, path)}:${at}: ${line}`).join("\n"), isError: false };
	}
	if (tool === "bash" || tool === "exec") {
		const { stdout, stderr, status } = shell(String(input["command"]), cwd);
		return { text: stdout + stderr, isError: status !== 0 };
	}
	if (tool === "apply_patch") applyPatch(String(input["input"]), (path) => relativeTo(cwd, path));
	return { text: `${tool} is done.`, isError: false };
}

function relativeTo(cwd: string, path: string): string {
	return path.startsWith("/") ? path : `${cwd}/${path}`;
}
