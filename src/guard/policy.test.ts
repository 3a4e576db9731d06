import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { call, edit, ran, read, user } from "../../test/rig/events.ts";
import {
	agent,
	blocked,
	by,
	check,
	file,
	given,
	lacks,
	noted,
	passed,
	unnoted,
	verdicts,
} from "../../test/rig/guard-specification.ts";
import { searches } from "./policy.ts";

const semantic = call("morph_grep", { query: "where is the token checked" });
const fast = call("morph_edit", { path: "new.ts", code_edit: "x" });

describe("discovery order", () => {
	test("a search by meaning is blocked until an exact search was made, anew for each request", () => {
		given(user("find it"))
			.when(
				semantic,
				call("grep", { pattern: "token" }),
				semantic,
				user("find another"),
				semantic,
				ran("cd src; rg -n token ."),
				semantic,
			)
			.then(
				blocked(/grep, rg or ast-grep.*call morph_grep again/),
				passed(),
				passed(),
				blocked(),
				passed(),
				passed(),
				verdicts("block discovery-order", "block discovery-order"),
				check((project) =>
					assert.match(project.events("Verdict")[0]!.reason, /grep, rg or ast-grep.*call morph_grep again/),
				),
			);
	});

	test("counts calls that the log does not know yet", () => {
		given(agent({ late: true }), ran("git grep token"))
			.when(semantic)
			.then(passed());
	});

	test("passes with a warning the third time: there may be no such tool", () => {
		given().when(semantic, semantic, semantic).then(blocked(), blocked(), passed());
	});

	test("can be turned off, or only reported", () => {
		const off = agent({ settings: { enforceDiscoveryOrder: false } });
		given(off).when(semantic).then(passed(), verdicts());
		const reports = agent({ settings: { policyMode: "report" } });
		given(off, semantic)
			.when(by("another", reports, semantic))
			.then(passed(), verdicts("block discovery-order"));
	});

	test("knows tools by the classes that the settings add", () => {
		const toolClasses = { vector_search: "semantic-search", find_text: "exact-search" } as const;
		given(agent({ settings: { toolClasses } }))
			.when(call("Vector_Search", {}), call("find_text", {}), call("Vector_Search", {}))
			.then(blocked(), passed(), passed());
	});

	test("a shell line that searches files is told from one that sifts output", () => {
		for (const line of [
			"rg x",
			"grep -rn x src | head",
			"cd a && git grep x",
			"timeout 5 ast-grep -p x",
			"sudo egrep x f",
		]) {
			assert.ok(searches(line), line);
		}
		for (const line of ["npm test | grep FAIL", "echo rg", "cargo run", "ls", "git log --grep=x"]) {
			assert.ok(!searches(line), line);
		}
	});
});

describe("edit order", () => {
	test("fast-apply is blocked until an edit was tried, anew for each request", () => {
		given(user("change it"))
			.when(fast, file("a.ts", "x\n"), read("a.ts"), edit("a.ts", "y", "z"), fast, user("change more"), fast)
			.then(blocked(), passed(), passed(), passed(), blocked(), verdicts("block edit-order", "block edit-order"));
	});

	test("a refused edit does not count as tried", () => {
		given(user("change it"), file("a.ts", "x\n"))
			.when(edit("a.ts", "x", "z"), fast, read("a.ts"), edit("a.ts", "x", "z"), fast)
			.then(blocked(/has not been read/), blocked(), passed(), passed(), passed());
	});

	test("can be turned off", () => {
		given(agent({ settings: { enforceEditOrder: false } }))
			.when(fast)
			.then(passed());
	});

	test("fast-apply needs a read like any other edit", () => {
		given(file("new.ts", "x\n"), call("apply_patch", { input: "" }))
			.when(fast)
			.then(blocked(), verdicts("block read-first new.ts"));
	});
});

describe("the size of a read", () => {
	const long = file("long.ts", Array.from({ length: 1_200 }, (_, i) => `line ${i + 1}`).join("\n"));
	const limited = (canChangeInput: boolean, maxReadLines = 500) =>
		agent({ canChangeInput, settings: { maxReadLines } });

	test("is cut where the host lets us, and says how to read on", () => {
		given(limited(true), long)
			.when(
				read("long.ts"),
				read("long.ts", { offset: 501, limit: 900 }),
				read("long.ts", { offset: 1_001 }),
				edit("long.ts", "line 700\n", "x\n"),
			)
			.then(
				{
					...noted(
						'long.ts has 1200 lines, and one read shows at most 500 (maxReadLines). This read shows lines 1–500; to read on, call read with {"path":"long.ts","offset":501,"limit":500}.',
					),
					texts: [/^line 1\n/, /line 500\n\n\[/, lacks(/line 501/)],
				},
				passed(/^line 501\n/, /line 1000\n\n\[/),
				unnoted,
				unnoted,
				verdicts("warn read-size long.ts", "warn read-size long.ts"),
			);
	});

	test("is blocked with the exact call to make where the host does not", () => {
		given(limited(false), long)
			.when(read("long.ts"), read("long.ts", { offset: 1, limit: 500 }))
			.then(
				blocked(
					'long.ts has 1200 lines, and one read shows at most 500 (maxReadLines). Call read with {"path":"long.ts","offset":1,"limit":500}; then go on with "offset": 501.',
				),
				passed(),
			);
	});

	test("a read that ends within the limit is left alone, whatever it asks for", () => {
		given(limited(false), long, file("short.ts", "x\n".repeat(500)))
			.when(read("short.ts"), read("short.ts", { limit: 9_000 }), read("long.ts", { offset: 701 }), read("nowhere.ts"))
			.then(passed(), passed(), passed(), passed());
	});

	test("0 turns it off; pictures and binaries have no lines", () => {
		given(limited(false, 0), long).when(read("long.ts")).then(passed());
		given(limited(false), file("p.png", "\n".repeat(900)), file("b.bin", `\0${"\n".repeat(900)}`))
			.when(read("p.png"), read("b.bin"))
			.then(passed(), passed());
	});

	test("is only written down in report mode", () => {
		given(agent({ settings: { policyMode: "report" } }), long)
			.when(read("long.ts"))
			.then({ ...unnoted, texts: [/line 1200$/] }, verdicts("warn read-size long.ts"));
	});
});
