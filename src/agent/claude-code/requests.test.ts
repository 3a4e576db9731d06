import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiRequests, hashOf } from "./requests.ts";

test("every message of a request is found, in a session of any length, and what no request names is forgotten", () => {
	const requests = new ApiRequests(({ content }) => content);
	const said = (n: number) => ({ role: "user", content: `Word ${n}` });
	const first = hashOf(said(0));
	let sent: string[] = [];
	requests.take({ type: "api-request-blob", hash: first, message: said(0) });
	for (let n = 1; n < 16_000; n++) {
		// Each compaction leaves the first message and nothing else, until late.
		const isCompaction = n % 900 === 0;
		const tail = [hashOf(said(n))];
		if (isCompaction && n < 13_000) tail.unshift(first);
		requests.take({ type: "user", message: said(n) });
		if (n % 9 !== 0) continue;
		const keep = isCompaction ? 0 : sent.length;
		const request = requests.take({ type: "api-request", id: `r${n}`, base: `r${n - 9}`, keep, tail, params: {} });
		sent = [...sent.slice(0, keep), ...tail];
		assert.deepEqual(
			request?.messages.map(({ hash }) => hash),
			sent,
		);
		assert.ok(request.messages.every(({ kept }) => kept !== undefined));
	}
	const last = requests.take({
		type: "api-request",
		id: "last",
		keep: 0,
		tail: [hashOf(said(18)), ...sent],
		params: {},
	});
	assert.deepEqual([last?.messages[0]?.kept, last?.messages.length], [undefined, sent.length + 1]);
});
