import { dirname } from "node:path";

interface Runner {
	readonly env: NodeJS.ProcessEnv;
	cwd(): string;
	chdir(folder: string): void;
}

/**
 * `npm --prefix FOLDER run weft` starts weft in that folder, but the user means paths, and the project, from their own. A
 * program that weft starts inherits npm's variables without running in npm's folder, so the folder is checked too.
 */
export function followCaller(runner: Runner): void {
	const { INIT_CWD: caller, npm_lifecycle_event: script, npm_package_json: manifest } = runner.env;
	if (script !== "weft" || caller === undefined || manifest === undefined) return;
	if (runner.cwd() !== dirname(manifest) || caller === runner.cwd()) return;
	try {
		runner.chdir(caller);
	} catch {
		// The folder is gone: stay here.
	}
}
