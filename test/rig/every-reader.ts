/** Asks a project's log everything that people, hosts and commands ask of it. Throws where one of them does. */

import { pricesOf } from "../../src/base/tokens/prices.ts";
import { reportCache } from "../../src/context/cache/cache-report.ts";
import { ledgerFold } from "../../src/context/cache/ledger.ts";
import { MODES } from "../../src/context/moment.ts";
import { lookAt } from "../../src/context/request-at.ts";
import type { Engine } from "../../src/engine.ts";
import { type VerifyReport, verify } from "../../src/log/repair/verify.ts";
import { archiveLines } from "../../src/log/retention/archive.ts";
import { prune } from "../../src/log/retention/prune.ts";
import { agentSessions } from "../../src/state/session/find-session.ts";
import { lcmDescribe } from "../../src/tool/describe.ts";
import { lcmExpand } from "../../src/tool/expand.ts";
import { lcmGrep } from "../../src/tool/grep.ts";
import { renderText } from "../../src/view/envelope.ts";
import { readEvent, readEventText } from "../../src/view/event.ts";
import { gist } from "../../src/view/event-gist.ts";
import { sessionEntries, sessionMarkdown } from "../../src/view/export.ts";
import { readFileStory } from "../../src/view/file-story.ts";
import { viewState } from "../../src/view/state.ts";
import { viewStats } from "../../src/view/stats.ts";
import { readStatus } from "../../src/view/status.ts";

const WINDOW_TOKENS = 40_000;
const PAGE = { raw: false, offset: 0, limit: 2_000 };

export async function askEverything(engine: Engine, of: { session: string; host: string }): Promise<VerifyReport> {
	const { log, history, settings, project } = engine;
	viewState(engine.state());
	viewState(engine.stateAt(log.newestSeq()));
	for (const record of log.read({ everything: true })) gist(record);
	readStatus(log);
	viewStats(log, history);
	for (const path of filesOf(engine)) await readFileStory(engine, path, project.root);
	for (const mode of MODES) {
		const look = await lookAt(log.newestSeq(), {
			log,
			history,
			session: of,
			mode,
			settings: {
				mode,
				window: WINDOW_TOKENS,
				profile: settings.profile,
				warpPer: settings.warpPer,
				budget: undefined,
			},
			summaries: { leafChunkTokens: 2_000, condensationThreshold: 4, maxDepth: 3 },
			stateAt: (seq) => engine.stateAt(seq).state,
		});
		renderText(look.envelope);
		engine.explain({ ...of, mode, window: WINDOW_TOKENS });
		await engine.assemble({ ...of, mode, window: WINDOW_TOKENS });
	}
	const ledger = ledgerFold.initial();
	for (const record of log.read({ types: ["Request", "Message"] })) ledgerFold.step(ledger, record);
	reportCache(ledger, (model) => pricesOf(model));
	log.search.catchUp();
	log.search.find({ text: "word" });
	const tool = { history, session: of, scope: engine.scope(of), now: 0 };
	await lcmGrep.run(tool, { query: "word" });
	await lcmDescribe.run(tool, {});
	await engine.compact({ session: of });
	for (const row of agentSessions(log)) {
		for (const _ of sessionEntries(log, row.session));
		for await (const _ of sessionMarkdown(log, row, async (text) => text));
	}
	for (const _ of archiveLines(log, log.readStored()));
	await prune(log, { now: Date.now(), apply: false });
	for (let seq = 1; seq <= log.newestSeq(); seq++) {
		log.get(seq);
		log.rawText(seq);
		const handle = log.handleAt(seq);
		if (handle !== undefined) await lcmExpand.run(tool, { summary_id: handle });
		if (log.getStored(seq)?.lost === undefined) readEventText(log, readEvent(log, String(seq)), PAGE);
	}
	return verify(log);
}

function filesOf({ log }: Engine): Set<string> {
	const paths = [...log.read({ types: ["FileRead", "FileChanged"] })].map(({ payload }) => String(payload["path"]));
	return new Set(paths.filter((path) => path !== ""));
}
