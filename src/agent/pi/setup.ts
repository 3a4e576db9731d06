/** Pi for one session, with weft as an extension. Pi installs weft itself: 'pi install npm:weft-context'. */
import { homedir } from "node:os";
import { join } from "node:path";
import { ownPath } from "../../base/file/package-file.ts";
import { readBounded } from "../../base/file/regular-file.ts";
import { parseObject } from "../../base/json/read.ts";
import { MAX_CONFIG_BYTES } from "../../settings/sources.ts";
import type { AgentProgram } from "../setup/contract.ts";
import { findProgram } from "../setup/find-program.ts";

const PACKAGE = "weft-context";

export const piProgram: AgentProgram = {
	name: "pi",
	title: "Pi",
	installsWeftBy: `pi install npm:${PACKAGE}`,
	installedBy: "npm install -g @earendil-works/pi-coding-agent",
	find(env) {
		const program = findProgram("pi", env);
		const folder = env["PI_CODING_AGENT_DIR"] || join(env["HOME"] || homedir(), ".pi", "agent");
		return program === undefined ? undefined : { program, version: undefined, folder };
	},
	headless: (task, args) => [...args, "-p", task],
	command(found, args, { env, home }) {
		// The TypeScript source even where weft is compiled: Pi loads it directly.
		const extension = ownPath("src", "agent", "pi", "index.ts");
		const load = isInstalled(found.folder) ? [] : ["-e", extension];
		return {
			file: found.program,
			args: [...load, ...args],
			env: home === undefined ? env : { ...env, WEFT_HOME: home },
		};
	},
};

/** Pi loads an installed package itself; a second copy would record everything twice. */
function isInstalled(folder: string): boolean {
	const reading = readBounded(join(folder, "settings.json"), MAX_CONFIG_BYTES);
	const settings = reading.kind === "bytes" ? parseObject(reading.bytes.toString("utf8")) : undefined;
	return JSON.stringify(settings?.["packages"] ?? []).includes(PACKAGE);
}
