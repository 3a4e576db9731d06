/**
 * Finds the files that a command line visibly writes: by redirection, `tee`, `sed -i`, `cp`, `mv`, `git mv`, `rm`, a
 * formatter, or a package manager. Scripts are returned for the caller to read. Nothing is run or expanded: a path may
 * hold a glob, and a path with a variable only makes the line vague.
 */

import { posix } from "node:path";
import { ownValue } from "../collection/own-value.ts";
import { isWritingLook } from "./file-risk.ts";
import { isWrite, kindOf } from "./kind.ts";
import { changeFolder, MAX_PARSED_CHARS, parseCommand } from "./parse.ts";
import type { Redirect, ShellNode, SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

export interface SeenWrite {
	/** As seen from where the shell starts, or absolute; may hold `*`, `?` and `[…]`. */
	readonly path: string;
	/** replace: all of it is new; modify: a part, or all by rules that the line does not show; delete: it is gone. */
	readonly how: "replace" | "modify" | "delete";
	/** Files inside it count too. */
	readonly under: boolean;
	/** The new text is in the line itself, as a here-document. */
	readonly isLiteral: boolean;
	/** The text was at another path before the line ran, and is there no more. */
	readonly isMoved: boolean;
	/** The old content is lost: overwritten, removed, or reverted by git; not when it was moved or changed in place. */
	readonly loses: boolean;
	/** No slow command runs after it in the line. */
	readonly isLast: boolean;
}

export interface CommandEffects {
	readonly writes: readonly SeenWrite[];
	/** A command writes to a path that only the shell knows: `> $f`, `xargs sed -i`. */
	readonly isVague: boolean;
	/** A command may overwrite or remove files that the line does not name: `xargs rm`, `find -delete`, `tar x`, `git stash`. */
	readonly mayLose: boolean;
	/** A command removes files that git ignores: `git clean -x`. */
	readonly takesIgnored: boolean;
	/** A git command brings files of the work tree to another commit: `git checkout next`, `git pull`, `git stash pop`. */
	readonly updatesTree: boolean;
	/** A git command may drop commits that no branch has: `git gc`, `git prune`. */
	readonly dropsCommits: boolean;
	/** Here-documents written to a file unchanged. */
	readonly literals: readonly string[];
	/** Texts that a program runs: a here-document, `-c`, `-e`. */
	readonly scripts: readonly string[];
	/** Files of scripts that a program runs. */
	readonly scriptFiles: readonly string[];
	/** Some command may write files that the line does not name. */
	readonly isOpaque: boolean;
	/** A command of it may still run when the line has ended: `make watch &`. */
	readonly leavesJob: boolean;
	/** Every folder that a command runs in. */
	readonly folders: readonly string[];
}

const NOTHING: CommandEffects = {
	writes: [],
	isVague: false,
	mayLose: false,
	takesIgnored: false,
	updatesTree: false,
	dropsCommits: false,
	literals: [],
	scripts: [],
	scriptFiles: [],
	isOpaque: false,
	leavesJob: false,
	folders: ["."],
};

/** A line that does not parse may do anything. */
export function effectsOf(text: string): CommandEffects {
	const short = text.length > MAX_PARSED_CHARS ? withoutBodies(text) : text;
	const line = parseCommand(short);
	if (!line.parsed) return { ...NOTHING, isOpaque: true, scripts: [text] };
	const found: OpenEffects = {
		writes: [],
		isVague: false,
		mayLose: false,
		takesIgnored: false,
		updatesTree: false,
		dropsCommits: false,
		literals: [],
		scripts: [],
		scriptFiles: [],
		isOpaque: false,
		folders: new Set(["."]),
		folder: ".",
		oldFolder: undefined,
		isLast: true,
	};
	const slow = line.commands.findLastIndex(({ words }) => takesTime(unwrap(words).words));
	for (const [at, command] of line.commands.entries()) {
		found.isLast = at >= slow;
		readCommand(command, line.commands[at - 1], found);
	}
	found.isLast = true;
	for (const { redirect, cwd } of line.groupRedirects) readRedirect(redirect, cwd, found, false);
	found.scripts.push(...line.hidden);
	const { isLast: _, folder: _folder, oldFolder: _oldFolder, ...rest } = found;
	const isShort = short !== text;
	const scripts = isShort && found.scripts.length > 0 ? [text] : found.scripts;
	const literals = isShort && found.literals.length > 0 ? bodiesIn(text) : found.literals;
	const leavesJob = hasJob(line.tree) && !line.commands.some(({ words }) => words[0] === "wait");
	return { ...rest, scripts, literals, leavesJob, folders: [...found.folders] };
}

function hasJob(node: ShellNode): boolean {
	switch (node.kind) {
		case "simple":
			return false;
		case "pipe":
			return node.stages.some(hasJob);
		case "chain":
			return node.nodes.some(hasJob);
		case "list":
			return node.items.some((item) => item.background || hasJob(item.node));
		case "block":
			return node.bodies.some(hasJob);
	}
}

/** A line with a long here-document is too long to parse, but its targets show without the text. */
function withoutBodies(text: string): string {
	if (text.length > MAX_SHORTENED_CHARS || text.split("<<").length > MAX_SHORTENED_BODIES) return text;
	return text.replace(HERE_DOCUMENT, "$1");
}

function bodiesIn(text: string): string[] {
	return [...text.matchAll(HERE_DOCUMENT)].map(([, , , , body = ""]) => body);
}

const HERE_DOCUMENT = /(<<-?\s*(['"]?)(\w+)\2[^\n]*\n)([\s\S]*?\n)(?=\s*\3[ \t]*(?:\n|$))/g;

const MAX_SHORTENED_CHARS = 256 * 1024;
const MAX_SHORTENED_BODIES = 100;

function takesTime(words: readonly string[]): boolean {
	const kind = kindOf(words, []);
	return kind === "work" || kind === "chore" || words[0] === "sleep" || words[0] === "wait";
}

interface OpenEffects {
	readonly writes: SeenWrite[];
	isVague: boolean;
	mayLose: boolean;
	takesIgnored: boolean;
	updatesTree: boolean;
	dropsCommits: boolean;
	readonly literals: string[];
	/** Of the command that is being read. */
	isLast: boolean;
	readonly scripts: string[];
	readonly scriptFiles: string[];
	isOpaque: boolean;
	readonly folders: Set<string>;
	/** Of the command before, and the one that it came from. */
	folder: string;
	oldFolder: string | undefined;
}

type WrittenPath = readonly [path: string, how: SeenWrite["how"], under?: "under" | undefined];

function readCommand(command: SimpleCommand, before: SimpleCommand | undefined, found: OpenEffects): void {
	const { words, cwd: named } = unwrap(command.words);
	const cwd = named === null ? command.cwd : changeFolder(command.cwd, named);
	found.folders.add(cwd);
	if (cwd !== found.folder) found.oldFolder = found.folder;
	found.folder = cwd;
	const name = posix.basename(words[0] ?? "");
	// `cat > a <<E`, `tee a <<E`, `cat <<E | tee a`
	const given = isBareCat(words) || name === "tee" ? bodiesOf(command) : [];
	const piped = before && name === "tee" && command.joint === "|" && isBareCat(before.words) ? bodiesOf(before) : [];
	const isLiteral = given.length + piped.length > 0;
	found.literals.push(...given, ...piped);
	for (const redirect of command.redirects) readRedirect(redirect, cwd, found, isLiteral && name === "cat");
	const handled = handledFiles(name, words);
	const written = handled ?? [...formattedFiles(words), ...productsOf(words)];
	const takesBack = name === "git" && !words.includes("mv");
	const moves = words.includes("mv");
	// A file that the line itself has just made holds nothing else.
	const sources = moves ? written.filter(([, how]) => how === "delete").map(([path]) => changeFolder(cwd, path)) : [];
	const isOwn = (path: string) => found.writes.some((write) => write.path === path && write.how === "replace");
	const isTaken = sources.some((path) => !isOwn(path));
	for (const [path, how, under] of written) {
		const loses = how === "replace" || (how === "delete" ? !moves : takesBack);
		const literal = isLiteral && name === "tee" && how === "replace";
		const isMoved = isTaken && how === "replace";
		add(found, cwd, { path, how, under: under === "under", isLiteral: literal, isMoved, loses });
	}
	const isFed = command.words[0] === "xargs" || words.includes("{}");
	found.isVague ||= handled !== undefined && isFed;
	found.updatesTree ||= name === "git" && GIT_UPDATES_TREE.has(operandsOf(words)[0] ?? "");
	found.dropsCommits ||= name === "git" && mayDropCommits(words);
	found.takesIgnored ||= name === "git" && losesUnnamed(name, words) && takesIgnored(words);
	found.mayLose ||= losesUnnamed(name, words) || (isFed && REMOVERS.has(name));
	if (name === "git" ? mayGitWrite(words) : handled === undefined && (mayWrite(words) || isWritingLook(words)))
		found.isOpaque = true;
	if (INTERPRETERS.test(name) || name === "patch") readScript(words, command, found, cwd);
}

function mayWrite(words: readonly string[]): boolean {
	const kind = kindOf(words, []);
	return kind === "work" || kind === "chore" || kind === "handling";
}

/** Undefined: the program does not write the files it is given. */
function handledFiles(name: string, words: readonly string[]): readonly WrittenPath[] | undefined {
	const operands = operandsOf(words);
	const all = (how: SeenWrite["how"], under?: "under") => operands.map((path): WrittenPath => [path, how, under]);
	switch (name) {
		case "tee":
			return all(words.includes("-a") ? "modify" : "replace");
		case "sed":
		case "perl":
		case "ruby":
			// The first operand may be the program; as a path it names no file.
			return words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word)) ? all("modify") : undefined;
		case "cp":
		case "mv":
		case "install":
		case "rsync":
		case "ln":
			return copiedFiles(name, words, operands);
		case "rm":
		case "rmdir":
		case "unlink":
			return all("delete", "under");
		case "find":
			return isWholeDelete(words) ? all("delete", "under") : undefined;
		case "touch":
			return all("modify");
		case "truncate":
			return all("replace");
		case "sort":
			return namedOutputs(words, /^(?:-[a-zA-Z]*o|--output)$/, "modify");
		case "dd":
			return words.flatMap((word): WrittenPath[] => (word.startsWith("of=") ? [[word.slice(3), "replace"]] : []));
		case "git":
			return gitFiles(words);
		case "curl":
			return downloadedFiles(words, /^(?:-[a-zA-Z]*o|--output)$/, /^(?:-[a-zA-Z]*O|--remote-name)$/);
		case "wget":
			return downloadedFiles(words, /^(?:-[a-zA-Z]*O|--output-document)$/, undefined);
		default:
			return undefined;
	}
}

/** `named`: the option before a file's name; `bare`: the option that takes the name from the address, always so if left out. */
function downloadedFiles(
	words: readonly string[],
	named: RegExp,
	bare: RegExp | undefined,
): readonly WrittenPath[] | undefined {
	const files = namedOutputs(words, named, "replace");
	if (files) return files;
	if (bare && !words.some((word) => bare.test(word))) return undefined;
	const addresses = words.filter((word) => /^\w+:\/\//.test(word));
	return addresses.map((address): WrittenPath => [posix.basename(address.replace(/[?#].*$/s, "")), "replace"]);
}

/** The files that an option names, as its next word or after `=`. */
function namedOutputs(
	words: readonly string[],
	option: RegExp,
	how: SeenWrite["how"],
): readonly WrittenPath[] | undefined {
	const files = words.flatMap((word, at): WrittenPath[] => {
		const path = option.test(words[at - 1] ?? "") ? word : /^--output(?:-document)?=(.+)$/.exec(word)?.[1];
		return path === undefined || path === "-" ? [] : [[path, how]];
	});
	return files.length > 0 ? files : undefined;
}

function readRedirect(redirect: Redirect, cwd: string, found: OpenEffects, isLiteral: boolean): void {
	const { operator, target } = redirect;
	if (!isWrite(redirect)) return;
	const how = operator.includes(">>") ? "modify" : "replace";
	const isNew = how === "replace";
	add(found, cwd, { path: target, how, under: false, isLiteral: isLiteral && isNew, isMoved: false, loses: isNew });
}

function isBareCat(words: readonly string[]): boolean {
	return words.length === 1 && words[0] === "cat";
}

function add(found: OpenEffects, cwd: string, write: Omit<SeenWrite, "isLast">): void {
	if (write.path === "" || write.path === "{}") return;
	const [, variable, rest = ""] = /^\$\{?(PWD|OLDPWD)\b\}?(.*)$/s.exec(write.path) ?? [];
	const [from, path] =
		variable === undefined ? [cwd, write.path] : [variable === "PWD" ? cwd : found.oldFolder, `.${rest}`];
	if (/[$`]/.test(path) || from === undefined) {
		found.isVague = true;
		found.mayLose ||= write.how === "delete" && write.loses;
	} else found.writes.push({ ...write, path: changeFolder(from, path), isLast: found.isLast });
}

/** The last operand is the target, or `-t` names it; a folder takes each source under its own name. */
function copiedFiles(name: string, words: readonly string[], operands: readonly string[]): WrittenPath[] {
	const at = words.findIndex((word) => word === "-t" || word === "--target-directory");
	const target = at > 0 ? words[at + 1] : operands.at(-1);
	if (target === undefined) return [];
	const sources = at > 0 ? operands.filter((path) => path !== target) : operands.slice(0, -1);
	const isDeep = name === "mv" || name === "rsync" || words.some((word) => /^-[a-zA-Z]*[rRa]/.test(word));
	return sources.flatMap((source): WrittenPath[] => [
		...(name === "mv" ? ([[source, "delete", "under"]] as const) : []),
		[target, "replace", isDeep ? "under" : undefined],
		[posix.join(target, posix.basename(source)), "replace", "under"],
	]);
}

function gitFiles(words: readonly string[]): WrittenPath[] {
	const [verb = "", ...operands] = operandsOf(words);
	const all = (paths: readonly string[], how: SeenWrite["how"]) =>
		paths.map((path): WrittenPath => [path, how, "under"]);
	switch (verb) {
		case "mv":
			return copiedFiles("mv", words.slice(1), operands);
		case "rm":
			return words.includes("--cached") ? [] : all(operands, "delete");
		case "worktree":
			return operands[0] === "remove" ? all(operands.slice(1), "delete") : [];
		case "restore":
			return isIndexAlone(words) ? [] : all(operands, "modify");
		case "checkout":
			if (words.some((word) => /^-[bB]$|^--orphan$/.test(word))) return [];
			if (isForced(words)) return all(["."], "modify");
			// Words after `--` are files; before it a name may be a branch, which names no file.
			return all(words.includes("--") ? words.slice(words.indexOf("--") + 1) : operands, "modify");
		case "switch":
			return isForced(words) || words.includes("--discard-changes") ? all(["."], "modify") : [];
		case "reset":
			return words.includes("--hard") ? all(["."], "modify") : [];
		default:
			return [];
	}
}

function isForced(words: readonly string[]): boolean {
	return words.some((word) => word === "--force" || /^-[a-zA-Z]*f/.test(word));
}

/** `git restore --staged` does not touch the files. */
function isIndexAlone(words: readonly string[]): boolean {
	const has = (...names: readonly string[]) => names.some((name) => words.includes(name));
	return has("--staged", "-S") && !has("--worktree", "-W");
}

/** `find FOLDER -delete` without any test removes the folder. */
function isWholeDelete(words: readonly string[]): boolean {
	const options = words.filter((word) => /^[-(!]/.test(word));
	return options.includes("-delete") && options.every((word) => word === "-delete" || word === "-depth");
}

const REMOVERS = new Set(["rm", "unlink", "truncate"]);

/** It overwrites or removes files that the line does not name. */
function losesUnnamed(name: string, words: readonly string[]): boolean {
	const [, first = "", second = ""] = words;
	switch (name) {
		case "find":
			return words.some((word, at) => word === "-delete" || (/^-exec/.test(word) && REMOVERS.has(words[at + 1] ?? "")));
		case "tar":
			return /^(?:-?[a-zA-Z]*x|--extract|--get)/.test(first);
		case "unzip":
			return true;
		case "git":
			if (first === "clean") return isForced(words) && !words.includes("-n");
			return first === "stash" && (second === "" || second.startsWith("-") || second === "push" || second === "save");
		default:
			return false;
	}
}

/** `git clean -x`, `git stash --all`. */
function takesIgnored([, verb, ...rest]: readonly string[]): boolean {
	const options = verb === "clean" ? /^-[a-zA-Z]*[xX]/ : /^(?:--all|-[a-zA-Z]*a)/;
	return rest.some((word) => options.test(word));
}

function mayDropCommits(words: readonly string[]): boolean {
	const [verb = "", next] = operandsOf(words);
	return GIT_DROPS_COMMITS.has(verb) || (verb === "reflog" && (next === "expire" || next === "delete"));
}

function mayGitWrite(words: readonly string[]): boolean {
	const [verb = ""] = operandsOf(words);
	if (verb === "checkout") return !words.includes("--");
	return kindOf(words, []) !== "looking" && !GIT_LEAVES_OTHERS.has(verb);
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** They write only named files, or nothing in the working tree. */
const GIT_LEAVES_OTHERS = set("add fetch push init config tag branch remote mv rm restore");

const GIT_DROPS_COMMITS = set("gc prune repack filter-branch filter-repo");

const GIT_UPDATES_TREE = set(
	"checkout switch restore reset merge pull rebase cherry-pick revert stash am apply bisect sparse-checkout",
);

const INTERPRETERS =
	/^(?:python[\d.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|Rscript|osascript|awk|gawk|bash|sh|zsh)$/;

function readScript(words: readonly string[], command: SimpleCommand, found: OpenEffects, cwd: string): void {
	found.scripts.push(...bodiesOf(command));
	for (const [at, word] of words.entries()) {
		const next = words[at + 1];
		if (next !== undefined && /^-(?:c|e|p|pe|ne|-eval)$/.test(word)) found.scripts.push(next);
	}
	const file = words.slice(1).find((word) => !word.startsWith("-") && /\.\w{1,4}$/.test(word));
	if (file !== undefined && !/[$`*]/.test(file)) found.scriptFiles.push(changeFolder(cwd, file));
}

function bodiesOf({ redirects }: SimpleCommand): string[] {
	return redirects.filter(({ operator }) => operator.startsWith("<<")).map(({ target }) => target);
}

/** Programs that rewrite the files or folders they are given, some only with an option. */
const FORMATTERS: Readonly<Record<string, RegExp | null>> = {
	prettier: /^(?:--write|-w)$/,
	eslint: /^--fix$/,
	biome: /^(?:--write|--fix|--apply)$/,
	oxlint: /^--fix$/,
	stylelint: /^--fix$/,
	gofmt: /^-\w*w$/,
	goimports: /^-\w*w$/,
	gofumpt: /^-\w*w$/,
	ruff: /^(?:format|--fix)$/,
	black: null,
	isort: null,
	autopep8: /^(?:-\w*i|--in-place)$/,
	yapf: /^(?:-\w*i|--in-place)$/,
	rustfmt: null,
	"clang-format": /^-i$/,
	shfmt: /^-\w*w$/,
	dprint: /^fmt$/,
	rubocop: /^(?:-\w*[aA]|--auto-?correct\S*|--fix)$/,
	unix2dos: null,
	dos2unix: null,
};

function formattedFiles(words: readonly string[]): WrittenPath[] {
	const name = words[0] ?? "";
	const when = ownValue(FORMATTERS, name);
	if (when === undefined || words.includes("--check")) return [];
	if (when !== null && !words.some((word) => when.test(word))) return [];
	return operandsOf(words).map((path): WrittenPath => [path, "modify", "under"]);
}

/** Files that package managers and generators write, with the words that make them. */
const PRODUCTS: readonly (readonly [program: RegExp, verb: RegExp, files: readonly string[]])[] = [
	[/^(?:npm|pnpm|yarn|bun)$/, /^init$/, ["package.json"]],
	[
		/^(?:npm|pnpm|yarn|bun)$/,
		/^(?:install|i|ci|add|remove|rm|uninstall|update|upgrade|up|version|pkg|dedupe|audit)$/,
		["package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"],
	],
	[/^tsc$/, /^--init$/, ["tsconfig.json"]],
	[/^cargo$/, /^(?:add|remove|rm|update|fix)$/, ["Cargo.toml", "Cargo.lock"]],
	[/^cargo$/, /^init$/, ["Cargo.toml", "Cargo.lock", ".gitignore", "src/"]],
	[/^go$/, /^(?:get|mod)$/, ["go.mod", "go.sum"]],
	[/^(?:uv|poetry|pdm)$/, /^(?:add|remove|lock|sync|init|update)$/, ["pyproject.toml", "uv.lock", "poetry.lock"]],
	[/^composer$/, /^(?:require|remove|update|init)$/, ["composer.json", "composer.lock"]],
	[/^bundle$/, /^(?:add|update|install|init)$/, ["Gemfile", "Gemfile.lock"]],
];
const GENERATES = /^(?:new|create|startproject|startapp|scaffold|generate|init)$/;

function productsOf(words: readonly string[]): WrittenPath[] {
	const [program = "", ...rest] = words;
	const files = PRODUCTS.flatMap(([name, verb, made]) =>
		name.test(program) && rest.some((word) => verb.test(word)) ? made : [],
	);
	// `cargo new app`, `npm create vite my-app`, `npx create-vite my-app`: everything goes into the named folder.
	const isGenerator = program.startsWith("create-") || rest.slice(0, 2).some((word) => GENERATES.test(word));
	const folders = isGenerator ? operandsOf(words).filter((word) => !GENERATES.test(word) && word !== ".") : [];
	return [
		...files.map((path): WrittenPath => [path, "modify", path.endsWith("/") ? "under" : undefined]),
		...folders.map((path): WrittenPath => [path, "modify", "under"]),
	];
}

/** The words that are no options, and all words after `--`. */
function operandsOf(words: readonly string[]): string[] {
	const end = words.indexOf("--");
	const before = words.slice(1, end === -1 ? undefined : end).filter((word) => !word.startsWith("-"));
	return end === -1 ? before : [...before, ...words.slice(end + 1)];
}
