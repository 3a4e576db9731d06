/**
 * Does a run check everything that another run, or one failing unit, was about? `pytest` covers `pytest tests/a.py`, and
 * `go test ./...` covers `go test ./a`. The narrower run covers only the units inside it. If in doubt: no.
 */
import { getKey } from "../../../log/fold/keyed.ts";
import type { Recognised } from "./recognise/types.ts";

type CommandWords = readonly string[];

export function covers(run: CommandWords, other: CommandWords): boolean {
	if (run.join("\n") === other.join("\n")) return true;
	if (CHORES.has(run[0] ?? "") && run[0] === other[0] && verbOf(run) === verbOf(other)) return true;
	const a = shapeOf(run);
	const b = shapeOf(other);
	if (a === null || b === null || a.program !== b.program) return false;
	if (!a.options.every((option) => b.options.includes(option))) return false;
	if (a.program === "mvn") return phase(a.selectors) >= phase(b.selectors) && phase(b.selectors) >= 0;
	if (a.selectors.length === 0) return true;
	return (
		b.selectors.length > 0 && b.selectors.every((one) => a.selectors.some((wide) => selects(wide, one, a.program)))
	);
}

export interface Unit {
	readonly unit: string;
	readonly file: string | null;
	readonly name: string | null;
}

/** Did a run that passed include this unit? */
export function coversUnit(run: CommandWords, unit: Unit): boolean {
	const shape = shapeOf(run);
	if (shape === null || shape.program === "mvn") return false;
	const filters = shape.options.filter(isNameFilter);
	if (filters.length !== shape.options.length) return false; // another option may exclude units
	if (filters.length > 0 && !filters.every((filter) => filtersFor(filter, unit))) return false;
	return shape.selectors.length === 0 || shape.selectors.some((one) => selectsUnit(one, unit, shape.program));
}

/** True: the output itself says that the unit passed. */
export function namedPassed(recognised: Recognised | null, run: CommandWords, unit: Unit): boolean {
	if (recognised === null) return false;
	const names = recognised.passed.names;
	if (names.includes(unit.unit)) return true;
	const filtered = shapeOf(run)?.options.some(isNameFilter) ?? false;
	if (unit.file !== null && names.includes(unit.file) && !filtered) return !recognised.failed.includes(unit.unit);
	// Some tools print names without files: trust them only if nothing of that name failed in the same run.
	const bare = recognised.tool === "node:test" || recognised.tool === "go test" || recognised.tool === "cargo test";
	if (!bare || unit.name === null || !names.includes(unit.name)) return false;
	return !recognised.errors.some((error) => error.name === unit.name) && coversFile(run, unit);
}

/** True: the file or package of the unit failed as a whole, by a build error or a crash. In doubt, yes. */
export function neverRan(recognised: Recognised | null, { file }: Unit): boolean {
	return (recognised?.errors ?? []).some((error) => {
		const whole = error.name === null ? (error.file ?? error.unit) : isFileName(error.name) ? error.name : null;
		return whole !== null && (file === null || isSameFile(whole, file));
	});
}

/** By its own name, or by its file. Some tools print names without files. */
export function namesUnit(names: readonly string[], { unit, file, name }: Unit): boolean {
	return names.some(
		(one) =>
			one === unit || one === name || (file !== null && name !== file && isFileName(one) && isSameFile(one, file)),
	);
}

/** `node --test` names a file that cannot be loaded as if it were a test. */
function isFileName(name: string): boolean {
	return /^\S+\.[cm]?[jt]sx?$/.test(name);
}

function isSameFile(one: string, other: string): boolean {
	return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

interface CommandShape {
	readonly program: string;
	readonly selectors: readonly string[];
	/** Each with its value. */
	readonly options: readonly string[];
}

/** Programs whose plain arguments select what is checked. For other programs different arguments are another command. */
const PROGRAMS = new Set(
	"pytest vitest jest mocha ava rspec eslint ruff mypy flake8 pylint tsc biome phpunit pyright mvn ./mvnw oxlint".split(
		" ",
	),
);
/** For these the first words say what to do, and the rest selects. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
	go: ["test", "vet", "build"],
	cargo: ["test", "check", "build", "clippy", "nextest"],
	npm: ["test", "run"],
	pnpm: ["test", "run"],
	bun: ["test", "run"],
	dotnet: ["test", "build"],
	deno: ["test", "check", "lint"],
	playwright: ["test"],
	ruff: ["check", "format"],
	biome: ["check", "lint", "ci", "format"],
	node: ["--test"],
};
/** A `git push` that works resolves one that failed, whatever was pushed. */
const CHORES = new Set("git gh docker kubectl pip pip3 brew apt apt-get apk".split(" "));
const VALUED = new Set(
	"-k -m -t -g --grep -run --run -bench -p --package --test --bin --example --features -w --workspace --filter --testNamePattern --testPathPattern -c --config --project -P -e --example-matches --tests -pl --test-name-pattern --deselect --ignore -tags --ext --exclude".split(
		" ",
	),
);
const NAME_FILTER = /^(-k|-t|-g|--grep|-run|--testNamePattern|--test-name-pattern|-e|--filter|-Dtest)(?:[ =]|$)/;
const PHASES = ["validate", "compile", "test", "package", "verify", "install", "deploy"];

function shapeOf(words: CommandWords): CommandShape | null {
	const name = words[0] ?? "";
	const [, second = ""] = words;
	const verb = getKey(VERBS, name)?.includes(second) === true ? second : null;
	if (!PROGRAMS.has(name) && verb === null) return null;
	const script = verb === "run" ? (words[2] ?? null) : null;
	const program = [name, verb, script].filter((word) => word !== null).join(" ");
	const rest = words.slice(1 + (verb === null ? 0 : 1) + (script === null ? 0 : 1));

	const selectors: string[] = [];
	const options: string[] = [];
	for (let i = 0; i < rest.length; i++) {
		const [word = "", value] = rest.slice(i, i + 2);
		if (word === "--") continue;
		if (!word.startsWith("-")) selectors.push(word);
		else if (VALUED.has(word) && value !== undefined) {
			options.push(`${word} ${value}`);
			i++;
		} else options.push(word);
	}
	return { program: program === "./mvnw" ? "mvn" : program, selectors, options };
}

function selects(wide: string, narrow: string, program: string): boolean {
	if (wide === narrow || wide === ".") return true;
	if (wide.endsWith("/...")) {
		const folder = wide.slice(0, -4);
		return folder === "." || narrow === folder || narrow.startsWith(`${folder}/`);
	}
	if ([`${wide}/`, `${wide}::`, `${wide}:`].some((start) => narrow.startsWith(start))) return true;
	return isFilter(program) && narrow.includes(wide);
}

function selectsUnit(selector: string, unit: Unit, program: string): boolean {
	if (program.startsWith("go ")) {
		if (selector === "./...") return true;
		const folder = selector.replace(/^\.\//, "").replace(/\/\.\.\.$/, "");
		return (
			unit.file?.endsWith(`/${folder}`) === true ||
			(selector.endsWith("/...") && unit.file?.includes(`/${folder}/`) === true)
		);
	}
	if (program === "cargo test") return unit.name?.includes(selector) === true;
	const place = selector.replace(/^\.\//, "");
	if (unit.file !== null && selects(place, unit.file, program)) return true;
	return unit.unit === place || unit.unit.startsWith(`${place}::`) || unit.unit.startsWith(`${place}[`);
}

function coversFile(run: CommandWords, unit: Unit): boolean {
	const shape = shapeOf(run);
	if (shape === null || unit.file === null || shape.selectors.length === 0) return true;
	return shape.selectors.some((one) => selectsUnit(one, unit, shape.program));
}

function filtersFor(filter: string, unit: Unit): boolean {
	const value = filter.replace(NAME_FILTER, "").replace(/^\^/, "").replace(/\$$/, "");
	if (unit.name === null || value === "") return false;
	const last = unit.name.split(/::| > |\./).at(-1) ?? "";
	return [unit.name, unit.name.replaceAll(" > ", " "), last, last.replace(/\[.*$/, "")].includes(value);
}

function isNameFilter(option: string): boolean {
	return NAME_FILTER.test(option);
}

function verbOf(words: CommandWords): string {
	const plain = words.slice(1).filter((word) => !word.startsWith("-"));
	return plain.slice(0, words[0] === "gh" ? 2 : 1).join(" ");
}

/** True: the program's arguments are patterns that match anywhere in a name. */
function isFilter(program: string): boolean {
	return program === "vitest" || program === "jest" || program === "cargo test" || program === "bun test";
}

function phase(selectors: readonly string[]): number {
	return Math.max(-1, ...selectors.map((one) => PHASES.indexOf(one)));
}
