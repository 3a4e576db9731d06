/**
 * An agent's program in small: it keeps the session in its own format, calls the hooks that the program calls, in its order,
 * and runs tools for real. One class an agent. A driver only plays the program; it never looks into weft.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createTwoFilesPatch } from "diff";
import type { AgentWorld } from "./world.ts";

export type ScriptedCall =
	| { readonly tool: "read"; readonly path: string }
	/** Whole lines, each there once. */
	| { readonly tool: "edit"; readonly path: string; readonly before: string; readonly after: string }
	| { readonly tool: "write"; readonly path: string; readonly text: string }
	/** `cut`: the program itself cuts the output. It saves the whole in a file, or the rest is lost. */
	| { readonly tool: "shell"; readonly command: string; readonly cut?: "saved" | "lost" };

/** What the model gets for a call. */
export interface CallOutcome {
	/** Why the call did not run. */
	readonly refusal?: string | undefined;
	/** The tool's output with our notes in it, without the agent's own frame around it. */
	readonly output: string;
	/** Text of ours that the agent shows beside the output. */
	readonly beside: string;
	/** How many lines a read was limited to before it ran. */
	readonly limit?: number | undefined;
}

export interface AgentDriver {
	start(): Promise<void>;
	/** The user speaks. Answers with the text that the model is given beside those words, or around them. */
	prompt(text: string): Promise<string>;
	call(call: ScriptedCall): Promise<CallOutcome>;
	/** The model answers and the turn ends. */
	answer(text: string): Promise<void>;
	switchModel(model: string): Promise<void>;
	/** What the provider reports of each prompt, where a test can choose it. */
	promptTokens?: number;
	/** The user stops the model in the middle of this answer. */
	abort(text: string): Promise<void>;
	/** The agent makes room, by its own compaction or by a request that is too large. Answers with the text that the model is given for what left. */
	compact(): Promise<string>;
	/** The process ends, and a new one continues the session. */
	resume(): Promise<void>;
	end(): Promise<void>;
	/** Ends what the test itself has started. */
	close?(): Promise<void>;
	/** What the user was told, outside of the conversation. */
	readonly said: readonly string[];
	/** For agents in which the user can change the mode while a session runs. */
	setMode?(mode: string): Promise<void>;
}

export interface ToolRun {
	readonly output: string;
	readonly isError: boolean;
	readonly exit: number | undefined;
	/** Of an edit or a write. */
	readonly text?: { readonly before: string | undefined; readonly after: string } | undefined;
}

export function runTool(world: AgentWorld, call: ScriptedCall, limit?: number): ToolRun {
	if (call.tool === "shell") {
		const { env, project: cwd } = world;
		const run = spawnSync("sh", ["-c", call.command], { cwd, env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
		const exit = run.status ?? -1;
		return { output: run.stdout + run.stderr, isError: exit !== 0, exit };
	}
	const path = resolve(world.project, call.path);
	const before = readOrNothing(path);
	if (call.tool === "read") {
		const lines = (before ?? "").split("\n");
		const output = limit === undefined ? lines.join("\n") : lines.slice(0, limit).join("\n");
		return { output, isError: before === undefined, exit: undefined };
	}
	if (call.tool === "edit" && before?.split(call.before).length !== 2)
		return { output: "The old text is not there once.", isError: true, exit: undefined };
	const after = call.tool === "write" ? call.text : (before ?? "").replace(call.before, () => call.after);
	writeFileSync(path, after);
	return { output: "Done.", isError: false, exit: undefined, text: { before, after } };
}

export function patchOf(path: string, { before = "", after }: NonNullable<ToolRun["text"]>): string {
	return createTwoFilesPatch(path, path, before, after);
}

function readOrNothing(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}
