#!/usr/bin/env node
import module from "node:module";
import { followCaller, nodeProblem, silenceSqliteWarning } from "./node-process.ts";

const problem = nodeProblem(process.versions.node);
if (problem) {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 1;
} else {
	// A hook starts for each tool call, so compiled code is cached between runs.
	module.enableCompileCache();
	silenceSqliteWarning(process);
	followCaller(process);
	const [, program = "", ...args] = process.argv;
	// Not static imports: on an older Node they would fail with a stack trace.
	const isResidentHook = args.at(-2) === "hook" && args.at(-1) === "codex";
	if (!isResidentHook || !(await (await import("./pass-to-resident.ts")).passToResident(program, args))) {
		const { run } = await import("./run.ts");
		process.exitCode = await run(args);
	}
}
