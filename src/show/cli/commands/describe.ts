import { EngineError } from "../../../base/error/engine-error.ts";
import { lcmDescribe } from "../../../tool/describe.ts";
import { describeHistory } from "../../../view/describe.ts";
import type { Context } from "../context.ts";
import { pickSession } from "../pick-session.ts";

export interface DescribeOptions {
	readonly session?: string;
}

const SECTIONS = ["overview", "recent", "earliest"];

/** For people; with --json what the tool of the same purpose tells a model. */
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
		if (!out.json) return await out.lines(describeHistory(history, session, what, out));
		const args = SECTIONS.includes(what) ? { section: what } : { section: "by_id", summary_id: what };
		const { text, details, isError } = await lcmDescribe.run({ history, session, now: context.now() }, args);
		if (isError) throw new EngineError("not-found", text);
		await out.document({ ...details, text });
	} finally {
		engine.close();
	}
}
