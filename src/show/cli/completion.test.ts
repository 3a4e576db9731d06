import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "./catalogue.ts";
import { completionScript, SHELLS } from "./completion.ts";
import { longName } from "./options.ts";

test("every shell's script knows every command and every option", () => {
	for (const shell of SHELLS) {
		const script = completionScript(shell, COMMANDS);
		for (const { name, options = {} } of COMMANDS) {
			for (const word of name.split(" ")) assert.match(script, new RegExp(`\\b${word}\\b`), `${shell}: ${name}`);
			for (const { flags } of Object.values(options)) {
				const long = longName(flags).slice(2);
				assert.match(script, new RegExp(`(--|-l )${long}\\b`), `${shell}: ${name} ${flags}`);
			}
		}
	}
});

const CASES: readonly (readonly [line: string, has: readonly string[], hasNot: readonly string[]])[] = [
	["weft co", ["compact", "completion", "config", "context", "cost"], ["grep", "--home"]],
	["weft --ho", ["--home"], ["config"]],
	["weft --home /tmp gr", ["grep"], ["log"]],
	["weft log ", ["add"], ["grep"]],
	["weft grep log ", [], ["add"]],
	["weft log --t", ["--type", "--tool", "--trust"], ["--role"]],
	["weft completion ", SHELLS, []],
	["weft help repl", ["replay"], ["--home"]],
	["weft grep --role ", [], ["--tool", "grep", "add"]],
];

/** In zsh the functions that show candidates are ours: they need a terminal. */
const ZSH = `
compdef() { : }; _files() { : }
_describe() { local each; for each in "\${(@P)2}"; do [[ "$each" == "$PREFIX"* ]] && print -r -- "\${each%%:*}"; done }
`;

const ASK: Readonly<Record<(typeof SHELLS)[number], (line: string) => string>> = {
	bash: (line) => {
		const words = line.split(" ").map((word) => `'${word}'`);
		return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _weft; printf '%s\\n' "\${COMPREPLY[@]}"`;
	},
	zsh: (line) => {
		const words = line.split(" ");
		const quoted = words.map((word) => `'${word}'`).join(" ");
		return `words=(${quoted}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'; _weft`;
	},
	fish: (line) => `complete -C '${line}'`,
};

for (const shell of SHELLS) {
	const found = spawnSync(shell, ["--version"]).status === 0;
	test(`${shell} itself completes commands, words and options`, { skip: !found && `${shell} is not here` }, (t) => {
		const script = completionScript(shell, COMMANDS);
		const mark = "@@";
		const ask = CASES.map(([line]) => `${ASK[shell](line)}; echo ${mark}`).join("\n");
		// fish makes its folders there.
		const home = mkdtempSync(join(tmpdir(), "weft-completion-"));
		t.after(() => rmSync(home, { recursive: true, force: true }));
		const { stdout, stderr } = spawnSync(shell, ["-c", `${shell === "zsh" ? ZSH : ""}${script}\n${ask}`], {
			encoding: "utf8",
			env: { PATH: process.env["PATH"], HOME: home },
		});
		assert.equal(stderr, "");
		const answers = stdout.split(`${mark}\n`).map((text) => text.split("\n").map((row) => row.split("\t")[0]!));
		for (const [at, [line, has, hasNot]] of CASES.entries()) {
			const got = answers[at]!;
			for (const word of has) assert.ok(got.includes(word), `${line} → ${got.join(" ")}`);
			for (const word of hasNot) assert.ok(!got.includes(word), `${line} → ${got.join(" ")}`);
		}
	});
}
