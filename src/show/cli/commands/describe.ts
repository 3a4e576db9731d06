import { EngineError } from "../../../base/error/engine-error.ts";
import { lcmDescribe } from "../../../tool/describe.ts";
import { describeHistory } from "../../../view/describe.ts";
import type { Call, CommandResult } from "../frame.ts";

const SECTIONS = ["overview", "recent", "earliest"];

/** With --json it prints what the tool lcm_describe gives a model. */
export async function run({ context, out, engine, session, args }: Call<"describe">): Promise<CommandResult> {
	const [part = "overview"] = args;
	const { history } = engine;
	if (!out.json) return { data: null, lines: () => describeHistory(history, session, part, out) };
	const asked = SECTIONS.includes(part) ? { section: part } : { section: "by_id", summary_id: part };
	const { text, details, isError } = await lcmDescribe.run({ history, session, now: context.now() }, asked);
	if (isError) throw new EngineError("not-found", text);
	return { data: { ...details, text } };
}
