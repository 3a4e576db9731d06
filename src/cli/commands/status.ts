import { existsSync } from "node:fs";
import { configuredFleet } from "../../view/fleet-state.ts";
import { renderStatus, type StatusView, viewStatus } from "../../view/status.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
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
