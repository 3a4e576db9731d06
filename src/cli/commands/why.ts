import { readFileStory, renderFileStory } from "../../view/why.ts";
import type { Context } from "../context.ts";

export async function run(context: Context, [given = ""]: readonly string[]): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const story = readFileStory(engine, given, context.cwd);
		if (out.json) return await out.document(story);
		await out.lines(renderFileStory(story, out));
	} finally {
		engine.close();
	}
}
