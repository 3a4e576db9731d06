/**
 * The contract of agents: one session, played in every agent under every setting. What an agent gets is what its port allows,
 * and what two agents get is the same, word for word.
 */
import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { AGENT_NAMES, type AgentName, PORTS, type PortFacts } from "./port.ts";
import { type AgentRun, run, runOf } from "./run.ts";
import { LONG_OUTPUT, SCRIPT, type ScriptStep } from "./script.ts";
import { SETTING_NAMES, type SettingName } from "./world.ts";

const LONG_OUTPUT_CHARS = 300_000;
const MAX_OUTPUT_CHARS = 50_000;
const MAX_READ_LINES = 500;
/** Words that a program writes in the user's name. Seeds still quote these as the user's. */
const PROGRAM_NOTICES = ["[Request interrupted by user]"];

/** weft leaves the agent alone. */
const isIdle = (setting: SettingName) => setting === "off" || setting === "disabled";
/** The guard looks, and says what changed on disk. */
const isGuarding = (setting: SettingName, { canRefuseCalls }: PortFacts) => canRefuseCalls && !isIdle(setting);
/** The guard may also refuse, change and cut. */
const isEnforcing = (setting: SettingName, port: PortFacts) => isGuarding(setting, port) && setting !== "report";

for (const agent of AGENT_NAMES) {
	for (const setting of SETTING_NAMES) {
		suite(`${agent}, ${setting}`, () => checkOne(agent, setting));
	}
}

for (const agent of AGENT_NAMES) suite(`${agent}, in the middle of a session`, () => checkMiddle(agent));

for (const setting of SETTING_NAMES) suite(`all agents, ${setting}`, () => compareAll(setting));

function checkOne(agent: AgentName, setting: SettingName): void {
	const port = PORTS[agent];
	let of: AgentRun;
	before(async () => {
		of = await runOf(agent, setting);
	});

	test("nothing fails, and the user hears of nothing but each seal, in one line", () => {
		assert.deepEqual(of.eventsOf("Fault"), []);
		const ofSeals = of.said.filter((notice) => /^(?:weft: )?sealed \(.+To get them back: /.test(notice));
		assert.deepEqual(of.said, ofSeals);
		assert.ok(ofSeals.length <= of.eventsOf("Seal").length, ofSeals.join("\n"));
	});

	if (isIdle(setting)) {
		test("no call is refused, changed, cut or remarked on", () => {
			for (const [step, { refusal, beside, limit }] of of.calls()) {
				assert.deepEqual([step, refusal, beside, limit, of.notes(step)], [step, undefined, "", undefined, []]);
			}
			assert.ok(of.output("long output").length > LONG_OUTPUT_CHARS);
		});

		test("the model is given nothing", () => assert.deepEqual([...of.given()], []));
	}

	if (setting === "off") {
		test("the session is recorded, and nothing beside it", () => {
			assert.equal(of.eventsOf("UserIntent").length, SCRIPT.filter((step) => step.do === "prompt").length);
			for (const type of ["Verdict", "MemoryWrite", "Seal"]) assert.deepEqual([type, of.eventsOf(type)], [type, []]);
		});
	}

	if (setting === "disabled") test("nothing is recorded", () => assert.deepEqual(of.events, []));

	if (isIdle(setting)) return;

	test("an edit of a file that somebody else has changed passes while its old text fits, with the difference", () => {
		assert.equal(of.refusal("stale edit"), undefined);
		const notes = of.notes("stale edit").join("\n");
		if (!isEnforcing(setting, port)) return assert.equal(notes, "");
		assert.match(notes, /^rates\.mjs has changed on disk[\s\S]*\n-rate = 7\n\+rate = 8\n/);
	});

	test("a write over a file that was never read is refused", () => {
		const refusal = of.refusal("unread write");
		if (!isEnforcing(setting, port)) return assert.equal(refusal, undefined);
		assert.match(refusal ?? "", /^unread\.txt has not been read in this session\./);
	});

	test("a read that is too long is limited where its input can be changed, and refused elsewhere", () => {
		const { limit } = of.call("long read");
		const refusal = of.refusal("long read");
		const isBound = isEnforcing(setting, port) && !port.readsByShell;
		assert.equal(limit, isBound && port.canChangeInput ? MAX_READ_LINES : undefined);
		if (!isBound || port.canChangeInput) assert.equal(refusal, undefined);
		else assert.match(refusal ?? "", /one read shows at most 500/);
		// The model can make the call that it is shown: its arguments are those of the agent's own tool.
		const told = [refusal ?? "", ...of.notes("long read")].join("\n").replaceAll("PATH", port.tools.path);
		const shown = /\{"[^}]*\}/.exec(told)?.[0];
		const names = Object.keys(JSON.parse(shown ?? "{}"));
		assert.deepEqual(names, isBound ? [port.tools.path, "offset", "limit"] : []);
	});

	test("a run that opens a failure, and one that resolves it, say so in woven", () => {
		const notes = ["failing test", "passing test"].map((step) => of.notes(step));
		const isTold = setting === "woven" && port.notes !== "none";
		const id = "bash:pytest:[0-9a-f]{8}";
		if (!isTold) return assert.deepEqual(notes, [[], []]);
		assert.match(notes[0]?.join("\n") ?? "", new RegExp(`^new failure: ${id}$`));
		if (port.recordsLate) return assert.deepEqual(notes[1], []);
		assert.match(notes[1]?.join("\n") ?? "", new RegExp(`^resolved: ${id}$`));
	});

	test("output that is too long is cut where it can be replaced, and is in the log whole", () => {
		const output = of.output("long output");
		if (!isEnforcing(setting, port) || !port.canReplaceResults) return assert.ok(output.length > LONG_OUTPUT_CHARS);
		assert.ok(output.length <= MAX_OUTPUT_CHARS);
		assert.match(output, /lcm_expand\("b-[0-9a-f]{12}"\)/);
		assert.deepEqual(keptOutputs(of).length, 1);
	});

	test("a command that changes a file which the model knows gets the difference", () => {
		const notes = of.notes("changing command");
		if (!isGuarding(setting, port)) return assert.deepEqual(notes, []);
		assert.match(notes.join("\n"), /^Changed while this call ran, by it or by somebody else: rates\.mjs \(\+1\/−0\)\./);
		// A reason that was never told has shown nothing, so the difference is not all that is new there.
		if (setting !== "report") assert.match(notes.join("\n"), /\n\+step = 3$/);
	});

	test("calls without trouble pass without a word", () => {
		for (const step of ["read", "edit", "read again", "edit after the resume"])
			assert.deepEqual([step, of.refusal(step), of.notes(step)], [step, undefined, []]);
	});

	test("a command that overwrites a text which was never shown passes, and its note says how to bring it back", () => {
		assert.equal(of.refusal("naming command"), undefined);
		const notes = of.notes("naming command");
		if (!isEnforcing(setting, port)) return assert.deepEqual(notes, []);
		assert.match(notes.join("\n"), /tide\.txt \(overwritten: lcm_expand\("b-.*weft rewind tide\.txt --to N/);
	});

	test("what the project remembers comes with words that it bears on, and only with them", () => {
		assert.equal(of.recall("first prompt") !== undefined, port.recall !== "none");
		for (const step of ["prompt without recall", "prompt after the abort", "prompt after the compaction"])
			assert.equal(of.recall(step), undefined, step);
	});

	test("what the seed says is not recalled again", () => {
		const recalled = SCRIPT.slice(SCRIPT.findIndex(({ name }) => name === "compaction"))
			.flatMap(({ name }) => of.recall(name) ?? [])
			.flatMap((block) => block.split("\n"));
		const isItem = (line: string) => /\w/.test(line) && !/^[<[]|^From weft's memory/.test(line);
		assert.deepEqual(
			recalled.filter((line) => isItem(line) && of.seed().includes(line)),
			[],
		);
	});

	test("a bullet that was recalled is counted, so that it does not expire", () => {
		const counted = of.eventsOf("MemoryWrite").filter((write) => isOf(write, "memory", "recall"));
		assert.deepEqual(counted, port.recall !== "none" ? [["memory", "recall"]] : []);
	});

	test("for what left by a compaction the model gets a seed", () => {
		if (port.request === "none") return assert.equal(of.seed(), "");
		assert.notEqual(of.seed(), "");
	});

	test("a seed quotes the user's words, and nobody else's", () => {
		const [, section = ""] = /\n## What the user said, word for word\n([\s\S]*?)\n\n/.exec(of.seed()) ?? [];
		const quoted = section.matchAll(/^(?:Task|-) \(m-[0-9a-f]{12}\):? (.+)$/gm);
		const prompts = SCRIPT.flatMap((step) => (step.do === "prompt" ? [step.text] : []));
		const isProgram = (words: string) => PROGRAM_NOTICES.includes(words);
		for (const [, words = ""] of quoted) assert.ok(prompts.includes(words) || isProgram(words), words);
	});

	if (setting === "warp" && port.request === "messages" && port.recordsPromptFirst) {
		test("each run opens with a context that is computed for what the user asks now", () => {
			for (const step of SCRIPT) {
				if (step.do !== "prompt" || step.name === "first prompt") continue;
				const text = of.given().get(step.name) ?? "";
				assert.ok(text.includes(`[WARP ENGINE CONTEXT]\nRepository: project\nIntent: "${step.text}"`), step.name);
			}
		});
	}

	test("SESSION.md is begun, and written when a turn ends and before a compaction", () => {
		const written = of.eventsOf("MemoryWrite");
		for (const why of ["begin", "turn"])
			assert.ok(
				written.some((write) => isOf(write, "session", why)),
				why,
			);
		assert.ok(written.some((write) => isOf(write, "history", "consolidation")));
	});

	if (setting === "report") {
		test("verdicts are written down, and nothing else comes of them", () => {
			const blocks = of.eventsOf("Verdict").filter((verdict) => (verdict as unknown[])[0] === "block");
			const rules = (blocks as unknown[][]).map(([, rule, mode, path]) => [rule, mode, path]);
			const expected = [["read-first", "report", "unread.txt"]];
			const isSize = ([rule]: readonly unknown[]) => rule === "read-size";
			assert.deepEqual(
				rules.filter((of) => !isSize(of)),
				port.canRefuseCalls ? expected : [],
			);
		});
	}
}

/** Steps of the script, by their names. */
function stepsOf(...names: readonly string[]): ScriptStep[] {
	return names.map((name) => {
		const step = SCRIPT.find((each) => each.name === name);
		if (!step) throw new Error(`There is no step '${name}'.`);
		return step;
	});
}

const WORK = ["first prompt", "read", "edit", "somebody saves", "stale edit", "unread write", "long output"];

function checkMiddle(agent: AgentName): void {
	const port = PORTS[agent];
	const isRefused = (of: AgentRun, step: string) => of.call(step).refusal !== undefined;

	test("a log that cannot be written any more leaves the agent to itself, and the user is told once", async () => {
		const steps = stepsOf(...WORK, "changing command", "first answer", "prompt without recall", "second answer", "end");
		const of = await run(agent, "woven", {
			steps,
			before: ({ name }, world) => {
				if (name === "stale edit") world.breakLog();
				if (name === "prompt without recall") world.mendLog();
			},
		});
		for (const step of ["stale edit", "unread write", "long output", "changing command"]) {
			const { refusal, beside } = of.call(step);
			assert.deepEqual([step, refusal, beside, of.notes(step)], [step, undefined, "", []]);
		}
		assert.ok(of.output("long output").length > LONG_OUTPUT_CHARS);
		assert.ok(of.said.length <= 1, of.said.join("\n"));
		const faults = of.eventsOf("Fault");
		assert.ok(of.said.length + faults.length > 0, "nobody was told");
		assert.match(JSON.stringify([of.said, faults]), /the disk is full/);
		// What was said after the log was mended is recorded.
		assert.ok(of.eventsOf("UserIntent").length > 1);
	});

	test("a session that is resumed with mode off is left alone from then on", async () => {
		const first = ["first prompt", "read", "first answer", "resume", "prompt after the resume"];
		const later = ["unread write", "long output", "last answer", "end"];
		const of = await run(agent, "woven", {
			steps: stepsOf(...first, ...later),
			before: ({ name }, world) => {
				if (name === "resume") world.env["WEFT_MODE"] = "off";
			},
		});
		assert.equal(isRefused(of, "unread write"), false);
		assert.ok(of.output("long output").length > LONG_OUTPUT_CHARS);
		assert.equal(of.eventsOf("UserIntent").length, 2);
	});

	if (!port.canSwitchMode) return;

	test("a mode that the user changes holds from the next call on", async () => {
		const again = { ...stepsOf("unread write")[0], name: "unread write in off" } as ScriptStep;
		const cut = { ...stepsOf("long output")[0], name: "long output in off" } as ScriptStep;
		const of = await run(agent, "woven", {
			steps: [...stepsOf("first prompt", "unread write"), cut, again, ...stepsOf("long output", "first answer", "end")],
			before: async ({ name }, _world, driver) => {
				if (name === "long output in off") await driver.setMode?.("off");
				if (name === "long output") await driver.setMode?.("woven");
			},
		});
		assert.deepEqual([isRefused(of, "unread write"), isRefused(of, "unread write in off")], [true, false]);
		assert.ok(of.output("long output in off").length > LONG_OUTPUT_CHARS);
		assert.ok(of.output("long output").length <= MAX_OUTPUT_CHARS);
	});
}

/** SHA-256 of each output that was cut, wherever the agent lets it stand. */
function keptOutputs({ events }: AgentRun): unknown[] {
	const isKept = (type: string, name: unknown) => type === "ToolResult" || (type === "Custom" && name === "bounded");
	return events.flatMap(({ type, payload }) => (isKept(type, payload["name"]) ? (payload["blob"] ?? []) : []));
}

function isOf(write: unknown, file: string, why: string): boolean {
	const [of, because] = write as readonly unknown[];
	return of === file && because === why;
}

/** Each agent that can is compared with the first that can. */
function compareAll(setting: SettingName): void {
	const all = new Map<AgentName, AgentRun>();
	before(async () => {
		for (const agent of AGENT_NAMES) all.set(agent, await runOf(agent, setting));
	});
	const compare = (what: string, who: (port: PortFacts) => boolean, look: (of: AgentRun) => unknown) => {
		const [first, ...others] = AGENT_NAMES.filter((agent) => who(PORTS[agent]));
		for (const other of others) {
			test(`${what}: ${other} as ${first}`, () => {
				const [one, same] = [first, other].map((agent) => agent && all.get(agent));
				assert.ok(one && same);
				assert.deepEqual(look(same), look(one));
			});
		}
	};
	const everyone = () => true;
	const guarded = (port: PortFacts) => port.canRefuseCalls;
	/** Where the guard does not run, calls come out as they do in `off`. */
	const isSame = isIdle(setting) ? everyone : guarded;

	const steps = SCRIPT.flatMap((step) => (step.do === "call" ? [step.name] : []));
	const played = (of: AgentRun) => steps.filter((step) => of.calls().has(step));
	compare("calls that ran", isSame, played);
	if (setting === "disabled") return;

	const words = (of: AgentRun) => played(of).filter((step) => step !== "long read");
	compare("refusals", isSame, (of) => words(of).map((step) => [step, of.refusal(step)]));
	const isPrompt = (port: PortFacts) => isSame(port) && !port.recordsLate;
	const canCut = (port: PortFacts) => isSame(port) && (isIdle(setting) || port.canReplaceResults);
	compare("notes", isPrompt, (of) => words(of).map((step) => [step, of.notes(step)]));
	compare(
		"note of a limited read",
		(port) => port.canRefuseCalls && port.canChangeInput,
		(of) => of.notes("long read"),
	);
	compare("bounds", canCut, (of) => of.output("long output"));
	compare("kept outputs", canCut, keptOutputs);
	compare("how a kept output names its command", canCut, (of) => {
		const kept = of.events.filter(({ type, payload }) => type === "Custom" && payload["name"] === "bounded");
		const named = kept.map(({ payload }) => (payload["data"] as { readonly of?: unknown }).of);
		// Where the result itself names what was kept, its command stands beside it.
		return named.length === 0 && keptOutputs(of).length === 1 ? [LONG_OUTPUT] : named;
	});
	// The id of a bullet depends on its file. In OpenClaw a conversation has an owner, and its memory is that owner's.
	compare(
		"recall",
		(port) => port.recall !== "none",
		(of) =>
			of
				.recall("first prompt")
				?.replace(/f-[0-9a-f]{8}/, "f-")
				.replace("of this conversation;", "of this project;"),
	);
	// In `warp` a context is computed for each run: what a compaction leaves behind is the agent's own.
	if (setting !== "warp") {
		const makesSeeds = (port: PortFacts) => port.request !== "none";
		compare("opening of a seed", makesSeeds, (of) => of.seed().split(/[.\n]/)[0]);
		compare("Seal", makesSeeds, (of) => of.eventsOf("Seal"));
	}

	for (const type of ["UserIntent", "TestStatus", "CommandRun"]) compare(type, everyone, (of) => of.eventsOf(type));
	const isShort = (event: unknown) => (event as unknown[])[0] !== "long.txt";
	compare("FileRead", everyone, (of) => of.eventsOf("FileRead").filter(isShort));
	compare("FileChanged", isPrompt, (of) => of.eventsOf("FileChanged"));
	const isSpoken = (event: unknown) => {
		const [verdict, rule] = event as unknown[];
		return verdict !== "refresh" && rule !== "read-size";
	};
	compare("Verdict", isSame, (of) => of.eventsOf("Verdict").filter(isSpoken));
	compare("MemoryWrite", everyone, (of) => reasonsOf(of.eventsOf("MemoryWrite")));
	compare(
		"memory at the end of a session",
		(port) => port.tellsEnd,
		(of) => of.eventsOf("MemoryWrite").filter((write) => isOf(write, "session", "end")),
	);
}

/** How often a file is written depends on how much was said; an agent that hands a turn over when it is done writes later. */
function reasonsOf(writes: readonly unknown[]): string[] {
	const reasons = new Set(writes.map((write) => (write as unknown[]).join(" ")));
	for (const reason of ["session compaction", "session end"]) reasons.delete(reason);
	return [...reasons].sort();
}
