#!/usr/bin/env node
import module from "node:module";
import { followCaller, nodeProblem, ownCacheFolder, silenceSqliteWarning } from "./node-process.ts";

const problem = nodeProblem(process.versions.node);
if (problem) {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 1;
} else {
	// A hook starts for each tool call, so compiled code is cached between runs.
	const compiled = ownCacheFolder();
	if (compiled !== undefined) module.enableCompileCache(compiled);
	silenceSqliteWarning(process);
	followCaller(process);
	const [, program = "", ...args] = process.argv;
	// Not static imports: on an older Node they would fail with a stack trace.
	const { startQuickly } = await import("./quick-start.ts");
	if (!(await startQuickly(program, args))) {
		const { run } = await import("./run.ts");
		process.exitCode = await run(args);
	}
}
