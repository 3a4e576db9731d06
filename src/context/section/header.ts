/** The header: repository and intent; the footer: how to get what was left out. Always present. */

import { formatCount, plural } from "../../base/text/bytes.ts";
import { cutToBytes } from "../../base/text/cut.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { getRecent } from "../../log/fold/keyed.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import { SEED_OPENING, TALK_OPENING } from "../../message/seed-opening.ts";
import type { SessionThread } from "../../state/thread/thread.ts";
import { baseName } from "../../state/work/project-path.ts";
import type { RepoState } from "../../state/work/repo-fold.ts";
import type { WorkState } from "../../state/work/work-state.ts";
import { type ContextItem, makeSection, type Section, type SectionStyle, tokensOf } from "./section.ts";

const NAME_BYTES = 120;
const MAX_INTENT_BYTES = 1_600;
const INTENT_SHARE = 0.15;

/** A seed is frozen while messages follow it. */
const SEED_MOMENT = " Messages below are newer: where they differ, they count.";
const SEED_TOOLS =
	" Earlier messages are not lost: lcm_grep finds them, lcm_expand with a handle gives them back whole.";
const WARP_OPENING = "[WARP ENGINE CONTEXT]";
const WARP_END = "[END WARP ENGINE CONTEXT; what was left out: lcm_expand with a handle, lcm_grep with words]";
const WARP_END_WITHOUT_TOOLS = "[END WARP ENGINE CONTEXT]";

export function renderSeedHeader({ repo, files }: WorkState, name: string, style: SectionStyle): Section {
	// Talk: no file was read or changed, and the folder is no repository that is known.
	if (!repo.map && files.count === 0) return makeSection("header", [seedOpening(style)], []);
	const [line, item] = repository(repo, name);
	return makeSection("header", [seedOpening(style), "", line], [item]);
}

/** The first line of a seed. */
export function seedOpening({ namesTools }: Pick<SectionStyle, "namesTools">, opening = SEED_OPENING): string {
	return `${opening}${SEED_MOMENT}${namesTools ? SEED_TOOLS : ""}`;
}

export function renderTalkHeader(style: SectionStyle): Section {
	return makeSection("header", [seedOpening(style, TALK_OPENING)], []);
}

export function renderWarpHeader(
	state: WorkState,
	session: string | null,
	repositoryName: string | undefined,
	{ budget, window }: { readonly budget: number; readonly window?: number | undefined },
): Section {
	const info = session === null ? undefined : getRecent(state.sessions.sessions, session);
	const [line, item] = repository(state.repo, repositoryName ?? folderName(info?.root ?? info?.cwd ?? ""));
	const wanted = session === null ? undefined : getRecent(state.intent.sessions, session)?.current;
	const most = Math.min(MAX_INTENT_BYTES, Math.floor(bytesOfTokens(budget) * INTENT_SHARE));
	const whole = wordsInLine(wanted?.text ?? "");
	const intent = wanted ? `Intent: "${cutToBytes(whole, most)}"` : "Intent: none given yet";
	const why = Buffer.byteLength(whole) > most ? "always; cut to its share" : "always";
	const room = `${BUDGET}${formatCount(budget)} tokens${window === undefined ? "" : ` of a window of ${formatCount(window)}`}`;
	const items = [item, headerItem("intent", intent, wanted?.handle, why), headerItem("budget", room)];
	return makeSection("header", [WARP_OPENING, line, intent, room], items);
}

const BUDGET = "Budget of this text: ";

/** The budget of a warp context, from its header; undefined: the text is not one. */
export function readWarpBudget(text: string): number | undefined {
	if (!text.startsWith(WARP_OPENING)) return undefined;
	const line = text.split("\n", 4).find((each) => each.startsWith(BUDGET));
	const count = line && /^[\d,]+/.exec(line.slice(BUDGET.length))?.[0];
	return count ? Number(count.replaceAll(",", "")) : undefined;
}

export function renderFooter({ namesTools }: SectionStyle): Section {
	const end = namesTools ? WARP_END : WARP_END_WITHOUT_TOOLS;
	return makeSection("footer", [end], [headerItem("footer", end)]);
}

/** `Repository: tidepool (4be1c0f, 7 files)` */
function repository({ map }: RepoState, name: string): [line: string, item: ContextItem] {
	const about = map ? ` (${map.head?.slice(0, 7) ?? "no commit"}, ${plural(map.files, "file")})` : "";
	const line = `Repository: ${cutToBytes(wordsInLine(name), NAME_BYTES)}${about}`;
	return [line, headerItem("repository", line, map?.handle)];
}

/** A worktree inside the repository has a name of its own. */
const WORKTREE = /\/(?:\.?worktrees|\.git\/wt|\.claude\/worktrees)\/.*$/;

export function folderName(folder: string): string {
	const path = folder.replaceAll("\\", "/").replace(/\/+$/, "").replace(WORKTREE, "");
	return baseName(path) || folder || "unknown";
}

const REMOTE =
	/https?:\/\/[^\s/]+\/(?:[\w.-]+\/)+?([\w.-]+)\/(?:-\/)?(?:pull|pulls|merge_requests|pull-requests|releases)\//;

/** The name in the address of the newest pull request or release; undefined: none was made. */
export function remoteName(thread: SessionThread | undefined): string | undefined {
	const texts = thread?.orders.flatMap(({ proofs }) => proofs.map(({ text }) => text)) ?? [];
	return texts.flatMap((text) => REMOTE.exec(text)?.[1] ?? []).at(-1);
}

function headerItem(id: string, line: string, handle?: string, why = "always"): ContextItem {
	return { id, kind: "header", tokens: tokensOf([line]), why, included: true, handle };
}
