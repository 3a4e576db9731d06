/** `weft init`: finds the agents, says what it would change, does it on yes; `--undo` takes it back. */

import { findSetup, SETUPS } from "../../../agent/agents.ts";
import { applyChanges, foldersApplied, type Undone, undoChanges } from "../../../agent/setup/apply.ts";
import type { AgentSetup, FoundAgent, SetupChange, SetupOptions } from "../../../agent/setup/contract.ts";
import { launcherChange, launcherFolder } from "../../../agent/setup/launcher.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { askYes } from "../ask-yes.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { weftCommand } from "../weft-command.ts";

export interface InitOptions {
	readonly undo?: boolean;
	readonly yes?: boolean;
	readonly proxy?: boolean;
	/** `--no-compaction`. */
	readonly compaction?: boolean;
	readonly statusLine?: boolean;
}

interface Planned {
	readonly agent: AgentSetup;
	readonly found: FoundAgent;
	readonly changes: readonly SetupChange[];
	readonly remarks: readonly string[];
	/** Why there is no plan: a file of this agent's that must be corrected first. */
	readonly problem?: EngineError | undefined;
}

export async function run(context: Context, names: readonly string[], options: InitOptions): Promise<ExitCode> {
	const agents = names.length === 0 ? SETUPS : names.map(findSetup);
	if (options.undo) return undo(context, agents);
	const planned = planAll(context, agents, options);
	if (planned.length === 0) {
		const titles = agents.map(({ title, name }) => `${title} ('${name}')`).join(", ");
		throw new EngineError(
			"not-found",
			`Not found on your PATH: ${titles}. Install it first, then run 'weft init' again.`,
		);
	}
	// One agent's file that cannot be read keeps nobody from setting up the others.
	const problem = planned.find((each) => each.problem)?.problem;
	if (problem && planned.every((each) => each.problem)) throw problem;
	const whenDone = problem ? EXIT.usage : EXIT.ok;
	const due = planned.filter(({ changes }) => changes.length > 0);
	if (context.out.json) await context.out.document({ agents: planned.map(asData) });
	else await context.out.lines(render(planned));
	if (due.length === 0) return whenDone;
	if (!options.yes) {
		const answer = await askYes(context.out, `Do this for ${due.map(({ agent }) => agent.title).join(", ")}?`);
		if (answer === undefined)
			context.out.talk(
				`Nothing was changed. To do it: ${["weft init", ...names, ...asked(options), "--yes"].join(" ")}`,
			);
		if (!answer) return answer === undefined ? EXIT.usage : whenDone;
	}
	for (const { agent, found, changes } of due) {
		const written = applyChanges(context.ownHome(), agent.name, found.folder, changes);
		if (context.out.json) continue;
		await context.out.line(`${agent.title}: done, ${plural(written.length, "file")} written.`);
		await context.out.lines(afterwards(context, agent, found, options).map((line) => `  ${line}`));
	}
	return whenDone;
}

/** The options that were given, as they are typed. */
function asked({ proxy, compaction, statusLine }: InitOptions): string[] {
	return [
		...(proxy ? ["--proxy"] : []),
		...(compaction === false ? ["--no-compaction"] : []),
		...(statusLine ? ["--status-line"] : []),
	];
}

function planAll(context: Context, agents: readonly AgentSetup[], options: InitOptions): Planned[] {
	const { env } = context;
	const { proxy, compaction, statusLine } = options;
	const plan: SetupOptions = {
		weft: weftCommand(context),
		dataHome: context.ownHome(),
		env,
		proxy,
		compaction,
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

function* render(planned: readonly Planned[]): Generator<string> {
	for (const { agent, found, changes, remarks, problem } of planned) {
		yield `${agent.title}${found.version === undefined ? "" : ` ${found.version}`} (${found.program})`;
		if (problem) yield `  cannot be set up: ${problem.message}`;
		else if (changes.length === 0) yield "  Everything is in place.";
		for (const remark of remarks) yield `  ${remark}`;
		const made = changes.filter(({ before }) => before === undefined);
		const own = made.filter(({ file }) => !file.startsWith(found.folder));
		if (own.length > 1) yield `  makes    ${plural(own.length, "file")} of weft's own below ${common(own)}`;
		for (const change of changes) {
			if (own.length > 1 && own.includes(change)) continue;
			yield `  ${change.before === undefined ? "makes  " : "changes"}  ${change.file}`;
			yield `           ${change.what}`;
		}
		yield "";
	}
}

function common(changes: readonly SetupChange[]): string {
	const [first = "", ...rest] = changes.map(({ file }) => file.split("/").slice(0, -1));
	const parts = [...first];
	for (const other of rest) {
		const at = parts.findIndex((part, n) => other[n] !== part);
		if (at !== -1) parts.length = at;
	}
	return parts.join("/");
}

function asData({ agent, found, changes, remarks, problem }: Planned): object {
	const told = changes.map(({ file, what, before }) => ({ file, what, isNew: before === undefined }));
	return {
		agent: agent.name,
		program: found.program,
		version: found.version ?? null,
		changes: told,
		remarks,
		problem: problem?.message,
	};
}

async function undo(context: Context, agents: readonly AgentSetup[]): Promise<ExitCode> {
	const { out, env } = context;
	const home = context.ownHome();
	let code: ExitCode = EXIT.ok;
	const told: object[] = [];
	for (const agent of agents) {
		const folder = agent.folder(env);
		const undone = undoChanges(home, agent.name, folder);
		const elsewhere = foldersApplied(home, agent.name).filter((each) => each !== folder);
		if (undone.length === 0 && elsewhere.length === 0) continue;
		if (undone.some(({ kind }) => kind === "left")) code = EXIT.refused;
		told.push({ agent: agent.name, undone, elsewhere });
		if (!out.json) await out.lines(renderUndone(agent, undone, folder));
		for (const { says } of undone) if (says !== undefined) out.talk(`weft: ${says}`);
		if (elsewhere.length > 0) out.talk(`weft: still set up for ${agent.title} in ${elsewhere.join(", ")}.`);
	}
	if (out.json) await out.document({ undone: told });
	else if (told.length === 0) await out.line("There is nothing to undo.");
	return code;
}

function* renderUndone({ title }: AgentSetup, undone: readonly Undone[], folder: string): Generator<string> {
	const back = undone.filter(({ kind }) => kind !== "left");
	const theirs = back.filter(({ file }) => file.startsWith(folder));
	yield `${title}: ${plural(back.length, "file")} as before.`;
	for (const { file } of theirs) yield `  ${file}`;
	const own = back.length - theirs.length;
	if (own > 0) yield `  ${plural(own, "file")} of weft's own, removed`;
}
