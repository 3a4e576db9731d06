import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { Handlers } from "./handler.ts";
import { loadHandlers } from "./project-handlers.ts";

const folder = temporaryFolder();

function file(name: string, text: string): string {
	writeFileSync(join(folder, name), text);
	return `./${name}`;
}

test("handler files are loaded in order, TypeScript as it is", async () => {
	const handlers = new Handlers();
	const files = [
		file(
			"first.ts",
			'export default function (weft: { on(type: string, handler: object): void }) { weft.on("context", () => {}); }',
		),
		file(
			"second.mjs",
			'export default async (weft) => { await null; weft.on("message", () => {}); weft.on("context", () => {}); };',
		),
	];
	assert.deepEqual(await loadHandlers(files, folder, handlers), { loaded: files, problems: [] });
	assert.deepEqual(
		handlers.context.map(({ name }) => name),
		["first.ts", "second.mjs"],
	);
	assert.equal(handlers.message.length, 1);
});

test("a file that cannot be loaded is said plainly and counts wholly or not at all; the others still count", async () => {
	const handlers = new Handlers();
	const files = [
		"./nowhere.ts",
		file("broken.mjs", "export default ("),
		file("empty.mjs", "export const handler = 1;"),
		file("throws.mjs", 'export default (weft) => { weft.on("context", () => {}); throw new Error("no network"); };'),
		file("event.mjs", 'export default (weft) => weft.on("contxt", () => {});'),
		file("number.mjs", 'export default (weft) => weft.on("context", 5);'),
		file("fine.mjs", 'export default (weft) => weft.on("context", () => {});'),
	];
	const { loaded, problems } = await loadHandlers(files, folder, handlers);
	assert.deepEqual(loaded, ["./fine.mjs"]);
	assert.deepEqual(
		handlers.context.map(({ name }) => name),
		["fine.mjs"],
	);
	const said = problems.map(({ message }) => message.replace(folder, "DIR"));
	assert.equal(said[0], "handlers: there is no file ./nowhere.ts (DIR/nowhere.ts).");
	assert.match(said[1]!, /^handlers: \.\/broken\.mjs cannot be loaded: Unexpected/);
	assert.equal(said[2], "handlers: ./empty.mjs must export a function as its default.");
	assert.equal(said[3], "handlers: ./throws.mjs cannot be loaded: no network");
	assert.equal(said[4], 'handlers: ./event.mjs cannot be loaded: on() takes "context" or "message", not "contxt"');
	assert.equal(said[5], 'handlers: ./number.mjs cannot be loaded: on("context") takes a function');
});
