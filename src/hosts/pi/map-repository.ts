/** What the repository holds, written down once per session where it is news. Beside the work: nobody waits for it. */
import { readRepoMap } from "../../git/repo-map.ts";
import type { LiveSession } from "./live-session.ts";

export async function mapRepository(live: LiveSession, signal: AbortSignal): Promise<void> {
	const { engine, session } = live;
	if (live.mode() === "off") return;
	const map = await readRepoMap(engine.project.root, { signal });
	if (!map || signal.aborted) return;
	const known = engine.state().repo.map;
	if (known && known.head === map.head && known.files === map.files) return;
	engine.record([{ type: "RepoMap", ...session, payload: { ...map } }]);
}
