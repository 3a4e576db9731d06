import { readFileStory, renderFileStory } from "../../../view/file-story.ts";
import { renderRecalled } from "../../../view/pruned-events.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, engine, args: [file = ""] }: Call<"why">): Promise<CommandResult> {
	const story = await readFileStory(engine, file, context.cwd);
	return {
		data: story,
		lines: (out) => renderFileStory(story, out),
		remarks: story.recalled ? renderRecalled(story.recalled) : [],
	};
}
