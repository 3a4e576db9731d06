import { dirname } from "node:path";

interface Runner {
	readonly env: NodeJS.ProcessEnv;
	cwd(): string;
	chdir(folder: string): void;
}

/**
 * `npm --prefix FOLDER run weft` starts us in that folder. Paths are meant from where the user stands, and so is the
 * project. Whoever is started by us inherits npm's variables, but does not stand in its folder.
 */
export function followCaller(runner: Runner): void {
	const { INIT_CWD: caller, npm_lifecycle_event: script, npm_package_json: manifest } = runner.env;
	if (script !== "weft" || caller === undefined || manifest === undefined) return;
	if (runner.cwd() !== dirname(manifest) || caller === runner.cwd()) return;
	try {
		runner.chdir(caller);
	} catch {
		// A folder that is gone: we stay where we are.
	}
}
