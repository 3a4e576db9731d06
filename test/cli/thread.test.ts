/** `weft thread` and `weft handover`, as a person runs them. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { estimateTokens } from "../../src/base/tokens/estimate.ts";
import { openEngine } from "../../src/engine.ts";
import { type HandoverView, viewHandover } from "../../src/view/handover.ts";
import type { ThreadView, ThreadViewItem } from "../../src/view/thread.ts";
import { Place } from "./place.ts";
import { COMMIT, CORRECTION, NEWEST, OLD_RULE, RULE, TASK, THREAD_SESSION, threadSession } from "./thread-session.ts";

suite("the thread of a session", () => {
	let place: Place;
	before(async () => {
		place = new Place();
		await place.json("import", place.file("claude.jsonl", threadSession(place.project)));
	});
	after(() => place.remove());

	const itemsOf = (view: ThreadView, section: string): readonly ThreadViewItem[] =>
		view.sections.find(({ name }) => name === section)?.items ?? [];
	const texts = (view: ThreadView, section: string) => itemsOf(view, section).map(({ text }) => text);
	const idOf = async (text: string) => {
		const view = await place.json<ThreadView>("thread", "--all");
		const item = view.sections
			.flatMap(({ items }) => items)
			.find((each) => each.text === text && each.kind !== "order");
		assert.ok(item?.id, text);
		return item.id;
	};

	test("lists what was asked, what holds, what is done with proof and what is next, each with its source", async () => {
		const view = await place.json<ThreadView>("thread");
		assert.deepEqual([view.session, view.host], [THREAD_SESSION, "claude-code"]);
		assert.deepEqual(texts(view, "asked"), [TASK, NEWEST]);
		assert.ok(texts(view, "holds").includes(RULE));
		assert.ok(texts(view, "holds").some((text) => text.includes("3.42")));
		assert.deepEqual(
			itemsOf(view, "plan").map(({ text, state, proof }) => [text, state, proof?.text]),
			[
				["Read the gauges", "done", COMMIT],
				["Compute high and low water", "done", COMMIT],
				["Write tides.json", "doing", undefined],
			],
		);
		assert.ok(texts(view, "done").includes(COMMIT));
		assert.deepEqual(texts(view, "next"), ["Next, I write tides.json"]);
		for (const { handle } of view.sections.flatMap(({ items }) => items)) assert.match(handle, /^[me]-[0-9a-f]{12}$/);
	});

	test("a source can be shown by its handle", async () => {
		const view = await place.json<ThreadView>("thread");
		const rule = itemsOf(view, "holds").find(({ text }) => text === RULE);
		assert.match((await place.weft("show", rule?.handle ?? "")).out, /Never touch README\.md\./);
	});

	test("a replaced rule is shown only with --all, with what replaced it", async () => {
		const usual = await place.weft("thread");
		assert.doesNotMatch(usual.out, /Always run the preview/);
		const all = await place.json<ThreadView>("thread", "--all");
		const [replaced] = itemsOf(all, "replaced");
		assert.deepEqual([replaced?.text, replaced?.state], [OLD_RULE, "replaced"]);
		assert.match((await place.weft("thread", "--all")).out, /\(replaced in m-[0-9a-f]{12}\) Always run the preview/);
	});

	test("a person reads lines of text, with the id first and the handle last", async () => {
		const { out } = await place.weft("thread", THREAD_SESSION.slice(0, 6));
		assert.match(
			out,
			/^Thread of session 7c1e5a40-0000 \(claude-code\), 5 requests\n\nAsked\n {2}task-[0-9a-f]{6} Build/,
		);
		assert.match(out, /\nHolds\n(?: {2}.+\n)* {2}rule-[0-9a-f]{6} Never touch README\.md\. \[m-[0-9a-f]{12}\]\n/);
		assert.match(out, /\n {2}\[x\] plan-[0-9a-f]{6} Compute high and low water — \[main 4be1c0f\]/);
		assert.match(out, /\n {2}\[~\] plan-[0-9a-f]{6} Write tides\.json \[m-/);
		assert.match(out, /\nNext\n {2}next-[0-9a-f]{6} Next, I write tides\.json/);
		// The documentation shows this very session, broken at 80 columns.
		const page = readFileSync(new URL("../../docs/thread.md", import.meta.url), "utf8");
		const sample = /```\n\$ weft thread\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
		const flat = (text: string) => text.replaceAll(/\s+/g, " ").trim();
		assert.equal(flat(sample), flat(out.slice(0, out.lastIndexOf("\n\n'weft show"))));
	});

	test("pin, strike and clear mark an item, and the mark is an event of the user", async () => {
		const rule = await idOf(RULE);
		assert.match((await place.weft("thread", "pin", rule)).out, /^Pinned rule-[0-9a-f]{6}: Never touch README\.md\.\n/);
		assert.match((await place.weft("thread")).out, /rule-[0-9a-f]{6} \(pinned\) Never touch/);
		// The beginning of an id is enough.
		await place.json("thread", "strike", rule.slice(0, -1));
		assert.doesNotMatch((await place.weft("thread")).out, /Never touch README/);
		assert.match(
			(await place.weft("thread", "--all")).out,
			/Struck out\n {2}rule-[0-9a-f]{6} \(struck out\) Never touch/,
		);
		assert.doesNotMatch((await place.weft("handover")).out, /rule-[0-9a-f]{6} .*Never touch/);
		assert.deepEqual(await place.json("thread", "clear", rule), {
			id: rule,
			mark: "clear",
			session: THREAD_SESSION,
			text: RULE,
		});
		assert.match((await place.weft("thread")).out, /rule-[0-9a-f]{6} Never touch/);
		const { out } = await place.weft("log", "--type", "ThreadMark", "--json");
		assert.match(out, /"session":"7c1e5a40-0000-4000-8000-0000000000aa"/);
	});

	test("an unknown id is refused, with the nearest ones", async () => {
		const rule = await idOf(RULE);
		const wrong = `${rule.slice(0, -2)}zz`;
		const { code, err } = await place.weft("thread", "pin", wrong);
		assert.equal(code, 3);
		assert.match(
			err,
			new RegExp(`^weft: There is no item '${wrong}' in this session's thread\\. The nearest are ${rule},`),
		);
		const several = await place.weft("thread", "strike", "plan-");
		assert.equal(several.code, 2);
		assert.match(several.err, /More than one item begins with 'plan-': plan-/);
	});

	test("a handover has the task, the rules, what is done and next, within its tokens", async () => {
		const { out } = await place.weft("handover", "--to", "codex");
		const [first = ""] = out.split("\n");
		assert.match(first, /^Handover of session 7c1e5a40-0000 \(claude-code\) in project, written by weft for codex\./);
		assert.ok(first.endsWith("Started with: weft handover 7c1e5a40-0000 --to codex | codex exec -"));
		for (const words of [TASK, RULE, CORRECTION, NEWEST, COMMIT, "Write tides.json"])
			assert.ok(out.includes(words), words);
		assert.doesNotMatch(out, /lcm_/, "the other agent may not have our tools");
		for (const tokens of [800, 2_000]) {
			const view = await place.json<HandoverView>("handover", "--tokens", String(tokens));
			assert.ok(view.tokens <= tokens, `${view.tokens} of ${tokens}`);
			assert.equal(view.tokens, estimateTokens(view.text));
			assert.ok(view.text.includes(RULE));
		}
		assert.match((await place.weft("handover")).out, /^# Handover of session/);
	});

	test("a handover masks credentials", async (t) => {
		const other = new Place();
		t.after(() => other.remove());
		const secret = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
		const lines = threadSession(other.project, "9d000000-0000-4000-8000-0000000000bb");
		const masked = JSON.parse(JSON.stringify(lines).replace(RULE, `${RULE} The token is ${secret}.`)) as object[];
		await other.json("import", other.file("secret.jsonl", masked));
		const { out } = await other.weft("handover", "9d00");
		assert.ok(out.includes("[secret]"));
		assert.ok(!out.includes(secret));
	});

	test("a handover that is cut inside foreign text ends that text", async (t) => {
		const other = new Place();
		t.after(() => other.remove());
		const session = "9e000000-0000-4000-8000-0000000000dd";
		// Masks are longer than what they hide, so the text outgrows what the seed was planned for.
		const accounts = Array.from({ length: 60 }, (_, at) => `ws://:b${at + 10}@c`);
		const words = ["# Accounts", "up to [end 00000000]", ...accounts, "[end 00000000]"].join("\n");
		const lines = JSON.stringify(threadSession(other.project, session));
		const changed = JSON.parse(lines.replaceAll(JSON.stringify(NEWEST), JSON.stringify(words))) as object[];
		await other.json("import", other.file("cut.jsonl", changed));
		const engine = openEngine({ cwd: other.project, home: other.home, host: "cli", env: {} });
		let cuts = 0;
		for (let maxTokens = 400; maxTokens <= 1_000; maxTokens += 40) {
			const { text } = await viewHandover(engine, { host: "claude-code", session }, { to: "md", maxTokens });
			const mark = /word for word \(.*up to (\[end \w+\])\)\n/.exec(text)?.[1];
			assert.ok(mark === undefined || text.includes(`\n${mark}`), text.slice(-200));
			if (mark !== undefined && text.endsWith(`…\n${mark}`)) cuts++;
		}
		engine.close();
		assert.ok(cuts > 0);
	});

	test("a session of another project is found by the beginning of its id", async () => {
		const elsewhere = join(place.folder, "elsewhere");
		mkdirSync(join(elsewhere, ".git"), { recursive: true });
		const file = place.file("other.jsonl", threadSession(elsewhere, "5e000000-0000-4000-8000-0000000000cc"));
		await place.json("import", file, "--project", elsewhere);
		assert.match((await place.weft("thread", "5e00")).out, /^Thread of session 5e000000-0000/);
		assert.match((await place.weft("handover", "5e00")).out, /in elsewhere, written by weft/);
		assert.match((await place.weft("tree", "--session", "5e00")).out, /^5e000000-0000/);
		for (const command of ["cache", "state", "log", "cost", "export"])
			assert.equal((await place.weft(command, "--session", "5e00")).code, 0, command);
		assert.match((await place.weft("log", "--session", "5e00")).out, /Message/);
		assert.equal((await place.weft("grep", "moon", "--session", "5e00")).code, 0);
		const { code, err } = await place.weft("thread", "ffff");
		assert.deepEqual(
			[code, err],
			[3, "weft: There is no session 'ffff' in any project. 'weft sessions --all' lists them.\n"],
		);
	});
});
