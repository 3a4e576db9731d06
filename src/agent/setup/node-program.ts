import { realPath } from "../../base/file/regular-file.ts";
import { NODE_PROGRAM } from "../live/command-process.ts";
import { findProgram } from "./find-program.ts";

/** The Node that runs now, by the link on the PATH that leads to it: an update may replace the program behind the link. */
export function nodeProgram(env: NodeJS.ProcessEnv): string {
	const linked = findProgram("node", env);
	return linked !== undefined && realPath(linked) === realPath(NODE_PROGRAM) ? linked : NODE_PROGRAM;
}
