import { readHealth, renderHealth } from "../../view/doctor.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { supportedNode } from "../node-version.ts";
import { weftVersion } from "../version.ts";

export async function run(context: Context): Promise<ExitCode> {
	const { out } = context;
	const health = readHealth({
		version: weftVersion(),
		nodeProblem: supportedNode(process.versions.node),
		settings: context.readSettings(),
		project: context.root,
		now: Date.now(),
		...context.places(),
	});
	if (out.json) await out.document(health);
	else await out.lines(renderHealth(health, out));
	return health.ok ? EXIT.ok : EXIT.failed;
}
