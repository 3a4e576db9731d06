/** `weft init`: finds the agents, says what it would change, does it on yes; `--undo` takes it back. */
import { EngineError } from "../../error/engine-error.ts";
import { AGENTS, findAgent } from "../../hosts/setup/agents.ts";
import { applyChanges, readApplied, undoChanges } from "../../hosts/setup/apply.ts";
import { launcherChange, launcherFolder } from "../../hosts/setup/launcher.ts";
import type { AgentSetup, Change, Found, PlanOptions } from "../../hosts/setup/setup.ts";
import { plural } from "../../text/bytes.ts";
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
	readonly found: Found;
	readonly changes: readonly Change[];
}

export async function run(context: Context, names: readonly string[], options: InitOptions): Promise<ExitCode> {
	const agents = names.length === 0 ? AGENTS : names.map(findAgent);
	if (options.undo) return undo(context, agents);
	const planned = planAll(context, agents, options);
	if (planned.length === 0) {
		const titles = agents.map(({ title, name }) => `${title} ('${name}')`).join(", ");
		throw new EngineError(
			"not-found",
			`Not found on your PATH: ${titles}. Install it first, then run 'weft init' again.`,
		);
	}
	const due = planned.filter(({ changes }) => changes.length > 0);
	if (context.out.json) await context.out.document({ agents: planned.map(asData) });
	else await context.out.lines(render(planned));
	if (due.length === 0) return EXIT.ok;
	if (!options.yes) {
		const answer = await askYes(context.out, `Do this for ${due.map(({ agent }) => agent.title).join(", ")}?`);
		if (answer === undefined)
			context.out.talk(`Nothing was changed. To do it: ${["weft init", ...names, "--yes"].join(" ")}`);
		if (!answer) return answer === undefined ? EXIT.usage : EXIT.ok;
	}
	for (const { agent, found, changes } of due) {
		const written = applyChanges(context.ownHome(), agent.name, changes);
		if (context.out.json) continue;
		await context.out.line(`${agent.title}: done, ${plural(written.length, "file")} written.`);
		await context.out.lines(afterwards(context, agent, found, options).map((line) => `  ${line}`));
	}
	return EXIT.ok;
}

function planAll(context: Context, agents: readonly AgentSetup[], options: InitOptions): Planned[] {
	const { env } = context;
	const { proxy, compaction, statusLine } = options;
	const plan: PlanOptions = {
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
		const changes = [...agent.plan(found, plan), ...launcher.filter(({ before, after }) => before !== after)];
		return [{ agent, found, changes }];
	});
}

function afterwards(context: Context, agent: AgentSetup, found: Found, { proxy }: InitOptions): string[] {
	const folder = launcherFolder({ dataHome: context.ownHome() });
	const path = `Put ${folder} first on your PATH: '${agent.name}' then starts it behind weft's proxy.`;
	return [...(agent.afterwards?.(found) ?? []), ...(proxy && agent.proxied ? [path] : [])];
}

function* render(planned: readonly Planned[]): Generator<string> {
	for (const { agent, found, changes } of planned) {
		yield `${agent.title}${found.version === undefined ? "" : ` ${found.version}`} (${found.program})`;
		if (changes.length === 0) yield "  Everything is in place.";
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

function common(changes: readonly Change[]): string {
	const [first = "", ...rest] = changes.map(({ file }) => file.split("/").slice(0, -1));
	const parts = [...first];
	for (const other of rest) {
		const at = parts.findIndex((part, n) => other[n] !== part);
		if (at !== -1) parts.length = at;
	}
	return parts.join("/");
}

function asData({ agent, found, changes }: Planned): object {
	const told = changes.map(({ file, what, before }) => ({ file, what, isNew: before === undefined }));
	return { agent: agent.name, program: found.program, version: found.version ?? null, changes: told };
}

async function undo(context: Context, agents: readonly AgentSetup[]): Promise<ExitCode> {
	const home = context.ownHome();
	let code: ExitCode = EXIT.ok;
	const told: object[] = [];
	for (const { name, title } of agents) {
		if (!readApplied(home, name)) continue;
		const undone = undoChanges(home, name);
		const left = undone.filter((each) => each.kind === "left");
		if (left.length > 0) code = EXIT.refused;
		told.push({ agent: name, undone });
		if (context.out.json) continue;
		const back = undone.length - left.length;
		await context.out.line(`${title}: ${plural(back, "file")} as before.`);
		for (const each of left) context.out.talk(`weft: ${each.says}`);
	}
	if (context.out.json) await context.out.document({ undone: told });
	else if (told.length === 0) await context.out.line("There is nothing to undo.");
	return code;
}
