/** The shipped session in a log of its own, in a temporary folder. */

import { fileURLToPath } from "node:url";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { Log } from "../../src/log/log.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";

export const DEMO_SESSION = fileURLToPath(new URL("../../demo/session.jsonl", import.meta.url));

export interface DemoLog {
	readonly log: Log;
	remove(): void;
}

export async function demoLog(): Promise<DemoLog> {
	const folder = temporaryFolder();
	const log = new Log({ folder, origin: "here" });
	await importFile(DEMO_SESSION, { readers: READERS, logFor: () => log });
	return {
		log,
		remove() {
			log.close();
			removeFolder(folder);
		},
	};
}
