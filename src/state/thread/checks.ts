/**
 * Does a command check the work? Its programs, scripts and sub-commands say so, never the files that it is given: `git add cart.test.ts`
 * runs no test, and a formatter that rewrites files checks nothing.
 */
import { type CommandPart, commandIdentity } from "../../base/shell/identity.ts";

const RUNS_TESTS = /(?<!\p{L})(?:tests?|specs?|pytest|jest|vitest|mocha|rspec|tox|ctest)(?!\p{L})/iu;
const CHECKS = new RegExp(
	`${RUNS_TESTS.source}|(?<!\\p{L})(?:lint|check|typecheck|tsc|vet|clippy|build|verify|compile|eslint|ruff|mypy)(?!\\p{L})`,
	"iu",
);

/** Tests, or a check of another kind. */
export function isCheck(command: string): boolean {
	return namesWork(command, CHECKS);
}

export function runsTests(command: string): boolean {
	return namesWork(command, RUNS_TESTS);
}

function namesWork(command: string, names: RegExp): boolean {
	const { kind, parts } = commandIdentity(command);
	return (
		kind === "work" && parts.some((part) => !onlyFormats(part) && workNames(part).some((name) => names.test(name)))
	);
}

/** `ruff format src`; with `--check` it tells what it would change. */
function onlyFormats({ words }: CommandPart): boolean {
	return words.slice(1, 3).some((word) => /^(?:format|fmt)$/.test(word)) && !words.includes("--check");
}

const INTERPRETERS = /^(?:bash|sh|zsh|python[\d.]*|node|bun|deno|tsx|ruby|perl|php)$/;
/** A program, a sub-command and what that runs: `npm run test:unit`. */
const MAX_NAMES = 3;

function workNames({ words: [program = "", ...operands] }: CommandPart): string[] {
	const baseName = (word: string) => word.slice(word.lastIndexOf("/") + 1);
	const options = operands.filter((word) => /^--?(?:test|check|lint|verify)$/.test(word));
	const plain = operands.filter((word) => !word.startsWith("-"));
	const script = INTERPRETERS.test(program) ? plain.slice(0, 1).map(baseName) : [];
	const named = plain.slice(0, MAX_NAMES - 1).filter((word) => !/[/\\]|\.\w+$/.test(word));
	return [baseName(program), ...script, ...named, ...options];
}
