import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/rig/temporary-folder.ts";
import { recall } from "../recall/recall.ts";
import { skillItems } from "../recall/recall-items.ts";
import { ActiveSkills } from "./active-skills.ts";
import { runHooks } from "./hook-run.ts";
import { findSkills } from "./installed-skills.ts";
import type { Skill } from "./skill.ts";
import { skillFolders } from "./skill-files.ts";
import { parseSkill } from "./skill-reader.ts";

const root = temporaryFolder();

const FILE = "/p/.pi/skills/charts/SKILL.md";
const HEAD = `name: charts
description: Draws sea charts.
when_to_use: when depths, buoys or fairways change
allowed_tools: [read, "bash(git log:*)", chart_*]
paths:
  - charts/**/*.geo
hooks:
  before_prompt: echo depth is $WEFT_HOOK
  after_response: [true, false]
memory_scope: session`;
const parse = (head: string) => parseSkill(FILE, `---\n${head}\n---\nbody\n`);
const charts = parse(HEAD).skill!;

test("reads what a skill says of itself; allowed-tools in one line too", () => {
	assert.deepEqual(parse(HEAD), {
		problems: [],
		skill: {
			name: "charts",
			file: FILE,
			description: "Draws sea charts.",
			whenToUse: "when depths, buoys or fairways change",
			allowedTools: ["read", "bash(git log:*)", "chart_*"],
			paths: ["charts/**/*.geo"],
			hooks: { before_prompt: ["echo depth is $WEFT_HOOK"], after_response: ["true", "false"] },
			memoryScope: "session",
		},
	});
	const { skill } = parse("description: x\nallowed-tools: Read, Bash(git log:*) Grep");
	assert.deepEqual([skill!.name, skill!.allowedTools], ["charts", ["Read", "Bash(git log:*)", "Grep"]]);
});

test("what is wrong is told with its line, and ignored", () => {
	const lines = (head: string) => parse(head).problems.map(({ line, message }) => `${line}: ${message}`);
	assert.deepEqual(lines("name: a\nmemory_scope: galaxy\nhooks:\n  at_dawn: x"), [
		"5: there is no hook 'at_dawn'; there are before_prompt, after_response, before_compact, after_subagent",
		"3: 'memory_scope' must be one of none, relevant, session, channel",
	]);
	assert.match(lines("name: a\nallowed_tools: {a: b}").join(), /^3: 'allowed_tools' must be a text or a list/);
	assert.match(lines("name: a\nallowed_tools: 7").join(), /^3: 'allowed_tools' must be a text or a list/);
	assert.deepEqual(lines("name: a\n  bad: [\n\tworse: {"), ["2: Nested mappings are not allowed in compact mappings"]);
	assert.equal(parse("name: a\n  bad: [").skill, undefined);
	assert.match(parseSkill(FILE, "no head").problems[0]!.message, /does not begin with a head/);
	const bomb = `a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\npaths: [*b,*b,*b,*b]`;
	assert.ok(parse(bomb).problems.length > 0 || parse(bomb).skill);
});

test("active from /skill:name or the read of its file until the user's next message", () => {
	const skills = new ActiveSkills([charts]);
	skills.said("/skill:charts draw it");
	assert.deepEqual(skills.list, [charts]);
	skills.said("thanks");
	assert.deepEqual(skills.list, []);
	skills.read(".pi/skills/charts/SKILL.md", "/p");
	assert.deepEqual([skills.list, skills.memoryScope], [[charts], "session"]);
	skills.said(`<skill name="charts" location="${FILE}">\nbody\n</skill>`);
	assert.deepEqual(skills.list, [charts]);
});

test("only what it allows may be used while it is active, and a second command does not slip in behind", () => {
	const skills = new ActiveSkills([charts]);
	const refused = (tool: string, more: object = {}) => skills.refuse({ tool, ...more }, "/p") !== undefined;
	assert.equal(refused("write"), false);
	skills.said("/skill:charts");
	assert.match(
		skills.refuse({ tool: "write" }, "/p")!,
		/^The skill charts allows only read, bash\(git log:\*\), chart_\*; write is not among them\./,
	);
	assert.match(skills.refuse({ tool: "bash", command: "git push" }, "/p")!, /; this command is not among them\./);
	for (const [tool, more, expected] of [
		["read", { path: "/etc/x" }, false],
		["chart_draw", {}, false],
		["lcm_grep", {}, false],
		["bash", { command: "git log --oneline" }, false],
		["bash", { command: "git log" }, false],
		["bash", { command: "git log --grep='a; b > c' 2>/dev/null" }, false],
		["bash", { command: "git push" }, true],
		["bash", { command: "git logs" }, true],
		["bash", { command: "git log > out.txt" }, true],
		["bash", { command: `git log "it's" ; rm -rf 'x'` }, true],
		["bash", { command: "git log; rm -rf /" }, true],
		["bash", { command: "git log $(reboot)" }, true],
		["bash", {}, true],
	] as const) {
		assert.equal(refused(tool, more), expected, `${tool} ${JSON.stringify(more)}`);
	}
});

test("a skill's own files may always be read", () => {
	const skills = new ActiveSkills([{ ...charts, allowedTools: ["bash"] }]);
	skills.said("/skill:charts");
	assert.equal(skills.refuse({ tool: "read", path: "/p/.pi/skills/charts/ref/a.md" }, "/p"), undefined);
	assert.ok(skills.refuse({ tool: "read", path: "/p/.pi/skills/charts/../../secret" }, "/p"));
});

test("suggested by when it wants to be used, and by the files that a message names", async () => {
	const ask = async (text: string) => (await recall(skillItems([charts], text), text, { now: 0 })).items.length;
	assert.equal(await ask("the buoys of the northern fairways have moved"), 1);
	assert.equal(await ask("please look at charts/north/depth.geo"), 1);
	assert.equal(await ask("please look at src/main.ts"), 0);
});

test("hooks are bounded in time and output; one that fails is told", async () => {
	const skill: Skill = {
		...charts,
		hooks: { before_prompt: ["echo $WEFT_SKILL $WEFT_HOOK", "yes | head -c 100000", "exit 3", "sleep 60"] },
	};
	const runs = await runHooks([skill], "before_prompt", { cwd: root, timeLimitMs: 300 });
	assert.equal(runs[0]!.output, "charts before_prompt");
	assert.ok(runs[1]!.output.length <= 2_000);
	assert.equal(runs[2]!.failed, "exit 3");
	assert.match(runs[3]!.failed!, /longer than 0\.3 s/);
	assert.deepEqual(await runHooks([skill], "before_compact", { cwd: root }), []);
});

test("skills are found in the folders of the project before those of the user", () => {
	const place = (folder: string, text: string) => {
		mkdirSync(join(root, folder), { recursive: true });
		writeFileSync(join(root, folder, "SKILL.md"), text);
	};
	place("p/.pi/skills/a", "---\nname: a\ndescription: ours\n---\n");
	place("p/.agents/skills/deep/b", "---\nname: b\n---\n");
	place("u/.pi/agent/skills/a", "---\nname: a\ndescription: theirs\n---\n");
	place("u/.pi/agent/skills/bad", "no head");
	const folders = skillFolders({ cwd: join(root, "p"), root: join(root, "p"), userHome: join(root, "u") });
	const { skills, problems } = findSkills(folders);
	assert.deepEqual(
		skills.map(({ name, description }) => [name, description]),
		[
			["a", "ours"],
			["b", ""],
		],
	);
	assert.deepEqual(
		problems.map(({ file, line }) => [file, line]),
		[[join(root, "u/.pi/agent/skills/bad/SKILL.md"), 1]],
	);
});
