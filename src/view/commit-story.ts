/** Which session and turn made a commit, for people. */
import { type CommitMaker, commitMakers } from "../ask/commit-makers.ts";
import { readCommit } from "../ask/commit-text.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatMinute } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { Engine } from "../engine.ts";
import type { TextStyle } from "./text-style.ts";

export interface CommitStory {
	readonly commit: string;
	readonly subject: string;
	/** The likeliest first. */
	readonly sessions: readonly CommitMaker[];
}

const MAX_SHOWN = 3;
const MAX_WORDS_CHARS = 400;

export async function readCommitStory({ log, project, state }: Engine, name: string): Promise<CommitStory> {
	const commit = await readCommit(project.root, name);
	const known = Object.keys(state().state.files.files);
	const sessions = commitMakers({ log, within: "all", root: project.root, known }, commit);
	return { commit: commit.commit, subject: commit.subject, sessions };
}

export function* renderCommitStory({ commit, subject, sessions }: CommitStory, style: TextStyle): Generator<string> {
	yield style.paint("bold", oneLine(`${commit.slice(0, 12)} ${subject}`));
	if (sessions.length === 0) yield "No session of this project's log has its lines or its words.";
	for (const { session, host, share, ts, edit, asked, said } of sessions.slice(0, MAX_SHOWN)) {
		yield "";
		const how = edit === null ? "by its words" : `${Math.round(share * 100)} % of the evidence`;
		yield oneLine(`${host} session ${session}, ${formatMinute(ts)}, ${how}${edit === null ? "" : ` [${edit}]`}`);
		for (const [who, words] of [["you asked", asked] as const, ["the agent said", said] as const]) {
			if (!words) continue;
			const text = oneLine(words.text).slice(0, MAX_WORDS_CHARS).toWellFormed();
			yield* wrapWords(`  ${who} [${words.handle}]: ${text}`, style.columns, "    ");
		}
	}
}
