/** Finds the agents, shows what it would change, and does it on yes; `--undo` takes it back. */

import { dirname, resolve } from "node:path";
import { findSetup, SETUPS } from "../../../agent/agent-programs.ts";
import { applyChanges, foldersApplied, isSameFolder, type Undone, undoChanges } from "../../../agent/setup/apply.ts";
import type { AgentSetup, FoundAgent, SetupChange, SetupOptions } from "../../../agent/setup/contract.ts";
import { launcherChange, launcherFolder } from "../../../agent/setup/launcher.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { askYes } from "../confirmation.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Call } from "../frame.ts";
import { isFromNpmCache, weftCommand } from "../weft-command.ts";

type InitOptions = Call<"init">["options"];

interface AgentPlan {
	readonly agent: AgentSetup;
	readonly found: FoundAgent;
	readonly changes: readonly SetupChange[];
	readonly remarks: readonly string[];
	/** Why there are no changes: the user must correct a file of this agent's first. */
	readonly problem?: EngineError | undefined;
}

export async function run({ context, out, args: names, options }: Call<"init">): Promise<ExitCode> {
	const agents = names.length === 0 ? SETUPS : names.map(findSetup);
	if (options.undo) return undo(context, agents);
	if (isFromNpmCache())
		throw new EngineError(
			"refused",
			"npx runs weft from npm's cache, which npm may empty: your agents would lose it. Install weft first: npm install -g weft-context && weft init",
		);
	const planned = planAll(context, agents, options);
	if (planned.length === 0) {
		const titles = agents.map(({ title, name }) => `${title} ('${name}')`).join(", ");
		throw new EngineError(
			"not-found",
			`Not found on your PATH: ${titles}. Install it first, then run 'weft init' again.`,
		);
	}
	// An unreadable file of one agent does not stop the setup of the others.
	const problem = planned.find((each) => each.problem)?.problem;
	if (problem && planned.every((each) => each.problem)) throw problem;
	const whenDone = problem ? EXIT.usage : EXIT.ok;
	const due = planned.filter(({ changes }) => changes.length > 0);
	if (out.json) await out.document({ agents: planned.map(planData) });
	else await out.lines(renderPlans(planned));
	if (due.length === 0) return whenDone;
	if (!options.yes) {
		const answer = await askYes(out, `Do this for ${due.map(({ agent }) => agent.title).join(", ")}?`);
		if (answer === undefined)
			out.talk(`Nothing was changed. To do it: ${["weft init", ...names, ...typed(options), "--yes"].join(" ")}`);
		if (!answer) return answer === undefined ? EXIT.usage : whenDone;
	}
	for (const { agent, found, changes } of due) {
		const written = applyChanges(context.ownHome(), agent.name, found.folder, changes);
		if (out.json) continue;
		await out.line(`${agent.title}: done, ${plural(written.length, "file")} written.`);
		await out.lines(afterwards(context, agent, found, options).map((line) => `  ${line}`));
	}
	return whenDone;
}

/** The given options, as the user would type them. */
function typed({ proxy, noCompaction, statusLine }: InitOptions): string[] {
	return [
		...(proxy ? ["--proxy"] : []),
		...(noCompaction ? ["--no-compaction"] : []),
		...(statusLine ? ["--status-line"] : []),
	];
}

function planAll(context: Context, agents: readonly AgentSetup[], options: InitOptions): AgentPlan[] {
	const { env } = context;
	const { proxy, noCompaction, statusLine } = options;
	const plan: SetupOptions = {
		weft: weftCommand(context),
		dataHome: context.ownHome(),
		env,
		proxy,
		compaction: !noCompaction,
		statusLine,
	};
	return agents.flatMap((agent) => {
		const found = agent.find(env);
		if (!found) return [];
		const launcher = proxy && agent.proxied ? [launcherChange(agent, found, plan)] : [];
		try {
			const changes = [...agent.plan(found, plan), ...launcher.filter(({ before, after }) => before !== after)];
			return [{ agent, found, changes, remarks: agent.remarks?.(found, plan) ?? [] }];
		} catch (problem) {
			if (!(problem instanceof EngineError)) throw problem;
			return [{ agent, found, changes: [], remarks: [], problem }];
		}
	});
}

function afterwards(context: Context, agent: AgentSetup, found: FoundAgent, { proxy }: InitOptions): string[] {
	const folder = launcherFolder({ dataHome: context.ownHome() });
	const path = `Put ${folder} first on your PATH: '${agent.name}' then starts it behind weft's proxy.`;
	return [...(agent.afterwards?.(found) ?? []), ...(proxy && agent.proxied ? [path] : [])];
}

function* renderPlans(planned: readonly AgentPlan[]): Generator<string> {
	for (const { agent, found, changes, remarks, problem } of planned) {
		yield `${agent.title}${found.version === undefined ? "" : ` ${found.version}`} (${found.program})`;
		if (problem) yield `  Cannot be set up: ${problem.message}`;
		else if (changes.length === 0) yield "  Everything is in place.";
		for (const remark of remarks) yield `  ${remark}`;
		const made = changes.filter(({ before }) => before === undefined);
		const own = made.filter(({ file }) => !file.startsWith(found.folder));
		if (own.length > 1) yield `  creates  ${plural(own.length, "file")} of weft's own below ${commonFolder(own)}`;
		for (const change of changes) {
			if (own.length > 1 && own.includes(change)) continue;
			yield `  ${change.before === undefined ? "creates" : "changes"}  ${change.file}`;
			yield `           ${change.what}`;
		}
		yield "";
	}
}

function commonFolder(changes: readonly SetupChange[]): string {
	const [first = "", ...rest] = changes.map(({ file }) => file.split("/").slice(0, -1));
	const parts = [...first];
	for (const other of rest) {
		const at = parts.findIndex((part, n) => other[n] !== part);
		if (at !== -1) parts.length = at;
	}
	return parts.join("/");
}

function planData({ agent, found, changes, remarks, problem }: AgentPlan): object {
	const listed = changes.map(({ file, what, before }) => ({ file, what, isNew: before === undefined }));
	return {
		agent: agent.name,
		program: found.program,
		version: found.version ?? null,
		changes: listed,
		remarks,
		problem: problem?.message,
	};
}

async function undo(context: Context, agents: readonly AgentSetup[]): Promise<ExitCode> {
	const { out, env } = context;
	const home = context.ownHome();
	let code: ExitCode = EXIT.ok;
	const reports: object[] = [];
	for (const agent of agents) {
		const folder = agent.folder(env);
		const undone = undoChanges(home, agent.name, folder);
		const elsewhere = foldersApplied(home, agent.name).filter((each) => !isSameFolder(each, folder));
		if (undone.length > 0 && elsewhere.length === 0) agent.forget?.(folder, home);
		if (undone.length === 0 && elsewhere.length === 0) continue;
		if (undone.some(({ kind }) => kind === "left")) code = EXIT.refused;
		reports.push({ agent: agent.name, undone, elsewhere });
		if (!out.json) await out.lines(renderUndone(agent, undone, folder));
		for (const { says } of undone) if (says !== undefined) out.talk(`weft: ${says}`);
		if (elsewhere.length > 0) out.talk(`weft: still set up for ${agent.title} in ${elsewhere.join(", ")}.`);
	}
	if (out.json) await out.document({ undone: reports });
	else if (reports.length === 0) await out.line("Nothing to undo.");
	return code;
}

function* renderUndone({ title }: AgentSetup, undone: readonly Undone[], folder: string): Generator<string> {
	const back = undone.filter(({ kind }) => kind !== "left");
	const theirs = back.filter(({ file }) => isSameFolder(dirname(file), folder) || file.startsWith(resolve(folder)));
	yield `${title}: ${plural(back.length, "file")} as before.`;
	for (const { file } of theirs) yield `  ${file}`;
	const own = back.length - theirs.length;
	if (own > 0) yield `  ${plural(own, "file")} of weft's own, removed`;
}
