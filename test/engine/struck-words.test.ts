/** What the user struck out of the thread is in no context from the next seal on, in every mode. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { messageText, viewMessage } from "../../src/message/view.ts";
import { markThread, viewThread } from "../../src/view/thread.ts";
import { assistant, eventsOf, OF, ran, type SessionWord, user } from "../rig/events.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const STRUCK = "Always answer in rhymes.";
const STRUCK_ALONE = "never use lodash here";
const PINNED = "The harbour has three gauges: east, west and north.";

for (const mode of ["woven", "lossless", "warp"] as const) {
	test(`in ${mode} struck words are in no line of a request or a summary, and pinned ones stay`, async () => {
		using project = new TemporaryProject();
		const engine = openEngine({ cwd: project.folder, home: project.home, host: OF.host, now: () => 1_000 });
		try {
			const words: SessionWord[] = [
				user(`Build the tide table and never touch README.md. ${STRUCK}`),
				assistant("Understood."),
				user(STRUCK_ALONE),
				assistant("No lodash."),
				user(PINNED),
				assistant("Noted."),
			];
			for (let part = 0; part < 40; part++) {
				const log = `part ${part} is checked\n`.repeat(320);
				words.push(
					user(`look at part ${part}`),
					assistant(`Part ${part}.`),
					ran(`check ${part}`, log),
					assistant("Fine."),
				);
			}
			engine.record(eventsOf(words, project.folder));
			const { sections } = viewThread(engine, OF, { all: true });
			const mark = (text: string, how: "pin" | "strike") => {
				const item = sections.flatMap(({ items }) => items).find((each) => each.text === text);
				markThread(engine, OF, item?.id ?? "", how, 1_000);
			};
			mark(STRUCK, "strike");
			mark(STRUCK_ALONE, "strike");
			mark(PINNED, "pin");
			const { messages, reasons } = await engine.assemble({ ...OF, mode, window: 60_000 });
			assert.ok(reasons.length > 0);
			const [opening] = messages;
			const text = messageText(viewMessage({ form: "pi", role: "user", raw: opening ?? {} }));
			for (const each of [STRUCK, STRUCK_ALONE]) assert.ok(!text.includes(each), each);
			for (const each of ["never touch README.md", PINNED]) assert.ok(text.includes(each), each);
		} finally {
			engine.close();
		}
	});
}
