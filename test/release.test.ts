/** What is published: the fields that registries and galleries read. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { type PackageManifest, problemsOf, publishedManifest, serverManifest } from "../scripts/publish.ts";
import { nodeProblem } from "../src/show/cli/node-process.ts";

const ROOT = join(import.meta.dirname, "..");
const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as PackageManifest & {
	readonly engines: { readonly node: string };
	readonly exports: Readonly<Record<string, string>>;
	readonly keywords: readonly string[];
};

/** What the MCP registry's schema of 2025-12-11 asks of an entry like ours. */
const SERVER = Type.Object(
	{
		$schema: Type.Literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
		name: Type.String({ pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", minLength: 3, maxLength: 200 }),
		title: Type.String({ minLength: 1, maxLength: 100 }),
		description: Type.String({ minLength: 1, maxLength: 100 }),
		version: Type.String({ pattern: "^\\d+\\.\\d+\\.\\d+", maxLength: 255 }),
		repository: Type.Object({ url: Type.String({ pattern: "^https://" }), source: Type.Literal("github") }),
		packages: Type.Array(
			Type.Object({
				registryType: Type.Literal("npm"),
				identifier: Type.String(),
				version: Type.String({ pattern: "^\\d+\\.\\d+\\.\\d+" }),
				runtimeHint: Type.Literal("npx"),
				transport: Type.Object({ type: Type.Literal("stdio") }),
				packageArguments: Type.Array(Type.Object({ type: Type.Literal("positional"), value: Type.String() })),
			}),
			{ minItems: 1 },
		),
	},
	{ additionalProperties: false },
);

test("the entry for the MCP registry fits its schema, and the package names the same server", () => {
	const server = serverManifest(MANIFEST, "someone/weft");
	assert.deepEqual([...Value.Errors(SERVER, server)], []);
	assert.equal(publishedManifest(MANIFEST, "someone/weft")["mcpName"], (server as { name: string }).name);
});

test("what is published has a repository, a picture for Pi's gallery, and nothing of development", () => {
	const published = publishedManifest(MANIFEST, "someone/weft");
	assert.deepEqual(published["repository"], { type: "git", url: "git+https://github.com/someone/weft.git" });
	assert.match(String(published.pi["image"]), /^https:.*inspector-light\.png$/);
	assert.ok(existsSync(join(ROOT, "docs/pictures/inspector-light.png")));
	assert.deepEqual([published["scripts"], published["devDependencies"]], [undefined, undefined]);
	assert.deepEqual(published["dependencies"], MANIFEST["dependencies"]);
	for (const keyword of ["pi-package", "openclaw-plugin"]) assert.ok(MANIFEST.keywords.includes(keyword));
});

test("the package asks for the Node that the command asks for", () => {
	const [, needed = ""] = /^>=(\d+\.\d+)$/.exec(MANIFEST.engines.node) ?? [];
	const [major = 0, minor = 0] = needed.split(".").map(Number);
	assert.equal(nodeProblem(`${needed}.0`), undefined);
	assert.match(nodeProblem(`${major}.${minor - 1}.9`) ?? "", new RegExp(`Node ${needed} or newer`));
});

test("a checkout with changes, or without its section in the changelog, is not published", () => {
	assert.deepEqual(problemsOf("1.2.3", "## [1.2.3] - 2026-11-18\n", true), []);
	assert.equal(problemsOf("1.2.3", "## [Unreleased]\n", false).length, 2);
});

interface PiChangelog {
	parseChangelog(path: string): readonly { readonly content: string }[];
}

test("Pi, which shows the changelog after an update, finds this version's section, of at most 120 lines", async () => {
	const path = join(ROOT, "node_modules/@earendil-works/pi-coding-agent/dist/utils/changelog.js");
	const { parseChangelog } = (await import(pathToFileURL(path).href)) as PiChangelog;
	const [newest = { content: "" }] = parseChangelog(join(ROOT, String(MANIFEST.pi["changelogPath"])));
	assert.equal(/^## \[(.*?)\]/.exec(newest.content)?.[1], MANIFEST["version"]);
	assert.ok(newest.content.split("\n").length <= 120, `${newest.content.split("\n").length} lines`);
});
