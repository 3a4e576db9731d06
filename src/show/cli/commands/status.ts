import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { EngineError } from "../../../base/error/engine-error.ts";
import { asName, asObject, type JsonObject, parseObject } from "../../../base/json/read.ts";
import type { Engine } from "../../../engine.ts";
import { logFolders } from "../../../log/project.ts";
import { agentSessions, freshestSession } from "../../../state/session/find-session.ts";
import { configuredFleet } from "../../../view/fleet-state.ts";
import { renderStatusLine, viewLive } from "../../../view/live-status.ts";
import { renderStatus, type StatusView, viewStatus } from "../../../view/status.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, out, options }: Call<"status">): Promise<CommandResult | ExitCode> {
	if (options.line) {
		await out.line(await statusLine(context));
		return EXIT.ok;
	}
	context.warnOfSettings();
	if (!out.json && !context.projectGiven && logFolders(context.places().home).length === 0) {
		// A status line must start fast, and needs none of it.
		const { offerImport } = await import("./import.ts");
		const code = await offerImport(context);
		if (code !== undefined) return code;
	}
	const status = await readStatus(context);
	return { data: status, lines: () => renderStatus(status, out, context.now()) };
}

/** A project without a log has a status too; asking does not create one. */
async function readStatus(context: Context): Promise<StatusView> {
	const { home, logPath } = context.places();
	const logs = logFolders(home).length;
	if (!existsSync(logPath)) return viewStatus({ project: context.root, home, others: logs }, null);
	return context.withLog(({ log, project, settings }) => {
		const fleet = configuredFleet(log, settings, context.env);
		return viewStatus({ project: project.root, home, others: logs - 1, fleet }, log);
	});
}

/** For the foot of an agent's screen, which is redrawn all the time: on any error it is still one short line. */
async function statusLine(context: Context): Promise<string> {
	const told = process.stdin.isTTY ? undefined : parseObject(await text(process.stdin));
	if (context.readSettings().problems.some(({ key }) => key === undefined))
		return "weft: settings unreadable, see 'weft config'";
	try {
		const line = await context.withLog((engine) => lineOf(engine, told ?? {}, context.now()));
		if (line !== undefined) return line;
	} catch (error) {
		const isMissing = error instanceof EngineError && error.code === "not-found";
		if (!isMissing) return "weft: log unreadable, see 'weft doctor'";
	}
	return "weft: nothing recorded yet";
}

/** `told`: the agent's own account of its session, as Claude Code gives it to a status line. */
function lineOf(engine: Engine, told: JsonObject, now: number): string | undefined {
	const { log } = engine;
	const id = asName(told["session_id"]);
	const found = id === undefined ? freshestSession(log) : agentSessions(log).find(({ session }) => session === id);
	if (!found) return undefined;
	const session = { session: found.session, host: found.host };
	const { mode } = engine.settings;
	const model = asName(asObject(told["model"])?.["id"]);
	const isForecast = id !== undefined && (mode === "woven" || mode === "lossless");
	const rewrite = isForecast ? engine.requests.forecastRewrite({ ...session, model, decide: false }) : undefined;
	const status = viewLive({ engine, session, mode, lastRequest: undefined, rewrite });
	return renderStatusLine(status, { dollars: 0, now });
}
