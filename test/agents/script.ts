/**
 * The session that every agent plays. Each step has a name by which the suite finds what came of it. No step names an agent
 * or a tool of one.
 */
import type { AgentDriver, CallOutcome, ScriptedCall } from "./driver.ts";
import type { AgentWorld } from "./world.ts";

export const REMEMBERED = "The sextant is calibrated with the polaris table, never by hand";

const LONG_LINES = 620;

/** `pytest` is a script on the path: it fails until tide.txt says 7. */
const PYTEST = `#!/bin/sh
if grep -q 7 tide.txt; then echo '1 passed in 0.01s'; exit 0; fi
cat <<'E'
=================================== FAILURES ===================================
__________________________________ test_high ___________________________________
tests/test_tide.py:4: in test_high
    assert high() == 7
E   assert 6 == 7
=========================== short test summary info ============================
FAILED tests/test_tide.py::test_high - assert 6 == 7
1 failed in 0.02s
E
exit 1
`;

export const FILES = {
	"rates.mjs": "rate = 7\nfloor = 1\nceiling = 9\n",
	"unread.txt": "theirs\n",
	"tide.txt": "6\n",
	"long.txt": Array.from({ length: LONG_LINES }, (_, at) => `line ${at + 1}\n`).join(""),
	"bin/pytest": PYTEST,
	"bin/bump": "#!/bin/sh\necho 'step = 3' >> rates.mjs\n",
};

export type ScriptStep = { readonly name: string } & (
	| { readonly do: "prompt"; readonly text: string }
	| { readonly do: "call"; readonly call: ScriptedCall; readonly ifRefused?: string }
	/** Somebody else saves a file. */
	| { readonly do: "save"; readonly path: string; readonly text: string }
	| { readonly do: "answer"; readonly text: string }
	| { readonly do: "abort"; readonly text: string }
	| { readonly do: "switch model"; readonly model: string }
	| { readonly do: "compact" | "resume" | "end" }
);

const call = (name: string, of: ScriptedCall, ifRefused?: string): ScriptStep => ({
	name,
	do: "call",
	call: of,
	...(ifRefused !== undefined && { ifRefused }),
});

export const LONG_OUTPUT = "seq -f 'row %.0f of a very long output' 1 10000";

export const SCRIPT: readonly ScriptStep[] = [
	{
		name: "first prompt",
		do: "prompt",
		text: "How is the sextant calibrated, with the polaris table? Then raise the floor in rates.mjs.",
	},
	call("read", { tool: "read", path: "rates.mjs" }),
	call("edit", { tool: "edit", path: "rates.mjs", before: "floor = 1", after: "floor = 2" }),
	{ name: "somebody saves", do: "save", path: "rates.mjs", text: "rate = 8\nfloor = 2\nceiling = 9\n" },
	call("stale edit", { tool: "edit", path: "rates.mjs", before: "floor = 2", after: "floor = 3" }),
	call("unread write", { tool: "write", path: "unread.txt", text: "mine\n" }),
	call("long read", { tool: "read", path: "long.txt" }),
	call("failing test", { tool: "shell", command: "pytest -q" }),
	call("naming command", { tool: "shell", command: "echo 7 > tide.txt" }),
	call("passing test", { tool: "shell", command: "pytest -q" }),
	call("long output", { tool: "shell", command: LONG_OUTPUT }),
	call("changing command", { tool: "shell", command: "bump" }),
	{ name: "first answer", do: "answer", text: "The floor is 3, and the tide test passes." },
	{ name: "model switch", do: "switch model", model: "second-model" },
	{ name: "prompt without recall", do: "prompt", text: "Thanks. Wait a moment." },
	{ name: "abort", do: "abort", text: "I wait" },
	{ name: "prompt after the abort", do: "prompt", text: "Look at the rates once more." },
	call("read again", { tool: "read", path: "rates.mjs" }),
	{ name: "second answer", do: "answer", text: "They are as they should be." },
	{ name: "compaction", do: "compact" },
	{ name: "prompt after the compaction", do: "prompt", text: "Go on with the ceiling." },
	{ name: "third answer", do: "answer", text: "I will raise it." },
	{ name: "resume", do: "resume" },
	{ name: "prompt after the resume", do: "prompt", text: "Raise the ceiling now." },
	call("edit after the resume", { tool: "edit", path: "rates.mjs", before: "ceiling = 9", after: "ceiling = 10" }),
	{ name: "last answer", do: "answer", text: "The ceiling is 10." },
	{ name: "end", do: "end" },
];

/** What came of the steps, by their names. */
export interface Trace {
	readonly calls: ReadonlyMap<string, CallOutcome>;
	/** What the model was given beside the user's words, or for what left. */
	readonly given: ReadonlyMap<string, string>;
}

export interface PlayOptions {
	/** Called before each step. */
	readonly before?: ((step: ScriptStep) => void | Promise<void>) | undefined;
}

export async function play(
	driver: AgentDriver,
	world: AgentWorld,
	steps: readonly ScriptStep[] = SCRIPT,
	{ before }: PlayOptions = {},
): Promise<Trace> {
	const calls = new Map<string, CallOutcome>();
	const given = new Map<string, string>();
	await driver.start();
	for (const step of steps) {
		await before?.(step);
		if (step.do === "prompt") given.set(step.name, await driver.prompt(step.text));
		else if (step.do === "compact") given.set(step.name, await driver.compact());
		else if (step.do === "call") {
			const isDue = step.ifRefused === undefined || calls.get(step.ifRefused)?.refusal !== undefined;
			if (isDue) calls.set(step.name, await driver.call(step.call));
		} else if (step.do === "save") world.put(step.path, step.text);
		else if (step.do === "answer") await driver.answer(step.text);
		else if (step.do === "abort") await driver.abort(step.text);
		else if (step.do === "switch model") await driver.switchModel(step.model);
		else if (step.do === "resume") await driver.resume();
		else await driver.end();
	}
	return { calls, given };
}
