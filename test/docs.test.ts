import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { stalePages } from "../scripts/docs.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: ROOT })];

test("the pages made from the code are up to date (npm run docs)", () => {
	assert.deepEqual(stalePages(), []);
});

test("every link between our pages leads somewhere", () => {
	const broken = PAGES.flatMap((page) =>
		[...readFileSync(join(ROOT, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
			.map((match) => join(dirname(page), match[1]!))
			.filter((target) => globSync(target, { cwd: ROOT }).length === 0)
			.map((target) => `${page} → ${target}`),
	);
	assert.deepEqual(broken, []);
});

test("every dependency has its sentence", () => {
	const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { dependencies: object };
	const page = readFileSync(join(ROOT, "docs", "dependencies.md"), "utf8");
	assert.deepEqual(
		Object.keys(dependencies).filter((name) => !page.includes(`\`${name}\``)),
		[],
	);
});

test("every room has its line in the page that draws them", () => {
	const page = readFileSync(join(ROOT, "docs", "architecture.md"), "utf8");
	const rooms = globSync("*/", { cwd: join(ROOT, "src") }).map((room) => room.replace(/\/?$/, "/"));
	assert.ok(rooms.length > 5);
	assert.deepEqual(
		rooms.filter((room) => !new RegExp(`^\\|.*[\`\\s]${room}`, "m").test(page)),
		[],
	);
});
