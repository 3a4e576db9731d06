import { EngineError } from "../../../base/error/engine-error.ts";
import { renderFound, searchMemory } from "../../../view/memory.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ args }: CheckCall<"memory search">): void {
	if (args.join("").trim() === "") throw new EngineError("usage", "Say what to look for: weft memory search WORD.");
}

export function run({ engine, args }: Call<"memory search">): CommandResult {
	const found = searchMemory(engine, args.join(" ").trim().split(/\s+/));
	return {
		data: found,
		lines: (out) => renderFound(found, out),
		code: found.bullets.length > 0 ? EXIT.ok : EXIT.failed,
	};
}
