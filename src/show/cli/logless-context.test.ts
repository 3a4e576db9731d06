import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LoglessContext } from "./logless-context.ts";

test("a server that the project's .env file names is none of weft's, and is still there for the programs that weft starts", (t) => {
	const cwd = mkdtempSync(join(tmpdir(), "weft-context-"));
	t.after(() => rmSync(cwd, { recursive: true, force: true }));
	writeFileSync(join(cwd, ".env"), "PGHOST=db.example\n");
	const env = { PATH: "/bin", PGHOST: "db.example", PGUSER: "ann", WEFT_HOME: join(cwd, "home") };
	const context = new LoglessContext({}, { env, cwd });
	const { PGHOST: _, ...own } = env;
	assert.deepEqual(context.env, own);
	assert.deepEqual(context.wholeEnv, env);
});
