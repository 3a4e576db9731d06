import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Sink } from "../../../test/cli/sink.ts";
import { askYes } from "./confirmation.ts";
import { Output } from "./output.ts";

async function answerTo(keys: string, { isTTY = true } = {}): Promise<boolean | undefined> {
	const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input }) as unknown as NodeJS.ReadStream;
	const out = new Output({ json: false, color: false }, new Sink({ isTTY }).stream, new Sink({ isTTY }).stream);
	const asked = askYes(out, "Read it in?", { input, output: new PassThrough() });
	(input as unknown as PassThrough).write(keys);
	return asked;
}

test("only yes is yes; Ctrl-C and Ctrl-D say no, without a trace; without a terminal nobody is asked", async () => {
	for (const keys of ["y\r", "YES\r", " yes \r"]) assert.equal(await answerTo(keys), true, keys);
	for (const keys of ["\r", "n\r", "yeah\r", "\u0003", "\u0004"]) assert.equal(await answerTo(keys), false, keys);
	assert.equal(await answerTo("y\r", { isTTY: false }), undefined);
});
