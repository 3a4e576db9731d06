/** An edit of a file that changed again after a note had shown the first change: the diff begins where the note ended. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { AGENT_NAMES, PORTS } from "./port.ts";
import { run } from "./run.ts";
import type { ScriptStep } from "./script.ts";

const shell = (name: string, command: string): ScriptStep => ({ name, do: "call", call: { tool: "shell", command } });
const save = (name: string, line: string): ScriptStep => ({
	name,
	do: "save",
	path: "count.txt",
	text: `one\n${line}\nthree\n`,
});
const START: readonly ScriptStep[] = [
	{ name: "count", do: "save", path: "count.txt", text: "one\ntwo\nthree\n" },
	{ name: "prompt", do: "prompt", text: "Count further." },
];
const EDIT: ScriptStep = {
	name: "edit",
	do: "call",
	call: { tool: "edit", path: "count.txt", before: "three", after: "3" },
};
const END: readonly ScriptStep[] = [
	{ name: "answer", do: "answer", text: "Done." },
	{ name: "end", do: "end" },
];

const READS: readonly [how: string, step: ScriptStep][] = [
	["read", { name: "look", do: "call", call: { tool: "read", path: "count.txt" } }],
	["printed", shell("look", "cat count.txt")],
];

for (const agent of AGENT_NAMES.filter((name) => PORTS[name].canRefuseCalls)) {
	suite(`${agent}, a file that changes twice`, () => {
		for (const [how, look] of READS) {
			test(`a file that was ${how} is compared with the text that the last note showed`, async () => {
				const first = [save("first change", "two by somebody"), shell("noted", "true")];
				const steps = [...START, look, ...first, save("second change", "two by somebody else"), EDIT, ...END];
				const of = await run(agent, "woven", { steps });
				assert.match(of.notes("noted").join("\n"), /\n-two\n\+two by somebody$/m);
				assert.match(of.notes("edit").join("\n"), /\n-two by somebody\n\+two by somebody else(?:\n|$)/);
			});

			test(`the first change of a file that was ${how} is in the reason`, async () => {
				const of = await run(agent, "woven", {
					steps: [...START, look, save("change", "two by somebody"), EDIT, ...END],
				});
				assert.match(of.notes("edit").join("\n"), /\n-two\n\+two by somebody(?:\n|$)/);
			});
		}
	});
}
