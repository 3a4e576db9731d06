/** A project's first session in Pi and three resumes of it, in every mode: the head is the same from byte 0. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { makePiWorkspace, sessionFiles } from "../rig/workspace.ts";
import { messagesOf } from "./wire.ts";

const RESUMES = 3;

function headOf({ json }: ModelRequest): string {
	return JSON.stringify([json["tools"], json["system"]]).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
}

test("tools and system prompt are the same bytes in a first session, in three resumes of it and in every mode", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "alpha\n" } });
	const requests: ModelRequest[] = [];
	const modes = ["woven", "woven", "woven", "lossless", "warp", "off"];
	for (const [n, WEFT_MODE] of modes.entries()) {
		const script: ModelAnswer[] = [
			{ toolCalls: [{ id: `read_${n}`, name: "read", args: { path: "a.txt" } }] },
			{ text: `Read ${n}.` },
		];
		const session = sessionFiles(workspace).at(-1);
		const args = session === undefined ? [] : ["--session", session];
		const prompts = [`Read it, time ${n}. Never use cents.`];
		const run = await runPi({ workspace, script, prompts, args, extensions: [WEFT_EXTENSION], env: { WEFT_MODE } });
		assert.deepEqual([run.code, run.stdout.trim(), run.stderr], [0, `Read ${n}.`, ""]);
		requests.push(...run.requests);
	}
	assert.equal(sessionFiles(workspace).length, 1);
	assert.equal(requests.length, 2 * modes.length);
	const [first = ""] = requests.map(headOf);
	assert.match(first, /"recall"/);
	for (const request of requests) assert.equal(headOf(request), first);
	const woven = requests
		.slice(0, 2 * RESUMES)
		.map((request) => messagesOf(request).map((each) => JSON.stringify(each)));
	for (const [at, messages] of woven.slice(1).entries()) {
		const before = woven[at] ?? [];
		assert.deepEqual(messages.slice(0, before.length), before, `request ${at + 1} extends the one before`);
	}
});

test("weft's part of the head, in bytes", async () => {
	const sizes: number[] = [];
	for (const extensions of [[], [WEFT_EXTENSION]]) {
		using workspace = makePiWorkspace({ files: { "a.txt": "alpha\n" } });
		const { requests } = await runPi({ workspace, script: [{ text: "Hello." }], prompts: ["Hello."], extensions });
		sizes.push(Buffer.byteLength(headOf(requests[0]!)));
	}
	const [bare = 0, woven = 0] = sizes;
	const added = woven - bare;
	console.log(`head: Pi: ${bare} bytes alone, ${added} more with weft, about ${Math.round(added / 3.9)} tokens`);
	assert.ok(added > 0 && added < 5_600, `${added} bytes`);
});
