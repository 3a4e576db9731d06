/**
 * Removes wrappers around a command: `time`, `env A=1`, `timeout 60`, `npx`, `poetry run`, `python -m pytest`, … The
 * result is the program that does the work, by its bare name if the path only says where it is installed.
 */
import { ownValue } from "../collection/own-value.ts";

export interface Unwrapped {
	readonly words: readonly string[];
	/** The text of `bash -c "…"`, if that is what is left. */
	readonly script: string | null;
	/** A folder that an option names (`make -C x`); null: no folder is named. */
	readonly cwd: string | null;
}

const known = new WeakMap<readonly string[], Unwrapped>();

/** Cached, because it is asked several times for one command. */
export function unwrap(words: readonly string[]): Unwrapped {
	let unwrapped = known.get(words);
	if (!unwrapped) {
		unwrapped = peelAll(words);
		known.set(words, unwrapped);
	}
	return unwrapped;
}

function peelAll(words: readonly string[]): Unwrapped {
	let rest = words;
	let cwd: string | null = null;
	for (let round = 0; round < MAX_WRAPPERS && rest.length > 0; round++) {
		const [program = "", ...operands] = rest;
		rest = [bareName(program), ...operands];
		const folder = takeFolder(rest);
		if (folder !== null) {
			cwd = folder.cwd;
			rest = folder.words;
		}
		const script = shellScript(rest);
		if (script !== null) return { words: rest, script, cwd };
		const inner = peel(rest);
		if (inner === null || inner.length === 0) break;
		rest = inner;
	}
	return { words: rest, script: null, cwd };
}

const MAX_WRAPPERS = 8;

/** A wrapper's own arguments: flags with a value, and the number of plain words before the command. */
interface Wrapper {
	readonly valued?: readonly string[];
	readonly operands?: number;
	readonly assignments?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
	time: { valued: ["-f", "-o"] },
	env: { valued: ["-u", "-C", "-S"], assignments: true },
	"cross-env": { assignments: true },
	nice: { valued: ["-n"] },
	ionice: { valued: ["-c", "-n"] },
	nohup: {},
	setsid: {},
	caffeinate: {},
	stdbuf: { valued: ["-o", "-e", "-i"] },
	unbuffer: {},
	"xvfb-run": { valued: ["-s", "-n"] },
	sudo: { valued: ["-u", "-g"] },
	command: {},
	builtin: {},
	exec: { valued: ["-a"] },
	timeout: { valued: ["-k", "-s", "--signal", "--kill-after"], operands: 1 },
	gtimeout: { valued: ["-k", "-s", "--signal", "--kill-after"], operands: 1 },
	npx: { valued: ["-p", "--package"] },
	pnpx: {},
	bunx: {},
	corepack: {},
	rtk: {},
	uvx: {},
	xargs: { valued: ["-n", "-P", "-I", "-L", "-d", "-a", "-s"] },
	dotenv: { valued: ["-e", "-f"] },
};

/** Wrappers of two words. */
const PAIRS: Readonly<Record<string, readonly string[]>> = {
	npm: ["exec", "x"],
	pnpm: ["exec", "dlx"],
	yarn: ["exec", "dlx"],
	bun: ["x"],
	poetry: ["run"],
	pipenv: ["run"],
	uv: ["run"],
	pdm: ["run"],
	rye: ["run"],
	hatch: ["run"],
	bundle: ["exec"],
	mise: ["exec", "x"],
	coverage: ["run"],
};
const PAIR_VALUED = ["--with", "--extra", "--group", "--python", "-p", "--package", "--env-file", "--source"];

/** `python -m X` is X for these; another module is a script of the project. */
const PYTHON_TOOLS = new Set(
	"pytest mypy ruff black flake8 pylint isort tox nox unittest coverage bandit pyright".split(" "),
);
/** They run an installed program by its name alone: `yarn jest`. */
const RUNNERS = new Set(["yarn", "pnpm", "bun"]);
const NODE_TOOLS = new Set(
	"vitest jest mocha ava tsc tsgo vue-tsc eslint biome prettier playwright cypress vite webpack tsx ts-node oxlint stylelint astro next nuxt".split(
		" ",
	),
);
const SHELLS = new Set(["bash", "sh", "zsh", "dash", "ksh"]);
const FOLDER_OPTIONS: Readonly<Record<string, readonly string[]>> = {
	make: ["-C", "--directory"],
	git: ["-C"],
	go: ["-C"],
	pnpm: ["-C", "--dir"],
	npm: ["--prefix"],
	yarn: ["--cwd"],
	bun: ["--cwd"],
	ninja: ["-C"],
};

function peel(words: readonly string[]): readonly string[] | null {
	const [name = ""] = words;
	if (name === "command" && /^-[vV]$/.test(words[1] ?? "")) return null; // asks where a program is
	const wrapper = ownValue(WRAPPERS, name);
	if (wrapper) return afterOptions(words, 1, wrapper);
	if (/^[A-Za-z_]\w*=/.test(name)) return words.slice(1);
	if (words[1] !== undefined && ownValue(PAIRS, name)?.includes(words[1])) {
		return afterOptions(words, 2, { valued: PAIR_VALUED });
	}
	if (RUNNERS.has(name) && NODE_TOOLS.has(words[1] ?? "")) return words.slice(1);
	if (/^(python|py)[\d.]*$/.test(name)) {
		const at = words.indexOf("-m");
		const onlyFlags = at > 0 && words.slice(1, at).every((word) => word.startsWith("-"));
		if (onlyFlags && PYTHON_TOOLS.has(words[at + 1] ?? "")) return words.slice(at + 1);
	}
	if (name === "-m") return words.slice(1); // left over from `coverage run -m pytest`
	return null;
}

function afterOptions(words: readonly string[], from: number, wrapper: Wrapper): readonly string[] {
	let i = from;
	let operands = wrapper.operands ?? 0;
	for (let word = words[i]; word !== undefined; word = words[i]) {
		if (word === "--") i += 1;
		else if (word.startsWith("-") && word !== "-m") i += wrapper.valued?.includes(word) === true ? 2 : 1;
		else if (wrapper.assignments === true && /^[A-Za-z_]\w*=/.test(word)) i += 1;
		else if (operands > 0) {
			operands -= 1;
			i += 1;
		} else break;
	}
	return words.slice(i);
}

function shellScript(words: readonly string[]): string | null {
	if (words[0] === "eval") return words.slice(1).join(" ");
	if (!SHELLS.has(words[0] ?? "")) return null;
	let i = 1;
	for (let word = words[i]; word !== undefined; word = words[++i]) {
		if (!word.startsWith("-") || word.startsWith("--")) return null;
		if (/^-[a-z]*c$/.test(word)) return words[i + 1] ?? null;
		if (word === "-o") i += 1;
	}
	return null;
}

function takeFolder(words: readonly string[]): { words: readonly string[]; cwd: string } | null {
	const options = ownValue(FOLDER_OPTIONS, words[0] ?? "") ?? [];
	for (const option of options) {
		const at = words.indexOf(option);
		const cwd = at > 0 ? words[at + 1] : undefined;
		if (cwd !== undefined) return { words: [...words.slice(0, at), ...words.slice(at + 2)], cwd };
		const joined = words.find((word, i) => i > 0 && option.startsWith("--") && word.startsWith(`${option}=`));
		if (joined !== undefined) {
			const first = words.indexOf(joined, 1);
			return { words: words.filter((_, i) => i !== first), cwd: joined.slice(option.length + 1) };
		}
	}
	return null;
}

/** A program's name without the folder it is installed in. A script of the project keeps its path. */
function bareName(name: string): string {
	const at = name.lastIndexOf("/");
	if (at < 0) return name;
	const installed = /(^|\/)(node_modules\/\.bin|bin|sbin|Scripts)$/.test(name.slice(0, at));
	return installed && (name.startsWith("/") || /venv|node_modules|vendor|\.local/.test(name))
		? name.slice(at + 1)
		: name;
}
