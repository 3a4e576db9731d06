/** Shows to which moments files can go back, and what that would change. A person runs the command: a model only proposes it. */
import { EngineError } from "../base/error/engine-error.ts";
import { cutStart } from "../base/text/cut.ts";
import { disarmTags } from "../message/enclosure.ts";
import { refusal, type ToolRunner, textArgument, unknownArguments } from "./types.ts";

const ARGUMENTS = ["file", "to", "before"];
const MAX_CHARS = 6_000;

export const rewind: ToolRunner = {
	async run({ renderRewind }, args) {
		if (!renderRewind) return refusal("not-found", "Files cannot be brought back from this conversation.");
		const unknown = unknownArguments(args, ARGUMENTS);
		if (unknown) return unknown;
		const [file, to, before] = ARGUMENTS.map((name) => textArgument(args[name]).trim() || undefined);
		try {
			// Prompts, commands and lines of files, shown to choose by: nothing here is copied into an edit.
			return { text: disarmTags(cutStart(renderRewind({ file, to, before }), MAX_CHARS)), details: {} };
		} catch (error) {
			if (error instanceof EngineError) return refusal(error.code, error.message);
			throw error;
		}
	},
};
