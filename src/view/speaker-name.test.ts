import assert from "node:assert/strict";
import { test } from "node:test";
import { speakerName } from "./speaker-name.ts";

test("the text that opens a request is the system's, whichever role an API gives it", () => {
	assert.equal(speakerName({ who: "other", role: "system" }), "System");
	assert.equal(speakerName({ who: "other", role: "developer" }), "System");
	assert.equal(speakerName({ who: "other", role: "toolResult" }), "Other");
	assert.equal(speakerName({ who: "program", role: "system" }), "Program");
});
