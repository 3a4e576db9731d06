import { renderSnapshot, writeSnapshot } from "../../../view/pruning.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ engine }: Call<"snapshot">): CommandResult {
	const written = writeSnapshot(engine.log);
	return { data: written, lines: () => [renderSnapshot(written)] };
}
