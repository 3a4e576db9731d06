import assert from "node:assert/strict";
import { renameSync, utimesSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { GuardedAgent, GuardedProject } from "../../test/rig/guarded-session.ts";

type Step = (project: GuardedProject, agent: GuardedAgent, n: number) => void;

const rewrite =
	(change: (text: string) => string): Step =>
	(project) =>
		project.put("a.ts", change(project.text("a.ts")));

/** None of these changes what the model knows. */
const HARMLESS: Readonly<Record<string, Step>> = {
	touch: (project) => utimesSync(project.path("a.ts"), new Date(), new Date()),
	"touch into the past": (project) => utimesSync(project.path("a.ts"), 1_000, 1_000),
	save: rewrite((text) => text),
	"checkout round trip": (project) => {
		const text = project.text("a.ts");
		project.put("a.ts", "another branch\n");
		project.put("a.ts", text);
	},
	"temp and rename": (project) => {
		writeFileSync(project.path("a.tmp"), project.text("a.ts"));
		renameSync(project.path("a.tmp"), project.path("a.ts"));
	},
	"autocrlf on": rewrite((text) => text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n")),
	"autocrlf off": rewrite((text) => text.replaceAll("\r\n", "\n")),
	"read again": (_, agent) => void agent.read("a.ts"),
	"own edit": (_, agent, n) => assert.equal(agent.edit("a.ts", "start", `start ${n}`).action, "pass"),
	"own write": (_, agent, n) => assert.equal(agent.write("a.ts", `start\nwritten ${n}\n`).action, "pass"),
	"own command": (_, agent, n) => void agent.bash(`echo 'line ${n}' >> a.ts`),
	"harmless command": (_, agent) => void agent.bash("true"),
};

/** Each of these does. */
const HARMFUL: Readonly<Record<string, Step>> = {
	"other writes": (project, _, n) => project.put("a.ts", `${project.text("a.ts")}by somebody else ${n}\n`),
	"other writes as many bytes": rewrite((text) => text.replace("start", "START").replace("START", "stArt")),
	"other renames into place": (project, _, n) => {
		writeFileSync(project.path("a.tmp"), `start\nother ${n}\n`);
		renameSync(project.path("a.tmp"), project.path("a.ts"));
	},
};

const steps = fc.array(fc.constantFrom(...Object.keys(HARMLESS)), { maxLength: 6 });

function run(
	names: readonly string[],
	table: Readonly<Record<string, Step>>,
	at: { project: GuardedProject; agent: GuardedAgent },
): void {
	for (const [n, name] of names.entries()) table[name]!(at.project, at.agent, n);
}

test("no sequence of touches, saves, checkouts, renames and own changes leads to a block", () => {
	fc.assert(
		fc.property(steps, (names) => {
			using project = new GuardedProject();
			project.put("a.ts", "start\ntwo\n");
			const agent = new GuardedAgent(project);
			agent.read("a.ts");
			run(names, HARMLESS, { project, agent });
			assert.equal(agent.edit("a.ts", "start", "end").action, "pass");
			// Reading three times in a row earns a remark of another kind.
			assert.deepEqual(
				project.verdicts().filter((said) => said !== "warn loop"),
				[],
			);
			assert.deepEqual(project.events("Fault"), []);
		}),
		{ numRuns: 40 },
	);
});

test("a change by somebody else is never missed, whatever came before it", () => {
	fc.assert(
		fc.property(steps, fc.constantFrom(...Object.keys(HARMFUL)), (names, harm) => {
			using project = new GuardedProject();
			project.put("a.ts", "start\ntwo\n");
			const agent = new GuardedAgent(project);
			agent.read("a.ts");
			run(names, HARMLESS, { project, agent });
			run([harm], HARMFUL, { project, agent });
			assert.equal(agent.edit("a.ts", "t", "T").action, "block");
		}),
		{ numRuns: 30 },
	);
});
