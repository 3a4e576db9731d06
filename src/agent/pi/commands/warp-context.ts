/** The Warp context as the planner would compute it now, whatever mode the session is in. */
import type { Asked } from "./asked.ts";

export async function run({ live }: Asked): Promise<string> {
	const { opening } = live.engine.plan({ ...live.input(), mode: "warp", decide: true });
	return opening?.text ?? "Nothing was said in this session yet, so there is nothing to compute from.";
}
