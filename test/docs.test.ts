import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { stalePages } from "../scripts/docs.ts";
import { COMMANDS } from "../src/show/cli/catalogue.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = [
	"README.md",
	"CHANGELOG.md",
	"CONTRIBUTING.md",
	"examples/README.md",
	...globSync("docs/**/*.md", { cwd: ROOT }),
];
const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");

test("the pages made from the code are up to date (npm run docs)", () => {
	assert.deepEqual(stalePages(), []);
});

test("every link between our pages leads somewhere", () => {
	const broken = PAGES.flatMap((page) =>
		[...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
			.map(([, path, heading]) => ({ target: path === "" ? page : join(dirname(page), path!), heading }))
			.filter(({ target, heading }) => !existsSync(join(ROOT, target)) || !hasHeading(target, heading))
			.map(({ target, heading }) => `${page} → ${target}${heading === undefined ? "" : `#${heading}`}`),
	);
	assert.deepEqual(broken, []);
});

function hasHeading(page: string, wanted: string | undefined): boolean {
	if (wanted === undefined) return true;
	const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, text]) => text!.toLowerCase());
	return headings.some((text) => text.replace(/[^\w\s-]/g, "").replace(/\s/g, "-") === wanted);
}

test("every file that a page names is there", () => {
	const missing = PAGES.flatMap((page) =>
		[...read(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|md))`/g)]
			.map(([, path]) => path!)
			.filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, "src", path)))
			.map((path) => `${page}: ${path}`),
	);
	assert.deepEqual(missing, []);
});

test("every row of who can do what names tests that are there", () => {
	const table = read("docs/security.md").split("## Who can do what")[1]?.split("\n## ")[0] ?? "";
	const rows = table.split("\n").filter((line) => /^\| (?!who \||-)/.test(line) && !line.startsWith("|---"));
	assert.ok(rows.length >= 25, `${rows.length} rows`);
	const untested = rows.filter((row) => {
		const names = [...(row.split(" | ").at(-1) ?? "").matchAll(/`([\w./-]+)`/g)].map(([, name]) => name!);
		const files = names.map((name) => ["", "src/"].flatMap((at) => [`${at}${name}.test.ts`, `${at}${name}.attack.ts`]));
		return names.length === 0 || !files.every((found) => found.some((file) => existsSync(join(ROOT, file))));
	});
	assert.deepEqual(untested, []);
});

test("every claim of our sources names a test that is there", () => {
	const rows = read("docs/sources.md")
		.split("\n")
		.filter((line) => line.startsWith("| ") && !line.startsWith("| the document says"));
	assert.ok(rows.length >= 100, `${rows.length} rows`);
	const untested = rows.filter((row) => {
		const [, file = "-", title = "-"] = /\| `([\w./-]+)`: "(.*)" \|$/.exec(row) ?? [];
		if (!existsSync(join(ROOT, file))) return true;
		const titles = [...read(file).matchAll(/\b(?:test|describe|it)\(\s*(["'`])((?:(?!\1).)*)\1/g)].map(
			([, , own]) => own!,
		);
		// A short piece fits titles of other tests.
		return title.length < 15 || !titles.some((own) => own.includes(title));
	});
	assert.deepEqual(untested, []);
	const differing = rows.filter((row) => !row.includes(" | works | ")).length;
	assert.match(read("docs/sources.md"), new RegExp(`: ${rows.length - differing} rows\\s+work .* ${differing} differ`));
});

test("each arrow of memory's loop has a row, and each row a test of that name", () => {
	const loop = read("docs/memory.md").split("## The loop\n")[1]?.split("\n## ")[0] ?? "";
	const [, drawing = "", table = ""] = loop.split("```");
	const arrows = (drawing.match(/(?<=[─ ])\d(?=[─ ])/g) ?? []).map(Number).sort();
	assert.deepEqual(
		arrows,
		arrows.map((_, n) => n + 1),
	);
	const rows = table.split("\n").filter((line) => /^\| \d/.test(line));
	const named = rows.flatMap((row) => {
		const [, from = "", to] = /^\| (\d)(?: to (\d))?/.exec(row) ?? [];
		const listed = (/^\| ([\d, ]+) \|/.exec(row)?.[1] ?? from).split(", ").map(Number);
		return to === undefined ? listed : arrows.slice(Number(from) - 1, Number(to));
	});
	assert.deepEqual([...new Set(named)].sort(), arrows);
	const missing = rows.filter((row) => {
		const [, file = "", title = "-"] = /`([\w./-]+)`: "([^"]+)" \|$/.exec(row) ?? [];
		return !existsSync(join(ROOT, file)) || !['"', "`"].some((quote) => read(file).includes(`test(${quote}${title}`));
	});
	assert.deepEqual(missing, []);
});

test("every page answers one question and says what to do when it does not work", () => {
	const pages = PAGES.filter((page) => page.startsWith("docs/") && !/docs\/(?:README|troubleshooting)\.md$/.test(page));
	assert.ok(pages.length > 30);
	assert.deepEqual(
		pages.filter((page) => {
			const title = /^# .*$/m.exec(read(page))?.[0] ?? "";
			return !title.endsWith("?") || !/^## When it does not work\n\n\S/m.test(read(page));
		}),
		[],
	);
});

const GLOBAL_FLAGS = ["--json", "--home", "--project", "--trust", "--no-color", "--help", "--version"];

test("every command that a page shows is there, with its options", () => {
	const shown = [...PAGES, "SECURITY.md", "plugin/README.md"].flatMap((page) => {
		const text = read(page);
		const lines = [...text.matchAll(/```(?:sh)?\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.split("\n"));
		const inline = [...text.matchAll(/`(weft [^`\n]+)`/g)].map(([, command]) => command!);
		return [...lines.map((line) => line.replace(/^\$ /, "")), ...inline]
			.filter((line) => /^weft [a-z]/.test(line) && !SENTENCE.test(line))
			.map((line) => ({ page, line }));
	});
	assert.ok(shown.length > 300, `${shown.length} commands`);
	assert.deepEqual(
		shown.filter(({ line }) => !isCommand(line)).map(({ page, line }) => `${page}: ${line}`),
		[],
	);
});

/** Messages of weft that begin with its name. */
const SENTENCE = /^weft (?:needs|woven) /;

function isCommand(line: string): boolean {
	const [own = ""] = line.replace(/\s+#.*$/, "").split(/ (?:\||&&|>|--) /);
	const [, first = "", second = "", ...rest] = own.split(/\s+/);
	const find = (name: string) => COMMANDS.find((command) => command.name === name);
	const spec = find(`${first} ${second}`) ?? find(first);
	if (spec === undefined) return false;
	// The rest is for the program that it starts.
	if (spec.passesOn) return true;
	const known = Object.values(spec.options ?? {}).map(({ flags }) => /--[\w-]+/.exec(flags)?.[0]);
	const given = [second, ...rest].flatMap((word) => /^--[a-z][\w-]*/.exec(word) ?? []);
	return given.every((flag) => known.includes(flag) || GLOBAL_FLAGS.includes(flag));
}

test("every script that a page or the workflow runs is there", () => {
	const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Record<string, string> };
	const run = [...PAGES, ".github/workflows/ci.yml", ".github/workflows/publish.yml", ".ci/run"].flatMap((page) =>
		[...read(page).matchAll(/npm run (?:-s )?([\w:]+)(?: -- ([a-z][\w-]*))?/g)].map(([line, script = "", word]) => {
			const isThere =
				script === "weft" && word !== undefined
					? isCommand(`weft ${word}`)
					: script in scripts && (script !== "bench" || word === undefined || existsBench(word));
			return { isThere, line: `${page}: ${line}` };
		}),
	);
	assert.ok(run.length > 40, `${run.length} scripts`);
	assert.deepEqual(
		run.filter(({ isThere }) => !isThere).map(({ line }) => line),
		[],
	);
});

const existsBench = (name: string): boolean => new RegExp(`^\\t${name}:`, "m").test(read("bench/main.ts"));

test("README and the page on replay have the same figures", () => {
	const cells = (page: string, row: RegExp) =>
		(row.exec(read(page))?.[0] ?? "").split("|").map((cell) => cell.replaceAll("*", "").trim());
	const columns = ["all", "kept aside", "Claude Code", "Codex", "opencode", "Pi"];
	const readme = [
		/^\| cost of the input.*$/m,
		/^\| the same, with 3,000.*$/m,
		/^\| the same, plus the price.*$/m,
		/^\| edits whose.*$/m,
		/^\| the same, or in.*$/m,
		/^\| names used.*$/m,
	].map((row) => cells("README.md", row));
	const replay = read("docs/replay.md").split("On 48 shorter sessions")[1] ?? "";
	for (const [at, column] of columns.entries()) {
		const row = new RegExp(`^\\| ${column} \\| \\d+ \\|.*$`, "m").exec(replay)?.[0] ?? "";
		const figures = row.split("|").map((cell) => cell.trim());
		assert.deepEqual(
			readme.map((cell) => cell[at + 2]),
			figures.slice(3, 9),
			column,
		);
	}
	for (const price of ["0.1", "0.05", "0.025"]) {
		const [, , ...own] = cells("README.md", new RegExp(`^\\| ${price.replace(".", "\\.")} .*$`, "m"));
		const [, , , ...theirs] = cells("docs/replay.md", new RegExp(`^\\| ${price.replace(".", "\\.")} .*$`, "m"));
		assert.deepEqual(own, theirs, price);
	}
	const [, , edits] = readme[3] ?? [];
	const [, , atHand] = readme[4] ?? [];
	const limits = `${Number.parseInt(edits ?? "", 10)} of 100 edits still had\n  their old text in the prompt, and ${Number.parseInt(atHand ?? "", 10)} of 100`;
	assert.ok(read("docs/limits.md").includes(limits), limits);
	const [, , held = "-"] = cells("docs/replay.md", /^\| `woven` \|.*$/m);
	assert.ok(read("README.md").includes(`(2,930 calls) ${held} of the answers`), held);
});

test("the glossary has at most 30 words", () => {
	const rows = read("docs/glossary.md").match(/^\| (?!word )\w.*\|$/gm) ?? [];
	assert.ok(rows.length > 20 && rows.length <= 30, `${rows.length} words`);
});

test("every dependency has its sentence", () => {
	const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, object>;
	const page = read("docs/dependencies.md");
	assert.deepEqual(
		Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !page.includes(`\`${name}\``)),
		[],
	);
});

test("every room has its line in the page that draws them", () => {
	const page = read("docs/architecture.md");
	const rooms = globSync("*/", { cwd: join(ROOT, "src") }).map((room) => room.replace(/\/?$/, "/"));
	assert.ok(rooms.length > 5);
	assert.deepEqual(
		rooms.filter((room) => !new RegExp(`^\\|.*[\`\\s]${room}`, "m").test(page)),
		[],
	);
});

test("the index names every page by its question", () => {
	const index = read("docs/README.md");
	const pages = [...globSync("docs/*.md", { cwd: ROOT }), "docs/formats/README.md"].filter(
		(page) => page !== "docs/README.md",
	);
	const missing = pages.filter((page) => {
		const [, title = ""] = /^# (.*)$/m.exec(read(page)) ?? [];
		return (
			!title.endsWith("?") || !index.includes(`| ${title} | [`) || !index.includes(`](${page.slice("docs/".length)})`)
		);
	});
	assert.deepEqual(missing, []);
});

test("no page that one reads in one go has more than 200 lines", () => {
	const generated = ["docs/commands.md", "docs/events.md", "CHANGELOG.md"];
	const long = PAGES.filter((page) => !generated.includes(page) && read(page).split("\n").length > 201);
	assert.deepEqual(long, []);
});
