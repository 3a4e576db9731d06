/** A session in no program's form: what was said and done. Each format writes it down in its own way. */
import fc from "fast-check";

export type Act =
	| { readonly do: "read"; readonly file: string; readonly text: string }
	| { readonly do: "run"; readonly command: string; readonly output: string; readonly exit: number }
	| { readonly do: "edit"; readonly file: string; readonly before: string; readonly after: string }
	| { readonly do: "create"; readonly file: string; readonly text: string }
	| { readonly do: "plan"; readonly items: readonly PlannedItem[] };

export interface PlannedItem {
	readonly content: string;
	readonly status: "pending" | "in_progress" | "completed";
}

export interface Counts {
	readonly input: number;
	readonly read: number;
	readonly output: number;
}

export type Step =
	| { readonly user: string }
	| { readonly answer: string; readonly acts: readonly Act[]; readonly tokens: Counts }
	| { readonly compacted: string };

export type Script = readonly Step[];

export const CWD = "/home/mill/loom";
export const START = Date.UTC(2026, 3, 1, 9, 0, 0);
export const at = (second: number): string => new Date(START + second * 1_000).toISOString();

/** The edit is of the second of three lines, so that a diff has context. */
export const TEXT = "warp\nweft\nselvage\n";

export const SCRIPT: Script = [
	{ user: "Mend the selvage" },
	{
		answer: "I look first.",
		acts: [{ do: "read", file: "loom.txt", text: TEXT }],
		tokens: { input: 900, read: 0, output: 40 },
	},
	{
		answer: "",
		acts: [
			{ do: "run", command: "node check.mjs", output: "torn", exit: 3 },
			{ do: "edit", file: "loom.txt", before: "weft", after: "woof" },
		],
		tokens: { input: 120, read: 900, output: 30 },
	},
	{
		answer: "Once more.",
		acts: [
			{ do: "run", command: "node check.mjs", output: "whole", exit: 0 },
			{ do: "create", file: "notes.md", text: "mended\n" },
		],
		tokens: { input: 80, read: 1_020, output: 25 },
	},
	{ answer: "Mended.", acts: [], tokens: { input: 60, read: 1_100, output: 9 } },
	{ user: "And the other side?" },
	{ answer: "It holds.", acts: [], tokens: { input: 50, read: 1_160, output: 7 } },
];

/** The script with a summary in its middle. */
export const COMPACTED: Script = [
	...SCRIPT.slice(0, 5),
	{ compacted: "The selvage was torn; loom.txt was mended." },
	...SCRIPT.slice(5),
];

/** What must follow from it, whoever wrote it down. */
export function happened(script: Script): string[] {
	return script.flatMap((step) => {
		if ("user" in step) return [`asked ${step.user}`];
		if (!("answer" in step)) return [];
		return step.acts.map((act) => {
			if (act.do === "run") return `ran ${act.command} ${act.exit}`;
			if (act.do === "read") return `read ${act.file}`;
			if (act.do === "plan") return "planned";
			return act.do === "edit"
				? `changed ${act.file} -${act.before} +${act.after}`
				: `created ${act.file} +${act.text.trim()}`;
		});
	});
}

export function sums(script: Script): Counts {
	const all = { input: 0, read: 0, output: 0 };
	for (const step of script) {
		if (!("answer" in step)) continue;
		all.input += step.tokens.input;
		all.read += step.tokens.read;
		all.output += step.tokens.output;
	}
	return all;
}

const word = fc.stringMatching(/^[a-z]{1,8}( [a-zé✓]{1,6}){0,3}$/);
const act: fc.Arbitrary<Act> = fc.oneof(
	fc.record({ do: fc.constant("read" as const), file: fc.constant("loom.txt"), text: fc.constant(TEXT) }),
	fc.record({
		do: fc.constant("run" as const),
		command: word,
		output: fc.oneof(word, fc.constant("x".repeat(20_000)), fc.constant('{"a":"\\n\u2028"}')),
		exit: fc.constantFrom(0, 1, 3, 127),
	}),
	fc.record({
		do: fc.constant("edit" as const),
		file: fc.constant("loom.txt"),
		before: fc.constant("weft"),
		after: fc.constant("woof"),
	}),
	fc.record({ do: fc.constant("create" as const), file: fc.constant("notes.md"), text: fc.constant("mended\n") }),
);
const tokens = fc.record({ input: fc.nat(5_000), read: fc.nat(50_000), output: fc.integer({ min: 1, max: 900 }) });
const answer: fc.Arbitrary<Step> = fc.record({ answer: word, acts: fc.array(act, { maxLength: 3 }), tokens });

/** Sessions that begin with the user and end with an answer, with compactions between turns. */
export const scripts: fc.Arbitrary<Script> = fc
	.array(fc.tuple(word, fc.array(answer, { minLength: 1, maxLength: 3 }), fc.boolean()), { minLength: 1, maxLength: 4 })
	.map((turns) =>
		turns.flatMap(([user, answers, isCompacted]): Step[] => [
			{ user },
			...answers,
			...(isCompacted ? [{ compacted: `what was said of ${user}` }] : []),
		]),
	);

export function patchOf(before: string, after: string): string {
	return `@@ -1,3 +1,3 @@\n warp\n-${before}\n+${after}\n selvage\n`;
}
