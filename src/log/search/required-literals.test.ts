import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { foldText } from "./letters.ts";
import { hasCaseFlag, requiredLiterals } from "./required-literals.ts";

const literals = (pattern: string) => requiredLiterals(pattern, { ignoreCase: hasCaseFlag(pattern) });

test("joins what must stand together, and breaks where anything may stand", () => {
	assert.deepEqual(literals("foo bar"), [["foo bar"]]);
	assert.deepEqual(literals("^foo.*bar\\.ts$"), [["foo"], ["bar.ts"]]);
	assert.deepEqual(literals("foo\\d+bar[xyz]baz"), [["foo"], ["bar"], ["baz"]]);
	assert.deepEqual(literals("(?P<name>foo)(?:bar)"), [["foobar"]]);
});

test("keeps the branches of an alternation as one choice", () => {
	assert.deepEqual(literals("(error|warn)ing: x"), [["erroring: x", "warning: x"]]);
	assert.deepEqual(literals("foo\\d|\\dbar"), [["foo", "bar"]]);
	assert.deepEqual(literals("foo|.*"), []);
});

test("requires nothing of what may be absent", () => {
	assert.deepEqual(literals("colou?r"), [["colour", "color"]]);
	assert.deepEqual(literals("(abc)*def"), [["def"]]);
	assert.deepEqual(literals("(abc){0,3}def"), [["def"]]);
	assert.deepEqual(literals("(abc)+"), [["abc"]]);
	assert.deepEqual(literals("(abc){2,}?"), [["abc"]]);
	assert.deepEqual(literals("a{,3}"), [["a{,3}"]]);
});

test("folds ASCII and leaves out other letters when case is ignored, by option or by flag", () => {
	assert.deepEqual(requiredLiterals("FooÄbar", { ignoreCase: true }), [["foo"], ["bar"]]);
	assert.deepEqual(literals("(?i)FOO"), [["foo"]]);
	assert.deepEqual(literals("x(?s-i:FOO)"), [["xfoo"]]);
});

test("gives up on what it does not understand", () => {
	for (const pattern of ["\\Qa.b\\E", "\\x41bc", "(?<=a)b", "\\1", "foo(", "[abc", "foo)"])
		assert.deepEqual(literals(pattern), [], pattern);
});

test("whatever a pattern matches contains one literal of each clause", () => {
	const atom = fc.oneof(
		{ weight: 6, arbitrary: fc.constantFrom("a", "b", "S", "k", "ab", "\\.", "Ä", "{", "\\n", "-") },
		fc.constantFrom(
			".",
			"[ab]",
			"[^a]",
			"[]a]",
			"[[:alpha:]]",
			"\\w",
			"\\pL",
			"\\p{Lu}",
			"\\b",
			"^",
			"$",
			"(?i)",
			"(?s)",
		),
	);
	const { pattern } = fc.letrec<{ pattern: string; piece: string; group: string }>((tie) => ({
		piece: fc
			.tuple(
				fc.oneof({ weight: 3, arbitrary: atom }, tie("group")),
				fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{0,2}", "{1,}", "+?"),
			)
			.map(([body, quantifier]) =>
				body.startsWith("(?") && body.endsWith(")") && body.length === 4 ? body : body + quantifier,
			),
		group: fc
			.tuple(fc.constantFrom("(", "(?:", "(?i:", "(?<n>"), tie("pattern"))
			.map(([open, body]) => `${open}${body})`),
		pattern: fc
			.array(
				fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
				{ minLength: 1, maxLength: 3 },
			)
			.map((branches) => branches.join("|")),
	}));
	const text = fc.string({ unit: fc.constantFrom(..."aabbsSkK.ÄäA{-\n \u212a\u017f"), maxLength: 30 });
	let matches = 0;
	fc.assert(
		fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), fc.boolean(), (source, texts, option) => {
			let regex: RE2JS;
			try {
				regex = RE2JS.compile(source, RE2JS.MULTILINE | (option ? RE2JS.CASE_INSENSITIVE : 0));
			} catch {
				return;
			}
			const ignoreCase = option || hasCaseFlag(source);
			const clauses = requiredLiterals(source, { ignoreCase });
			for (const candidate of texts) {
				if (!regex.test(candidate)) continue;
				matches += clauses.length > 0 ? 1 : 0;
				const compared = ignoreCase ? foldText(candidate) : candidate;
				for (const clause of clauses) {
					assert.ok(
						clause.some((literal) => compared.includes(literal)),
						`${source} matches ${JSON.stringify(candidate)} without ${clause}`,
					);
				}
			}
		}),
		{ numRuns: 2_000 },
	);
	assert.ok(matches > 500, `only ${matches} matches were looked at`);
});
