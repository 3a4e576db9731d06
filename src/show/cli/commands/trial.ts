/**
 * The same task by a real agent, with and without weft's shortening, in turns. Every run works in a copy of the project and writes
 * to a log of its own, so no run learns from another.
 */
import { spawn } from "node:child_process";
import { constants, cpSync, createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { findProgramOf } from "../../../agent/agent-programs.ts";
import { READERS } from "../../../agent/agents.ts";
import type { AgentProgram } from "../../../agent/setup/contract.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { formatDollars, plural } from "../../../base/text/bytes.ts";
import { wrapWords } from "../../../base/text/wrap.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { type Engine, openEngine } from "../../../engine.ts";
import { logFolders } from "../../../log/project.ts";
import { listSessions } from "../../../state/session/find-session.ts";
import { type ArmSession, armSession, armSessions, compareArms, renderArms } from "../../../view/arm-comparison.ts";
import { costOfRequests } from "../../../view/cost-parts.ts";
import { askYes } from "../confirmation.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

/** Sessions from which the price is guessed, the newest. */
const PRICED_SESSIONS = 20;
const MODES = ["off", "woven"] as const;
type TrialMode = (typeof MODES)[number];

export function check({ args: [agent], options: { task, report } }: CheckCall<"trial">): void {
	if (report) {
		if (agent !== undefined || task !== undefined)
			throw new EngineError("usage", "--report compares sessions that have run: leave out the agent and --task.");
		return;
	}
	if (agent === undefined) throw new EngineError("usage", "Say which agent: claude, codex, opencode or pi.");
	if (!task?.trim()) throw new EngineError("usage", "Say what the agent is to do: --task TEXT.");
}

export async function run(call: Call<"trial">): Promise<CommandResult | ExitCode> {
	const { context, out, args, options } = call;
	if (options.report) return reportShares(context, options.since);
	const [name = "", ...agentArgs] = args;
	const agent = findProgramOf(name);
	if (!agent.find(context.env)) throw new EngineError("not-found", `There is no '${name}' on your PATH.`);
	const { task = "", check: checkCommand, repeat } = options;
	out.talk([...wrapWords(renderPlan(context, agent, repeat), out.columns ?? 80, "")].join("\n"));
	if (!options.yes) {
		const answer = await askYes(out, "Start?");
		if (answer === undefined) out.talk("Nothing was run. To run it without this question: --yes.");
		if (!answer) return answer === undefined ? EXIT.usage : EXIT.ok;
	}
	const folder = mkdtempSync(join(tmpdir(), "weft-trial-"));
	try {
		const sessions: ArmSession[] = [];
		for (let n = 0; n < repeat; n++) {
			// In turns, so that a slow hour of the provider meets both.
			for (const mode of MODES) {
				const done = await runOnce(context, { agent, task, args: agentArgs, checkCommand, mode, folder, n });
				sessions.push(done);
				const words = `${done.isPassed ? "done" : "not done"}, ${plural(done.requests, "request")}, ${formatDollars(done.dollars)}`;
				out.talk(
					`${sessions.length} of ${repeat * MODES.length}: ${mode === "off" ? "without" : "with weft"}: ${words}`,
				);
			}
		}
		const comparison = compareArms(sessions, "run");
		return { data: { ...comparison, runs: sessions }, lines: (to) => renderArms(comparison, to) };
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

interface TrialRun {
	readonly agent: AgentProgram;
	readonly task: string;
	readonly args: readonly string[];
	readonly checkCommand: string | undefined;
	readonly mode: TrialMode;
	/** For all runs. */
	readonly folder: string;
	readonly n: number;
}

async function runOnce(context: Context, run: TrialRun): Promise<ArmSession> {
	const { agent, task, args, checkCommand, mode, folder, n } = run;
	const own = join(folder, `${mode}-${n}`);
	// The same name as the project's folder: agents tell it to the model.
	const cwd = join(own, basename(context.root));
	const home = join(own, "weft-data");
	mkdirSync(own);
	cpSync(context.root, cwd, { recursive: true, mode: constants.COPYFILE_FICLONE, verbatimSymlinks: true });
	const env = { ...context.env, WEFT_HOME: home, WEFT_MODE: mode, WEFT_CONTROL_SHARE: "0" };
	const weft = [process.argv[1] ?? "", "run", agent.name, "--", ...agent.headless(task, args)];
	const exit = await runQuietly(process.execPath, weft, { cwd, env, log: join(own, "output") });
	const checked =
		checkCommand === undefined
			? exit
			: await runQuietly("/bin/sh", ["-c", checkCommand], { cwd, env: context.env, log: join(own, "check") });
	const sum = sumRun(cwd, home, mode);
	rmSync(own, { recursive: true, force: true, maxRetries: 5 });
	if (!sum)
		throw new EngineError(
			"not-found",
			`${agent.title} ended with ${exit} and asked no model. Try 'weft run ${agent.name}' first.`,
		);
	return { ...sum, isPassed: checked === 0 };
}

/** Everything that one run cost, its sub-agents included. Undefined: nothing was recorded. */
function sumRun(cwd: string, home: string, mode: TrialMode): ArmSession | undefined {
	if (!existsSync(home)) return undefined;
	const engine = openEngine({ cwd, home, host: "cli", env: {} });
	try {
		const prices = readPriceList(engine.settings.prices);
		const all = listSessions(engine.log).map((of) => armSession(engine, of, prices, mode === "off"));
		const [first] = all.filter(({ requests }) => requests > 0);
		if (!first) return undefined;
		const sum = (of: (each: ArmSession) => number) => all.reduce((total, each) => total + of(each), 0);
		return {
			...first,
			requests: sum(({ requests }) => requests),
			dollars: sum(({ dollars }) => dollars),
			rereads: sum(({ rereads }) => rereads),
		};
	} finally {
		engine.close();
	}
}

/** Its output goes to a file: it is an agent's answer, and there are many of them. */
function runQuietly(
	file: string,
	args: readonly string[],
	{ cwd, env, log }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly log: string },
): Promise<number> {
	const output = createWriteStream(log);
	const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
	child.stdout.pipe(output, { end: false });
	child.stderr.pipe(output, { end: false });
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code) => {
			output.end();
			resolve(code ?? 1);
		});
	});
}

function renderPlan(context: Context, agent: AgentProgram, repeat: number): string {
	const runs = repeat * MODES.length;
	const costs = earlierCosts(context, agent);
	const what = `${agent.title} will do the task ${runs} times, ${repeat} with weft and ${repeat} without, with your own login or key.`;
	if (costs.length === 0)
		return `${what} You have no recorded session of ${agent.title} to guess the price from: do the task once with 'weft run ${agent.name}', and 'weft cost' shows what it costs.`;
	const median = costs[Math.floor(costs.length / 2)] ?? 0;
	const most = costs.at(-1) ?? 0;
	return `${what} Your last ${plural(costs.length, "session")} cost ${formatDollars(median)} (median), at most ${formatDollars(most)}: about ${formatDollars(median * runs)} for all runs, ${formatDollars(most * runs)} if each is as dear as the dearest.`;
}

/** Dollars of the newest sessions of an agent, the cheapest first. */
function earlierCosts(context: Context, { name }: AgentProgram): number[] {
	const kind = READERS.find((reader) => reader.kind.startsWith(name))?.kind ?? name;
	const costs: { readonly last: number; readonly dollars: number }[] = [];
	for (const engine of openRecorded(context)) {
		const prices = readPriceList(engine.settings.prices);
		const own = listSessions(engine.log).filter(({ host, session }) => host === kind && !session.includes("/"));
		for (const of of own.slice(0, PRICED_SESSIONS)) costs.push(costOfRequests(engine, of, prices));
	}
	return costs
		.filter(({ dollars }) => dollars > 0)
		.sort((one, other) => other.last - one.last)
		.slice(0, PRICED_SESSIONS)
		.map(({ dollars }) => dollars)
		.sort((one, other) => one - other);
}

/** Nothing recorded yet is no error here. */
function openRecorded(context: Context): Iterable<Engine> {
	return logFolders(context.places().home).length === 0 ? [] : context.openAll();
}

function reportShares(context: Context, since: number | undefined): CommandResult {
	const sessions: ArmSession[] = [];
	for (const engine of openRecorded(context)) sessions.push(...armSessions(engine, { since }));
	const comparison = compareArms(sessions, "request");
	if (sessions.length === 0)
		return {
			data: comparison,
			lines: () => [
				"No session took part in a comparison yet.",
				"With 'weft config set controlShare 0.1' one session in ten is not shortened.",
			],
		};
	return { data: comparison, lines: (to) => renderArms(comparison, to) };
}
