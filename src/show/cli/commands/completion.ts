import { COMMANDS } from "../catalogue.ts";
import { completionScript, SHELLS } from "../completion.ts";
import type { Call, CommandResult } from "../frame.ts";
import { readOneOf } from "../options.ts";

export function run({ args }: Call<"completion">): CommandResult {
	const shell = readOneOf("weft completion", args[0] ?? "", SHELLS) ?? "bash";
	const script = completionScript(shell, COMMANDS);
	return { data: { shell, script }, text: () => script };
}
