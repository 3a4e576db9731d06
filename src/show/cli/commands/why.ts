import { tellRecalled } from "../../../view/recall.ts";
import { readFileStory, renderFileStory } from "../../../view/why.ts";
import type { Context } from "../context.ts";

export async function run(context: Context, [given = ""]: readonly string[]): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const story = await readFileStory(engine, given, context.cwd);
		if (out.json) return await out.document(story);
		await out.lines(renderFileStory(story, out));
		for (const line of story.recalled ? tellRecalled(story.recalled) : []) out.talk(line);
	} finally {
		engine.close();
	}
}
