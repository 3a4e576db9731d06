import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "./catalogue.ts";
import { completionScript, SHELLS } from "./completion.ts";

test("every shell's script knows every command and every option", () => {
	for (const shell of SHELLS) {
		const script = completionScript(shell, COMMANDS);
		for (const { name, options = [] } of COMMANDS) {
			for (const word of name.split(" ")) assert.match(script, new RegExp(`\\b${word}\\b`), `${shell}: ${name}`);
			for (const [syntax] of options) {
				const long = /--([\w-]+)/.exec(syntax)![1]!;
				assert.match(script, new RegExp(`(--|-l )${long}\\b`), `${shell}: ${name} ${syntax}`);
			}
		}
	}
});
