import { EngineError } from "../../error/engine-error.ts";
import { lcmDescribe } from "../../tool/describe.ts";
import type { Context } from "../context.ts";
import { pickSession } from "../pick-session.ts";

export interface DescribeOptions {
	readonly session?: string;
}

const SECTIONS = ["overview", "recent", "earliest"];

/** What the tool of the same purpose tells a model. */
export async function run(
	context: Context,
	[what = "overview"]: readonly string[],
	options: DescribeOptions,
): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const { history } = engine;
		const session = pickSession(engine.log, options.session);
		const args = SECTIONS.includes(what) ? { section: what } : { section: "by_id", summary_id: what };
		const { text, details, isError } = await lcmDescribe.run({ history, session, now: context.now() }, args);
		if (isError) throw new EngineError("not-found", text);
		if (out.json) return await out.document({ ...details, text });
		await out.text(`${text}\n`);
	} finally {
		engine.close();
	}
}
