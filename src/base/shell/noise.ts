/**
 * Options that change the look or the speed of a run, not what it checks. Unlisted options stay: they may select what
 * runs.
 */
import { ownValue } from "../collection/own-value.ts";

/** Name → whether the next word is its value. `--name=value` is always one word. */
type Options = Readonly<Record<string, "flag" | "value">>;

/** Drops the noise. `words` are unwrapped; the rest keeps its order. */
export function withoutNoise(words: readonly string[]): readonly string[] {
	const tool = toolOf(words);
	const options = ownValue(TOOLS, tool) ?? NONE;
	const kept: string[] = [];
	let isValue = false;
	for (const [i, word] of words.entries()) {
		const role: ReturnType<typeof roleOf> = i === 0 || isValue ? null : roleOf(word, tool, options);
		if (role === null && !isValue) kept.push(word);
		const next = words[i + 1];
		isValue = role !== null && (role === "value" ? takesNext(next) : SWITCH.test(next ?? ""));
	}
	while (kept.length > 1 && kept.at(-1) === "--") kept.pop();
	return sameSpelling(kept);
}

/** The tool whose options these are: the name, and for some the verb after it. */
function toolOf(words: readonly string[]): string {
	const name = words[0] ?? "";
	if (name === "node") return words.includes("--test") ? "node --test" : "node";
	return name;
}

const NONE: Options = {};
/** `--color always`, `--pretty false` */
const SWITCH = /^(always|never|auto|true|false)$/;

const flags = (names: string): Options => Object.fromEntries(names.split(" ").map((name) => [name, "flag"]));
const valued = (names: string): Options => Object.fromEntries(names.split(" ").map((name) => [name, "value"]));

const ANY: Options = {
	...flags(
		"--verbose --quiet --silent --color --colors --no-color --no-colors --colour --progress --no-progress --coverage --no-coverage --ci --no-cache --cache --debug --trace --no-pager --stats --timing --timings --no-bail --bail --fail-fast --no-fail-fast",
	),
	...valued(
		"--seed --random-seed --shard --jobs --workers --max-workers --maxWorkers --minWorkers --threads --concurrency --timeout --reporter --reporters --log-level --loglevel --logLevel --retry --retries --repeat --repeat-each --max-old-space-size --output-file --outputFile",
	),
};
const PYTEST: Options = {
	...flags(
		"-q -qq -v -vv -vvv -s -x -l --exitfirst --showlocals --no-header --no-summary --disable-warnings --disable-pytest-warnings --full-trace --cache-clear --ff --failed-first --nf --no-cov --cov --forked --strict-markers",
	),
	...valued(
		"-p -n -W -c -o --tb --maxfail --capture --dist --numprocesses --durations --durations-min --randomly-seed --show-capture --cov-report --cov-config --cov-fail-under --junitxml --junit-xml --basetemp --rootdir --reruns --reruns-delay --timeout-method --log-cli-level --import-mode",
	),
};
const JEST: Options = {
	...flags(
		"-i --runInBand --run --watch --no-watch --watchAll --json --detectOpenHandles --forceExit --passWithNoTests --expand --no-file-parallelism --no-threads --logHeapUsage --clearCache --hideSkippedTests --no-isolate --verbose",
	),
	...valued("-w --pool --testTimeout --test-timeout --hookTimeout --hook-timeout --coverageReporters --maxConcurrency"),
};
const TOOLS: Readonly<Record<string, Options>> = {
	pytest: PYTEST,
	vitest: JEST,
	jest: JEST,
	mocha: { ...flags("-b --exit --full-trace"), ...valued("-R -t --reporter-option -O") },
	playwright: { ...flags("-x --headed"), ...valued("-j --max-failures --trace") },
	"node --test": {
		...flags(
			"--no-warnings --enable-source-maps --test-force-exit --experimental-test-coverage --experimental-strip-types --experimental-test-module-mocks --disable-warning",
		),
		...valued(
			"--test-reporter --test-reporter-destination --test-concurrency --test-timeout --test-shard --test-isolation --experimental-test-isolation",
		),
	},
	node: flags("--no-warnings --enable-source-maps --trace-warnings --trace-uncaught --experimental-strip-types"),
	go: {
		...flags("-v -json -cover -failfast -x -work"),
		...valued("-count -timeout -p -parallel -cpu -shuffle -coverprofile -covermode -coverpkg -vet"),
	},
	gotestsum: valued("--format -f"),
	cargo: {
		...flags("-q -v -vv --locked --offline --frozen --nocapture --no-capture --show-output --keep-going"),
		...valued("-j --message-format --test-threads --format --report-time"),
	},
	unittest: flags("-v -q -b -f --buffer --failfast --locals"),
	docker: valued("--progress"),
	tsc: flags("--pretty --noEmit --diagnostics --extendedDiagnostics --listFiles --incremental --preserveWatchOutput"),
	eslint: { ...flags("--fix --no-inline-config"), ...valued("-f --format -o --cache-location --cache-strategy") },
	biome: { ...flags("--write --fix"), ...valued("--max-diagnostics --colors --diagnostic-level") },
	ruff: { ...flags("-q -v --fix --no-fix --show-fixes --statistics"), ...valued("--output-format") },
	mypy: {
		...flags("--pretty --show-error-codes --no-error-summary --show-column-numbers --show-error-context"),
		...valued("--cache-dir"),
	},
	mvn: {
		...flags(
			"-B -q -e -X -o -U -ntp -fae -ff -fn -nsu --batch-mode --errors --offline --no-transfer-progress --update-snapshots --fail-at-end clean",
		),
		...valued("-T -l"),
	},
	gradle: {
		...flags(
			"-q -i -s -S -d --info --stacktrace --full-stacktrace --warn --no-daemon --daemon --parallel --rerun-tasks --continue --build-cache --no-build-cache --offline",
		),
		...valued("--console --max-workers"),
	},
	make: { ...flags("-s -k -B -i --no-print-directory --keep-going --always-make --trace"), ...valued("-O -l") },
	ninja: { ...flags("-v -d"), ...valued("-k -l") },
	cmake: { ...flags("--parallel -v"), ...valued("-j") },
	rspec: { ...flags("-b -c -w --backtrace --profile"), ...valued("-f --format --order -o --out --profile") },
	dotnet: {
		...flags("--nologo --no-restore --no-build --tl:off"),
		...valued("-v --verbosity --logger -l --results-directory -m"),
	},
	npm: flags("-s --if-present --no-audit --no-fund"),
	pnpm: flags("-s --if-present --stream --aggregate-output"),
	yarn: flags("-s"),
	bun: flags("--if-present"),
	rails: flags("-v -b"),
	phpunit: flags("--testdox --no-progress -v"),
	git: { ...flags("-q -v --no-verify --no-edit"), ...valued("-m -F --message") },
	gh: valued("-b -t -F --body --title --notes --body-file --notes-file"),
};
/** Wrapper scripts share the options of the program they wrap. */
const SAME: Readonly<Record<string, string>> = {
	"py.test": "pytest",
	"./mvnw": "mvn",
	mvnw: "mvn",
	"./gradlew": "gradle",
	gradlew: "gradle",
	gmake: "make",
};

function roleOf(word: string, tool: string, options: Options): "flag" | "value" | null {
	const own = TOOLS[ownValue(SAME, tool) ?? ""] ?? options;
	const at = word.indexOf("=");
	const name = word.startsWith("-") && at > 0 ? word.slice(0, at) : word;
	const listed = ownValue(own, name) ?? ownValue(ANY, name);
	if (listed !== undefined) return at > 0 ? "flag" : listed;
	if (/^-j\d*$/.test(word)) return word === "-j" ? "value" : "flag";
	if (tool === "pytest" && /^-(r[a-zA-Z]+|n\d+|[qv]+)$/.test(word)) return "flag";
	if (tool === "make" && /^(V|VERBOSE|Q)=/.test(word)) return "flag";
	if (tool === "dotnet" && /^(-|\/)(v|verbosity|m|nologo|clp):?/.test(word) && word.includes(":")) return "flag";
	if (/^-D(style\.color|surefire\.(useFile|print|trim|rerun)|maven\.|trimStackTrace)/.test(word)) return "flag";
	if (/^-T\d/.test(word) && tool.includes("mvn")) return "flag";
	if (tool === "vitest" && /^--poolOptions/.test(word)) return "flag";
	if (tool === "go" && /^--?test\./.test(word)) return "flag";
	return null;
}

function takesNext(next: string | undefined): boolean {
	return next !== undefined && !(next.startsWith("-") && next.length > 1 && !/^-\d/.test(next));
}

/** One spelling for equal commands: `npm run test`, `npm t`; `vitest run`; `yarn run x`. */
function sameSpelling(words: readonly string[]): readonly string[] {
	const [name, verb] = words;
	if (name === "npm" || name === "pnpm") {
		if (verb === "t" || verb === "tst") return [name, "test", ...words.slice(2)];
		if ((verb === "run" || verb === "run-script") && words[2] === "test") return [name, ...words.slice(2)];
		if (verb === "run-script") return [name, "run", ...words.slice(2)];
	}
	if (name === "yarn" && verb === "run") return [name, ...words.slice(2)];
	if (name === "vitest" && verb === "run") return [name, ...words.slice(2)];
	if (name === "py.test") return ["pytest", ...words.slice(1)];
	return words;
}
