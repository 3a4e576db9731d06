import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEngine } from "../../../engine.ts";
import type { CommandInput } from "./command-input.ts";
import { browse } from "./history-browser.ts";

test("a search in the terminal asks for words, pages, takes other words, and shows what was chosen", async () => {
	const folder = mkdtempSync(join(tmpdir(), "weft-browse-"));
	const engine = openEngine({ cwd: folder, host: "pi", home: join(folder, "home"), env: {} });
	try {
		const say = (text: string, at: number) => {
			const message = { role: "user", content: [{ type: "text", text }] };
			const raw = JSON.stringify({ type: "message", id: `e${at}`, parentId: null, message });
			const payload = { role: "user", form: "pi" } as const;
			return { type: "Message", session: "s", host: "pi", ts: at, entry: `e${at}`, payload, raw } as const;
		};
		engine.record(Array.from({ length: 20 }, (_, at) => say(`The crane number ${at} lifts`, at)));
		engine.record([say("The harbour is closed.\nUntil Monday.", 30)]);
		const input: unknown[] = [];
		const answers: ((options: readonly string[]) => string | undefined)[] = [
			() => "crane",
			(options) => options.at(-2),
			(options) => options.at(-1),
			() => "harbour",
			(options) => options[0],
		];
		const next = async (title: string, options: readonly string[] | string = []) => {
			input.push(title);
			return answers.shift()?.(typeof options === "string" ? [] : options);
		};
		const live = { engine, session: { session: "s", host: "pi" } };
		const command = { ctx: { ui: { input: next, select: next } }, live } as unknown as CommandInput;
		assert.match(await browse(command, ""), /^\[m-[0-9a-f]{12} user\]\nThe harbour is closed\.\nUntil Monday\.$/);
		assert.deepEqual(input, [
			"Search the whole history",
			'15 results for "crane"',
			'5 results for "crane", from 16 on',
			"Search the whole history",
			'1 result for "harbour"',
		]);
		assert.equal(await browse(command, "crane"), 'Searched for "crane".', "left without choosing");
		assert.equal(await browse(command, ""), "No search was made.");
	} finally {
		engine.close();
		rmSync(folder, { recursive: true });
	}
});
