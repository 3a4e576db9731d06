#!/usr/bin/env node
import module from "node:module";
import { followCaller, nodeProblem, ownCacheFolder, silenceSqliteWarning } from "./node-process.ts";

const [, program = "", ...args] = process.argv;
const problem = nodeProblem(process.versions.node);
if (problem) {
	const { runByFittingNode } = await import("./fitting-node.ts");
	const code = await runByFittingNode(program, args);
	if (code === undefined) process.stderr.write(`${problem}\n`);
	process.exitCode = code ?? 1;
} else {
	// A hook starts for each tool call, so compiled code is cached between runs.
	const compiled = ownCacheFolder();
	if (compiled !== undefined) module.enableCompileCache(compiled);
	silenceSqliteWarning(process);
	followCaller(process);
	// Not static imports: on an older Node they would fail with a stack trace.
	const { startQuickly } = await import("./quick-start.ts");
	if (!(await startQuickly(program, args))) {
		const { run } = await import("./run.ts");
		process.exitCode = await run(args);
	}
}
