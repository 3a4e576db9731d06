/**
 * Runs the real Pi, headless, against a scripted model. Pi's exit code says little (a failing hook may still exit 0):
 * tests look at the requests, the session file and the log.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ModelApi, ModelRequest, ModelScript } from "./answer.ts";
import { startModelServer } from "./model-server.ts";
import { type PiWorkspace, sessionFiles } from "./workspace.ts";

/** The Pi of the dev dependencies, or another version unpacked elsewhere, whose cli.js is named by WEFT_TEST_PI_CLI. */
const PI_CLI = process.env["WEFT_TEST_PI_CLI"]
	? resolve(process.env["WEFT_TEST_PI_CLI"])
	: fileURLToPath(new URL("../../node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js", import.meta.url));
/** The extension as it ships. */
export const WEFT_EXTENSION = fileURLToPath(new URL("../../src/agent/pi/index.ts", import.meta.url));
export const BROKEN_EXTENSION = fileURLToPath(new URL("broken-weft.ts", import.meta.url));
export const EARLY_CLOCK_EXTENSION = fileURLToPath(new URL("early-clock.ts", import.meta.url));
export const JUMP_EXTENSION = fileURLToPath(new URL("jump.ts", import.meta.url));

const ISOLATION = ["-ne", "-ns", "-np", "-nc", "--no-themes", "--no-approve"];
/** Ends a Pi that hangs; on a loaded machine a start alone can take ten seconds. */
const DEFAULT_TIME_LIMIT_MS = 300_000;

export interface PiOptions {
	readonly workspace: PiWorkspace;
	readonly script: ModelScript;
	readonly extensions?: readonly string[];
	/** Which of the two formats the model speaks. Default: Anthropic's. */
	readonly api?: ModelApi;
	readonly contextWindow?: number;
	/** Further models of Anthropic's API. The first is asked. */
	readonly models?: readonly PiModel[];
	/** A further model, `small`, with this window. */
	readonly smallWindow?: number;
	readonly cwd?: string;
	/** More flags: `--session FILE`, `--no-session`, `--tools a,b`, … */
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly cli?: string;
	readonly timeLimitMs?: number;
	/** Dollars per million tokens; by default nothing costs anything. */
	readonly cost?: ModelCost;
}

export interface PiModel {
	readonly id: string;
	/** It decides itself how much it thinks; otherwise it is asked with a budget. */
	readonly isAdaptive?: boolean;
}

export interface ModelCost {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

const FREE: ModelCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export interface PiRun {
	/** null: ended by a signal, which is how the time limit ends it. */
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
	readonly requests: readonly ModelRequest[];
	/** The session file that this run created, if it created one. */
	readonly sessionFile: string | undefined;
}

/** `pi -p`: each prompt is one user message; ends when the last one is answered. */
export async function runPi(options: PiOptions & { readonly prompts: readonly string[] }): Promise<PiRun> {
	await using server = await startModelServer(options.script);
	const before = new Set(sessionFiles(options.workspace));
	const child = spawnPi(options, server.url, ["-p"], options.prompts);
	child.stdin?.end();
	const [code, stdout, stderr] = await Promise.all([exitOf(child), text(child.stdout!), text(child.stderr!)]);
	const sessionFile = sessionFiles(options.workspace).find((file) => !before.has(file));
	return { code, stdout, stderr, requests: server.requests, sessionFile };
}

/** Starts Pi with pipes; it is killed, by its own id, when the time limit is over. */
export function spawnPi(
	options: PiOptions,
	modelUrl: string,
	modeArgs: readonly string[],
	prompts: readonly string[] = [],
): ChildProcess {
	const { workspace, api = "anthropic-messages", contextWindow = 200_000 } = options;
	writePiModels(workspace, modelUrl, { ...options, contextWindow });
	const extensions = (options.extensions ?? []).flatMap((path) => ["-e", path]);
	const model = `scripted/${options.models?.[0]?.id ?? api}`;
	const args = [...modeArgs, ...ISOLATION, ...extensions, "--model", model, ...(options.args ?? [])];
	const child = spawn(
		process.execPath,
		[options.cli ?? PI_CLI, ...args, ...(prompts.length ? ["--", ...prompts] : [])],
		{
			cwd: options.cwd ?? workspace.project,
			env: { ...piEnvironment(workspace), ...options.env },
			stdio: ["pipe", "pipe", "pipe"],
		},
	);
	const limit = setTimeout(() => child.kill("SIGKILL"), options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS);
	child.once("close", () => clearTimeout(limit));
	return child;
}

/** A program named `pi` in a new folder, for a PATH: this Pi with the scripted model and nothing of the machine's. */
export function makePiProgram(folder: string): string {
	mkdirSync(folder, { recursive: true });
	const args = [PI_CLI, ...ISOLATION, "--model", "scripted/anthropic-messages"];
	writeFileSync(join(folder, "pi"), `#!/bin/sh\nexec ${process.execPath} ${args.join(" ")} "$@"\n`, { mode: 0o755 });
	return folder;
}

export function writePiModels(
	workspace: PiWorkspace,
	url: string,
	options: Pick<PiOptions, "contextWindow" | "cost" | "models" | "smallWindow">,
): void {
	const models = modelsAt(url, options.contextWindow ?? 200_000, options);
	writeFileSync(join(workspace.agentDir, "models.json"), JSON.stringify(models));
}

export function exitOf(child: ChildProcess): Promise<number | null> {
	return new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
}

/** Nothing of the caller's environment but what a process needs to run: no keys, no settings, no test runner's variables. */
export function piEnvironment(workspace: PiWorkspace): Record<string, string> {
	return {
		PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
		HOME: workspace.userHome,
		LANG: "C.UTF-8",
		TZ: "UTC",
		NO_COLOR: "1",
		GIT_CONFIG_NOSYSTEM: "1",
		PI_CODING_AGENT_DIR: workspace.agentDir,
		PI_CODING_AGENT_SESSION_DIR: workspace.sessionDir,
		PI_OFFLINE: "1",
		PI_TELEMETRY: "0",
		PI_SKIP_VERSION_CHECK: "1",
		WEFT_HOME: workspace.home,
		// The scripted models cost nothing; seals come as with a paid one.
		WEFT_SEAL: "thrift",
	};
}

function modelsAt(url: string, contextWindow: number, options: Omit<PiOptions, "workspace" | "script">): object {
	const { smallWindow, cost = FREE, models: more = [] } = options;
	const model = (api: ModelApi, baseUrl: string) => ({
		id: api,
		name: api,
		api,
		baseUrl,
		reasoning: true,
		input: ["text", "image"],
		contextWindow,
		maxTokens: 8_192,
		cost,
	});
	const anthropic = model("anthropic-messages", url);
	const named = more.map(({ id, isAdaptive = false }) => {
		return { ...anthropic, id, name: id, ...(isAdaptive && { compat: { forceAdaptiveThinking: true } }) };
	});
	const small = { ...anthropic, id: "small", name: "small", contextWindow: smallWindow };
	const models = [
		anthropic,
		model("openai-completions", `${url}/v1`),
		...(smallWindow === undefined ? [] : [small]),
		...named,
	];
	return { providers: { scripted: { baseUrl: url, api: "anthropic-messages", apiKey: "scripted", models } } };
}
