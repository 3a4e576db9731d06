import assert from "node:assert/strict";
import { test } from "node:test";
import { renderDuty } from "./proxy.ts";

test("the proxy says whether it passes requests through, shortens them, or does nothing", () => {
	const passing = "Passing requests through.";
	const shortening = "Recording requests, and shortening those that grow too long.";
	const disabled = "weft is disabled here ('enabled' is false): requests pass unchanged, and nothing is recorded.";
	const woven = { enabled: true, mode: "woven" } as const;
	assert.equal(renderDuty(woven, { rewrite: false }), passing);
	assert.equal(renderDuty(woven, { rewrite: true }), shortening);
	assert.equal(renderDuty({ ...woven, mode: "off" }, { rewrite: true }), passing);
	assert.equal(renderDuty({ ...woven, enabled: false }, { rewrite: true }), disabled);
});
