import { memoryStory, renderStory } from "../../../view/memory-story.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ engine, args: [id = ""] }: Call<"memory why">): CommandResult {
	const story = memoryStory(engine, id);
	return { data: story, lines: (out) => renderStory(story, out) };
}
