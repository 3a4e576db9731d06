#!/usr/bin/env node
import module from "node:module";
import { followCaller } from "./caller.ts";
import { supportedNode } from "./node-version.ts";
import { silenceSqliteWarning } from "./quiet.ts";

const problem = supportedNode(process.versions.node);
if (problem) {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 1;
} else {
	// What was compiled once is read the next time, as Node keeps it: a hook starts for each call of a tool.
	module.enableCompileCache();
	silenceSqliteWarning(process);
	followCaller(process);
	// Loaded only now: on an older Node its imports would fail with a stack trace.
	const { run } = await import("./run.ts");
	process.exitCode = await run(process.argv.slice(2));
}
