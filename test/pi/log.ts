import { openEngine } from "../../src/engine.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { ReadQuery } from "../../src/log/types.ts";
import type { PiWorkspace } from "../rig/workspace.ts";

export function readLog({ project, home }: PiWorkspace, query: ReadQuery = {}): EventRecord[] {
	const engine = openEngine({ cwd: project, host: "test", home, env: {}, readOnly: true });
	try {
		return [...engine.log.read(query)];
	} finally {
		engine.close();
	}
}
