/** Lines of a command's output that prove that something is done: a commit, a push, a pull request, a test run. */
import { cutStart } from "../../base/text/cut.ts";
import type { Proof, SessionThread } from "./thread.ts";

const MAX_LINE_CHARS = 200;
const MAX_SCANNED_CHARS = 40_000;
const MAX_PROOFS = 4;

/** A commit in the output of any other command is one of a repository that a script made for a trial. */
const COMMITS = /\b(?:commit|merge|rebase|cherry-pick|revert|am|pull|ci|amend|release|version)\b/i;

const RULES: readonly { readonly kind: Proof["kind"]; readonly command?: RegExp; readonly line: RegExp }[] = [
	{ kind: "commit", command: COMMITS, line: /^\[[\w./@+-]+(?: \([\w-]+\))? [0-9a-f]{7,40}\] .+/ },
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
	{ kind: "pull-request", command: /\bpr merge\b/, line: /(?:\bmerged?|squashed)\b.*(?:pull request|#\d+)/i },
	{ kind: "issue", command: /\bissue (?:create|new|close|reopen|edit|comment)\b/, line: /https?:\/\/\S+\/issues\/\d+/ },
	{ kind: "release", command: /\b(?:publish|release)\b/, line: /^\+ \S+@\d|https?:\/\/\S+\/releases\/tag\/\S+/ },
	{
		kind: "tests",
		line: /^(?=.*\d)(?:[\s=✓✔ℹ-]*(?:tests?|test suites?|test files?|suites?|pass(?:ed|ing)?|result)\b.*\b(?:pass(?:ed|ing|es)?|fail(?:ed|ing|ures?|s)?|ok|tests?)\b|.*\b\d+ (?:passed|passing|tests? passed|examples?, \d+ failures?|specs?, \d+ failures?)\b|test result: |(?:ok|FAIL)\s+\S+\s+(?:\(cached\)|[\d.]+s)|\s*\d+ pass\s*$|\s*[1-9]\d* fail\s*$|OK \(\d+ tests?|Ran \d+ tests? in|all \d+ tests? passed)/i,
	},
];

/** `docs/limits.md:305: …`: a search shows what a file says. */
const FOUND_LINE = /^\S+\.\w+[:-]\d+[:-]/;

/** `ok  pkg  [no test files]`: nothing ran. */
const NOTHING_RAN = /\[no tests? (?:files|to run)\]/;

/** A folder for a trial: what is committed or tested there says nothing about the project. */
const SCRATCH = /\bmktemp\b|(?:\bcd|\s-C)\s+["']?(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))(?=[/"'\s;&]|$)/;

export function proofsIn(command: string, output: string): Pick<Proof, "kind" | "text">[] {
	if (SCRATCH.test(command)) return [];
	const text = output.length > MAX_SCANNED_CHARS ? output.slice(-MAX_SCANNED_CHARS) : output;
	const found: Pick<Proof, "kind" | "text">[] = [];
	const lines = text.split("\n");
	for (const { kind, command: asked, line: rule } of RULES) {
		if (asked && !asked.test(command)) continue;
		const matching = lines.filter(
			(line) => line.length < 2_000 && rule.test(line) && !FOUND_LINE.test(line) && !NOTHING_RAN.test(line),
		);
		const failed = matching.filter((line) => isFailedRun({ kind, text: line }));
		// One package that fails fails the run.
		const own = (failed.length > 0 ? failed : matching).slice(kind === "tests" ? -2 : -MAX_PROOFS);
		const packages = failed.length > 0 ? 0 : matching.filter((line) => PACKAGE.test(line)).length;
		// One package's line stands for the run of all.
		const others = packages > own.length ? ` (one of ${packages} packages, all ok)` : "";
		for (const line of own) found.push({ kind, text: cutStart(line.trim(), MAX_LINE_CHARS) + others });
	}
	return found.some(({ kind }) => kind === "commit") ? found : [...found, ...loggedCommits(command, lines)];
}

/** `ok  example.org/app/cmd  0.45s` */
const PACKAGE = /^ok\s+\S*[./]\S*\s/;
const COMMIT = /\bgit\b(?: -\S+(?: [^\s&|;-]\S*)?)* commit\b/;
const LOGGED_COMMIT = /^(?:\* )?([0-9a-f]{7,12} (?:\([^)]*\) )?(\S.{5,}))$/;

/** The commits of a command that kept git quiet and then listed the log: their lines have the words of the command. */
function loggedCommits(command: string, lines: readonly string[]): Pick<Proof, "kind" | "text">[] {
	if (!COMMIT.test(command)) return [];
	return lines
		.flatMap((each) => {
			const [, line = "", subject = ""] = LOGGED_COMMIT.exec(each) ?? [];
			const isMade = line !== "" && command.includes(subject.trim());
			return isMade ? [{ kind: "commit" as const, text: cutStart(line, MAX_LINE_CHARS) }] : [];
		})
		.slice(0, MAX_PROOFS)
		.toReversed();
}

const MESSAGE =
	/ commit\b[^\n]*?(?: -\w*m\s*|--message[= ]|-F - *<<-?\s*)(?:"\$\(cat <<-?\s*)?["']?(?:\w+["']?\s*\n\s*)?([^\n"']{6,})/;

/** What a command that ended well has committed, by its own words; undefined: it commits nothing, or it is not certain where. */
export function committedBy(command: string): string | undefined {
	if (!COMMIT.test(command) || SCRATCH.test(command) || AMEND.test(command) || /--dry-run/.test(command))
		return undefined;
	const subject = MESSAGE.exec(command)?.[1]?.trim();
	return subject === undefined ? undefined : cutStart(`committed: ${subject}`, MAX_LINE_CHARS);
}

/** Commits, pushes, pull requests, the newest first; and the newest test run, if it is green and no file changed since. */
export function provenWork({ orders, changedAt }: SessionThread): Proof[] {
	const proofs = orders.flatMap((order) => order.proofs);
	const tests = proofs.findLast(({ kind }) => kind === "tests");
	const isGreen = tests !== undefined && tests.seq > changedAt && !isFailedRun(tests);
	return proofs.filter((proof) => proof.kind !== "tests" || (isGreen && proof === tests)).toReversed();
}

const FAILURES = /\b[1-9]\d* (?:tests? )?(?:fail|error)|\bfail(?:ed|ures?)?[ :=]+[1-9]/i;

/** A test run with failures proves nothing. */
export function isFailedRun({ kind, text }: Pick<Proof, "kind" | "text">): boolean {
	return kind === "tests" && (/\bFAIL\b/.test(text) || FAILURES.test(text));
}

const AMEND = /\bgit\b[^&;|\n]*\bcommit\b[^&;|\n]*--amend\b/;
/** With the number of commits that it takes back, or the one that it goes back to. Paths after it only leave the index. */
const RESET =
	/\bgit\b[^&;|\n]* reset (?:--(?:hard|soft|mixed|keep) )?(?:HEAD(?:~(\d*)|(\^+))|([0-9a-f]{7,40}))(?=\s*(?:$|[&;|\n]))/;

const REVERT = /\bgit\b[^&;|\n]* revert (?:--?[\w-]+ )*(?:([0-9a-f]{7,40})|HEAD)(?=\s|$)/;

/** Takes back the proof of commits that the command takes back, also where it proves an item of the plan. */
export function dropUndone({ orders, plan }: Pick<SessionThread, "orders" | "plan">, command: string): void {
	const undone = commitsUndone(orders, command);
	if (undone.size === 0) return;
	for (const order of orders) order.proofs = order.proofs.filter((proof) => !undone.has(proof.text));
	for (const item of plan) {
		if (item.proof === null || !undone.has(item.proof.text)) continue;
		item.proof = null;
		// What was done for it is gone, unless another commit holds it.
		item.hasChanges &&= AMEND.test(command);
	}
}

/** The lines of these commits. */
function commitsUndone(orders: SessionThread["orders"], command: string): ReadonlySet<string> {
	const commits = orders.flatMap(({ proofs }) => proofs).filter(({ kind }) => kind === "commit");
	const lines = (of: readonly Proof[]) => new Set(of.map(({ text }) => text));
	const [revert, reverted] = REVERT.exec(command) ?? [];
	if (revert !== undefined)
		return lines(reverted === undefined ? commits.slice(-1) : commits.filter(({ text }) => hasCommit(text, reverted)));
	const [reset, count, carets, target] = RESET.exec(command) ?? [];
	const isAmended = AMEND.test(command);
	if (reset === undefined && !isAmended) return new Set();
	const kept = target === undefined ? -1 : commits.findLastIndex(({ text }) => hasCommit(text, target));
	// A commit of before the session: which ones it takes back is not known.
	if (target !== undefined && kept === -1) return new Set();
	const last = target === undefined ? Number(count || (carets?.length ?? 1)) : commits.length - 1 - kept;
	return lines(commits.slice(commits.length - (isAmended ? 1 : last)));
}

/** Lines in which git names the branch that is checked out. */
const BRANCH_LINE =
	/^(?:\[(?<committed>[\w./@+-]+)(?: \([\w-]+\))? [0-9a-f]{7,40}\] |On branch (?<at>[\w./@+-]+)\s*$|## (?<short>[\w./@+-]+?)(?:\.\.\.\S+(?: \[.*\])?)?\s*$|(?:Switched to (?:a new )?branch|Already on) '(?<switched>[^']+)')/;
/** Only then "## main" is no heading of a document. */
const STATUS_CALL = /\bgit\b[^&;|\n]*? status(?!\S)/;
const NEW_BRANCH = /\bgit\b[^&;|\n]*? (?:checkout -[bB]|switch -[cC]|switch --create) (?<made>[\w./@+-]+)/g;

/** Outside of folders for trials. */
export function makesBranch(command: string, output: string): boolean {
	return !SCRATCH.test(command) && command.search(NEW_BRANCH) !== -1 && !/^fatal:|^error:/m.test(output);
}

/** The branch on which the work is after the command; undefined: it names none. */
export function branchIn(command: string, output: string): string | undefined {
	if (!/\bgit\b/.test(command) || SCRATCH.test(command)) return undefined;
	const isStatus = STATUS_CALL.test(command);
	const named = output
		.slice(-MAX_SCANNED_CHARS)
		.split("\n")
		.flatMap((line) => {
			const { committed, at, short, switched } = BRANCH_LINE.exec(line)?.groups ?? {};
			return committed ?? at ?? (isStatus ? short : undefined) ?? switched ?? [];
		});
	const made = /^fatal:|^error:/m.test(output) ? undefined : [...command.matchAll(NEW_BRANCH)].at(-1)?.groups?.["made"];
	const branch = named.at(-1) ?? made;
	return branch === "detached" || branch === "HEAD" ? undefined : branch;
}

/** The first commit of a repository, after others of the session: it is another repository. */
export function isElsewhere({ kind, text }: Pick<Proof, "kind" | "text">, orders: SessionThread["orders"]): boolean {
	if (kind !== "commit" || !/^\[\S+ \(root-commit\) /.test(text)) return false;
	return orders.some(({ proofs }) => proofs.some((proof) => proof.kind === "commit"));
}

/** `git checkout -- a.ts`, `git restore a.ts`, `git reset --hard`: changes that no commit has are gone. */
const TAKEN_BACK =
	/\bgit\b[^&;|\n]*? (?:checkout (?:HEAD )?(?:-- )?(?!-)|restore (?!--staged)(?:(?:--worktree|--source[= ]\S+|--) )*)([^&;|\n]+)|\bgit\b[^&;|\n]*? reset --hard(?: HEAD)?(?=\s*(?:$|[&;|\n]))/g;

/** Of the files that are not committed, those that the command takes back. */
export function filesTakenBack(command: string, uncommitted: readonly string[]): string[] {
	const named = [...command.matchAll(TAKEN_BACK)].flatMap(([, paths]) => paths?.trim().split(/\s+/) ?? ["."]);
	const names = named.map((name) => name.replaceAll(/^["']|["']$/g, "").replace(/^\.\//, ""));
	return uncommitted.filter((file) =>
		names.some(
			(name) => name === "." || `/${file}`.endsWith(`/${name}`) || `/${file}`.includes(`/${name.replace(/\/$/, "")}/`),
		),
	);
}

const STATUS = /\bgit\b(?:[^&;|\n]*?) status((?: -[\w=-]+)*)\s*(?:2>&1\s*)?(?=$|[&;\n])/;
const SHORT_STATUS_LINE = /^([ MADRCUT?]{2}) (?:\S.* -> )?"?([^"\n]+?)"?$/;
const STATUS_LINE = /^\t(?:(?:modified|new file|deleted|renamed|both modified|typechange):\s+)?(?:\S.* -> )?(\S.*)$/;

/** Of the files that are not committed, those that `git status` still names; undefined: the command does not tell. */
export function stillUncommitted(
	command: string,
	output: string,
	uncommitted: readonly string[],
): string[] | undefined {
	const [status, flags = ""] = STATUS.exec(command) ?? [];
	if (status === undefined || SCRATCH.test(command) || /^fatal:/m.test(output)) return undefined;
	if (/^nothing to commit, working tree clean/m.test(output)) return [];
	const isShort = /-s\b|--short|--porcelain/.test(flags);
	const lines = output.split("\n");
	const named = lines.flatMap(
		(line) => (isShort ? SHORT_STATUS_LINE.exec(line)?.[2] : STATUS_LINE.exec(line)?.[1]) ?? [],
	);
	if (named.length === 0) return isShort && output.trim() === "" && !/[&;\n]/.test(command.trim()) ? [] : undefined;
	return uncommitted.filter((file) =>
		named.some((name) => `/${file}`.endsWith(`/${name}`) || (name.endsWith("/") && `/${file}`.includes(`/${name}`))),
	);
}

function hasCommit(line: string, id: string): boolean {
	const found = /(?: |^)([0-9a-f]{7,40})(?:\] | )/.exec(line)?.[1] ?? "";
	return found !== "" && (id.startsWith(found) || found.startsWith(id));
}
