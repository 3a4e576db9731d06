import assert from "node:assert/strict";
import { test } from "node:test";
import { Savings, type WeighedRequest } from "./session-savings.ts";

/** A dollar a token, so that prices are token counts. */
const BASE = {
	window: 1_000,
	prices: { input: 1e6, output: 5, read: 0.1, write: 1.25, writeLong: 2 },
	fixed: 0,
	fresh: false,
};

function saved(
	requests: readonly Pick<WeighedRequest, "sent" | "whole">[],
	freshAt = -1,
	window = BASE.window,
): number {
	const savings = new Savings();
	for (const [at, request] of requests.entries()) savings.add({ ...BASE, window, ...request, fresh: at === freshAt });
	return Math.round(savings.dollars * 100) / 100;
}

test("nothing is saved while the whole history is sent", () => {
	assert.equal(
		saved([
			{ sent: 100, whole: 100 },
			{ sent: 300, whole: 300 },
		]),
		0,
	);
});

test("a seal is paid for first, then each request saves what it does not read", () => {
	const before = { sent: 500, whole: 500 };
	const sealed = { sent: 100, whole: 510 };
	assert.equal(saved([before, sealed], 1), 500 * 0.1 + 10 * 1.25 - 100 * 1.25);
	const later = { sent: 110, whole: 520 };
	assert.equal(saved([before, sealed, later], 1) - saved([before, sealed], 1), (510 - 100) * 0.1);
});

test("the host could not have sent more than the window holds", () => {
	const over = [
		{ sent: 100, whole: 2_000 },
		{ sent: 100, whole: 3_000 },
	];
	assert.equal(saved(over, -1, 200), (200 - 100) * 1.25 + (200 - 100) * 0.1);
});
