import { oneLine } from "../../../base/text/printable.ts";
import { forgetMemory } from "../../../view/memory-edits.ts";
import { byCommand } from "../context.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ context, engine, args: [id = ""] }: Call<"memory forget">): CommandResult {
	const { path, text } = forgetMemory(engine, id, byCommand(context.now()));
	return { data: { id, text, path }, lines: () => [`Forgotten: ${oneLine(text)}`] };
}
