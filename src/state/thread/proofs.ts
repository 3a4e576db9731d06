/** Lines of a command's output that prove that something is done: a commit, a push, a pull request, a test run. */
import { cutStart } from "../../base/text/cut.ts";
import type { Proof, SessionThread } from "./thread.ts";

const MAX_LINE_CHARS = 200;
const MAX_SCANNED_CHARS = 40_000;
const MAX_PROOFS = 4;

const RULES: readonly { readonly kind: Proof["kind"]; readonly command?: RegExp; readonly line: RegExp }[] = [
	{ kind: "commit", line: /^\[[\w./@+-]+(?: \([\w-]+\))? [0-9a-f]{7,40}\] .+/ },
	{
		kind: "push",
		command: /\bpush\b/,
		line: /^\s*(?:[+*-]\s*)?(?:[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}|\[new (?:branch|tag)\])\s+\S+ -> \S+/,
	},
	{
		kind: "pull-request",
		command: /\bgh pr (?:create|merge|edit|ready|close)|pull/,
		line: /https?:\/\/\S+\/(?:pull|pulls|merge_requests|pull-requests)\/\d+/,
	},
	{ kind: "pull-request", command: /\bpr merge\b/, line: /(?:merged|squashed).*(?:pull request|#\d+)/i },
	{ kind: "issue", command: /\bissue\b/, line: /https?:\/\/\S+\/issues\/\d+/ },
	{ kind: "release", command: /\b(?:publish|release)\b/, line: /^\+ \S+@\d|https?:\/\/\S+\/releases\/tag\/\S+/ },
	{
		kind: "tests",
		line: /^(?=.*\d)(?:[\s=✓✔ℹ-]*(?:tests?|test suites?|test files?|suites?|pass(?:ed|ing)?|result)\b.*\b(?:pass|fail|ok|tests)|.*\b\d+ (?:passed|passing|tests? passed|examples?, \d+ failures?|specs?, \d+ failures?)\b|test result: |(?:ok|FAIL)\s+\S+\s+(?:\(cached\)|[\d.]+s)|OK \(\d+ tests?|Ran \d+ tests? in|all \d+ tests? passed)/i,
	},
];

export function proofsIn(command: string, output: string): Pick<Proof, "kind" | "text">[] {
	const text = output.length > MAX_SCANNED_CHARS ? output.slice(-MAX_SCANNED_CHARS) : output;
	const found: Pick<Proof, "kind" | "text">[] = [];
	const lines = text.split("\n");
	for (const { kind, command: asked, line: rule } of RULES) {
		if (asked && !asked.test(command)) continue;
		const own = lines
			.filter((line) => line.length < 2_000 && rule.test(line))
			.slice(kind === "tests" ? -2 : -MAX_PROOFS);
		for (const line of own) found.push({ kind, text: cutStart(line.trim(), MAX_LINE_CHARS) });
	}
	return found;
}

/** Commits, pushes, pull requests, the newest first; and the newest test run, if no file changed since. */
export function provenWork({ orders, changedAt }: SessionThread): Proof[] {
	const proofs = orders.flatMap((order) => order.proofs);
	const tests = proofs.findLast(({ kind, seq }) => kind === "tests" && seq > changedAt);
	return proofs.filter((proof) => proof.kind !== "tests" || proof === tests).toReversed();
}

const FAILURES = /\b[1-9]\d* (?:tests? )?(?:fail|error)|\bfail(?:ed|ures?)?[ :=]+[1-9]/i;

/** A test run with failures proves nothing. */
export function isFailedRun({ kind, text }: Pick<Proof, "kind" | "text">): boolean {
	return kind === "tests" && (/\bFAIL\b/.test(text) || FAILURES.test(text));
}
