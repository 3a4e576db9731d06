/** A program on disk that answers like an agent, with its settings and a data folder for weft. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentSetup } from "../../src/agent/setup/contract.ts";
import { removeFolder, temporaryFolder } from "./temporary-folder.ts";

export const WEFT = ["/opt/weft it", "main.js"] as const;

/** `more`: lines of its shell script before it prints its version. */
export function installFakeAgent(
	t: TestContext,
	agent: AgentSetup,
	files: Readonly<Record<string, string>>,
	more = "",
) {
	const folder = temporaryFolder();
	t.after(() => removeFolder(folder));
	const program = join(folder, "bin", agent.name);
	mkdirSync(dirname(program));
	writeFileSync(program, `#!/bin/sh\n${more}\necho "${agent.name} ${agent.tested[0]}"\n`);
	chmodSync(program, 0o755);
	const env = {
		PATH: join(folder, "bin"),
		HOME: folder,
		CODEX_HOME: join(folder, "codex"),
		XDG_CONFIG_HOME: join(folder, "config"),
	};
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
	const found = agent.find(env)!;
	const options = { weft: WEFT, dataHome: join(folder, "weft"), env };
	const read = (name: string) => readFileSync(join(folder, name), "utf8");
	return { folder, env, found, options, read, home: options.dataHome };
}
