import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { exitMeaning, printedExit } from "./exit.ts";
import { commandIdentity } from "./identity.ts";
import { findOutputExtent } from "./output.ts";
import { MAX_PARSED_CHARS, parseCommand } from "./parse.ts";

describe("parseCommand", () => {
	it("lists the simple commands with words, environment, redirects, joints and folders", () => {
		assert.deepEqual(parseCommand(`cd "my dir" && A=1 B="x y" make test 2>&1 | tail -5; ls &`).commands, [
			{ words: ["cd", "my dir"], env: [], redirects: [], joint: "start", cwd: "." },
			{
				words: ["make", "test"],
				env: [
					["A", "1"],
					["B", "x y"],
				],
				redirects: [{ operator: ">&", fd: 2, target: "1" }],
				joint: "&&",
				cwd: "my dir",
			},
			{ words: ["tail", "-5"], env: [], redirects: [], joint: "|", cwd: "my dir" },
			{ words: ["ls"], env: [], redirects: [], joint: ";", cwd: "my dir" },
		]);
	});

	const folders: readonly (readonly [line: string, cwd: string])[] = [
		["cd a; cd b; run", "a/b"],
		["cd a/b && cd .. && run", "a"],
		["(cd a && true); run", "."],
		["cd /abs && run", "/abs"],
		["cd && run", "~"],
		["cd a | cat; run", "."],
		["cd a & run", "."],
		["bash -c 'cd a'; run", "."],
		["bash -c 'cd a && run'", "a"],
		["pushd a && run", "a"],
		["cd $HOME/x && run", "$HOME/x"],
	];
	for (const [line, cwd] of folders) {
		it(`knows that in \`${line}\` it runs in ${cwd}`, () => {
			assert.equal(parseCommand(line).commands.find((command) => command.words[0] === "run")?.cwd, cwd);
		});
	}

	it("looks into the bodies of if, for, while, case and the line of bash -c", () => {
		const line = parseCommand(
			"if a; then b; else c; fi; for i in 1 2; do d; done; while e; do f; done; case x in y) g;; esac; bash -lc 'h'",
		);
		assert.deepEqual(
			line.commands.map((command) => command.words[0]),
			["a", "b", "c", "d", "e", "f", "g", "h"],
		);
	});

	for (const text of ["echo 'abc", "if true; then", "$(", "a | | b", "cat <<"]) {
		it(`says that \`${text}\` cannot be read`, () => {
			assert.equal(parseCommand(text).parsed, false);
		});
	}
});

describe("any text", () => {
	const pieces = [
		"{",
		"}",
		"(",
		")",
		"$(",
		"${",
		"`",
		'"',
		"'",
		"<<A",
		"\n",
		"|",
		"&&",
		";",
		"a",
		" ",
		"\\",
		"[[",
		"if ",
	];
	const hostile = fc
		.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 200 })
		.map((all) => all.join(""));

	it("never throws, and answers the same twice", () => {
		fc.assert(
			fc.property(hostile, (text) => {
				assert.deepEqual(commandIdentity(text), commandIdentity(text));
				exitMeaning(text);
				findOutputExtent(text, text);
				printedExit(text, text);
			}),
			{ numRuns: 500 },
		);
	});

	it("has an identity of bounded length on one line", () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 5_000, unit: "grapheme" }), (text) => {
				const { command } = commandIdentity(text);
				assert.ok(command.length <= 200);
				assert.ok(!/[\n\r\t]/.test(command));
			}),
		);
	});

	it("takes linear time at 1 MB, whatever is repeated", { timeout: 60_000 }, () => {
		for (const piece of [...pieces, "a=(", "<(", "f(){ ", "{a,", "$((", "case x in ", "-j ", "cd a && ", "time "]) {
			for (const length of [MAX_PARSED_CHARS, 1_000_000]) {
				const text = piece.repeat(Math.floor(length / piece.length));
				commandIdentity(text);
				exitMeaning(text);
			}
		}
	});
});
