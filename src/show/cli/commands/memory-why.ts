import { memoryStory, renderStory } from "../../../view/memory-story.ts";
import type { Context } from "../context.ts";

export async function run(context: Context, [id = ""]: readonly string[]): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const story = memoryStory(engine, id);
		if (out.json) return await out.document(story);
		await out.lines(renderStory(story, out));
	} finally {
		engine.close();
	}
}
