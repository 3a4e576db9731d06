import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { nodeCandidates } from "./fitting-node.ts";

test("the Node that weft was installed with comes first, then the PATH, then version managers, the newest first", (t) => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "weft-nodes-")));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const file = (name: string) => {
		const path = join(root, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, "");
		return path;
	};
	const own = file("prefix/bin/node");
	const program = file("prefix/lib/node_modules/weft-context/dist/show/cli/main.js");
	const onPath = [file("a/node"), file("b/node")];
	const old = file(".nvm/versions/node/v9.1.0/bin/node");
	const newer = file(".nvm/versions/node/v24.2.0/bin/node");
	const volta = file(".volta/tools/image/node/22.20.0/bin/node");
	const env = { HOME: root, PATH: [join(root, "a"), join(root, "none"), join(root, "b")].join(":") };
	assert.deepEqual(nodeCandidates(program, env), [own, ...onPath, newer, old, volta]);
});
