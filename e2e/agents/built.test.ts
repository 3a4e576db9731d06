/** The command line as it is built: in parts, each loaded when a command needs it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PARTS = new URL("../../dist/parts/", import.meta.url);

test("every part of the built command line loads", () => {
	const parts = readdirSync(fileURLToPath(PARTS)).map((name) => new URL(name, PARTS).href);
	assert.ok(parts.length > 50, "a command loads what it needs, not all");
	const script = `for (const part of ${JSON.stringify(parts)}) await import(part); console.log("all");`;
	const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
	assert.equal(said, "all\n");
});

test("the package holds each thing once, and no tests", () => {
	const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
		cwd: fileURLToPath(new URL("../..", import.meta.url)),
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
	});
	const [{ files, unpackedSize }] = JSON.parse(output) as [
		{ readonly files: readonly { readonly path: string }[]; readonly unpackedSize: number },
	];
	const paths = files.map(({ path }) => path);
	assert.deepEqual(
		paths.filter((path) => path.startsWith("src/") || /\.test\.|^(?:test|e2e|bench|scripts)\//.test(path)),
		["src/agent/pi/index.ts"],
	);
	for (const needed of [
		"dist/THIRD-PARTY-LICENSES",
		"dist/agent/openclaw/plugin.js",
		"dist/index.js",
		"dist/pi/installed-entry.js",
		"dist/show/cli/main.js",
		"dist/show/inspector/page/page.js",
		"dist/show/inspector/server/replay-worker.js",
		"dist/types/index.d.ts",
		"openclaw.plugin.json",
		"plugin/weft-hook.sh",
		"plugin/weft-mcp.pl",
		"plugin/weft-start.sh",
	])
		assert.ok(paths.includes(needed), needed);
	assert.ok(unpackedSize < 9_000_000, `${unpackedSize} bytes; the bound with all dependencies is 20 MB on disk`);
});
