import { EngineError } from "../../../base/error/engine-error.ts";
import { addMemory } from "../../../view/memory-edits.ts";
import { byCommand } from "../context.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

const DEFAULT_SECTION = "Facts";

export function check({ args }: CheckCall<"memory add">): void {
	if (args.join("").trim() === "") throw new EngineError("usage", "Say what to remember: weft memory add TEXT.");
}

export function run({ context, engine, args, options }: Call<"memory add">): CommandResult {
	const added = { text: args.join(" ").trim(), section: options.section ?? DEFAULT_SECTION };
	const { path, ops } = addMemory(engine, added, byCommand(context.now()));
	const id = ops.at(-1)?.id;
	return { data: { id, path }, lines: () => [`${id}: written to ${path}`] };
}
