import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { asName, parseObject } from "../../../base/json/read.ts";
import type { Engine } from "../../../engine.ts";
import { agentSessions } from "../../../state/session/find-session.ts";
import { configuredFleet } from "../../../view/fleet-state.ts";
import { renderStatusLine, viewLive } from "../../../view/live-status.ts";
import { renderStatus, type StatusView, viewStatus } from "../../../view/status.ts";
import type { Context } from "../context.ts";

export async function run(
	context: Context,
	_args: readonly string[] = [],
	{ line = false }: { readonly line?: boolean } = {},
): Promise<void> {
	if (line) return printLine(context);
	context.refuseBadSettings();
	const { out } = context;
	const status = readStatus(context);
	if (out.json) return out.document(status);
	await out.lines(renderStatus(status, out, context.now()));
}

/** A project without a log has a status too; asking does not make one. */
function readStatus(context: Context): StatusView {
	const { home, logPath } = context.places();
	if (!existsSync(logPath)) return viewStatus({ project: context.root, home }, null);
	const engine = context.openExisting();
	try {
		return viewStatus(
			{ project: engine.project.root, home, fleet: configuredFleet(engine.log, engine.settings, context.env) },
			engine.log,
		);
	} finally {
		engine.close();
	}
}

/** For the foot of an agent's screen, which is drawn again and again: whatever is wrong, it is one short line. */
async function printLine(context: Context): Promise<void> {
	const told = process.stdin.isTTY ? undefined : parseObject(await text(process.stdin));
	let line = "weft: nothing recorded yet";
	try {
		const engine = context.openExisting();
		try {
			line = lineOf(engine, asName(told?.["session_id"]), context.now()) ?? line;
		} finally {
			engine.close();
		}
	} catch {
		// No log, or one that cannot be read: 'weft doctor' says more.
	}
	await context.out.line(line);
}

function lineOf(engine: Engine, id: string | undefined, now: number): string | undefined {
	const sessions = agentSessions(engine.log);
	const found = sessions.find(({ session }) => session === id) ?? (id === undefined ? sessions[0] : undefined);
	if (!found) return undefined;
	const session = { session: found.session, host: found.host };
	const status = viewLive({ engine, session, mode: engine.settings.mode, lastRequest: undefined });
	return renderStatusLine(status, { dollars: 0, now });
}
