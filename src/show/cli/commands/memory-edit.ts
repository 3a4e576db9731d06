import { EngineError } from "../../../base/error/engine-error.ts";
import { editMemory } from "../../../view/memory-edits.ts";
import { byCommand } from "../context.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ args: [, ...words] }: CheckCall<"memory edit">): void {
	if (words.join("").trim() === "") throw new EngineError("usage", "Say what it should be: weft memory edit ID TEXT.");
}

export function run({ context, engine, args: [id = "", ...words] }: Call<"memory edit">): CommandResult {
	const { path, ops } = editMemory(engine, id, words.join(" ").trim(), byCommand(context.now()));
	const next = ops.at(-1)?.id;
	return {
		data: { id: next, replaces: id, path },
		lines: () => [`${next}: written to ${path}, in place of ${id}`],
	};
}
