/**
 * Bytes that an edit tool damages by itself. Such tools read a file as UTF-8 and write all of it back: a letter in another
 * encoding becomes U+FFFD, and in some agents mixed line ends become one kind. The guard refuses such a call with the way to
 * do it, and if it runs after all, a note has the handle of the file as it was.
 */
import { quoteWord } from "../base/shell/quote-word.ts";
import { projectRoot } from "../log/home.ts";
import type { ToolClass } from "../state/session/tool-class.ts";
import type { Aftermath } from "./aftermath.ts";
import { locate, type Target, targetsOf } from "./call.ts";
import { fragilityOf } from "./disk.ts";
import type { World } from "./judge.ts";
import type { Keeper, Keeping } from "./keeper.ts";
import { writtenText } from "./own-text.ts";
import { renderWayBack } from "./rewind/request.ts";
import type { GuardCall, Outcome, VerdictPayload } from "./types.ts";
import { lookOf, object, warn } from "./verdict.ts";
import { blocksInRow } from "./verdict-fold.ts";

const REPLACEMENT = "\uFFFD";

/** Undefined: the call leaves the file's other bytes as they are. `how`: a write of the whole file brings its own. */
export function objectToDamage(
	call: GuardCall,
	target: Target,
	how: "edit" | "write",
	world: World,
): Outcome | undefined {
	const digest = world.files.digest(target.absolute);
	if (digest.kind !== "digest" || digest.fragility === undefined) return undefined;
	const why = digest.fragility;
	if (why === "line ends" && (how === "write" || !world.powers?.unifiesLineEnds)) return undefined;
	// A whole text without the mark of a lost letter is meant as it is.
	if (how === "write" && !writtenText(call, target)?.includes(REPLACEMENT)) return undefined;
	const found: Partial<VerdictPayload> = lookOf(digest, undefined);
	const streak = { path: target.path, rule: "keep-bytes", hash: found.hash };
	// It was refused once. A note after the call says what it did.
	if (blocksInRow(world.state.verdicts, call, streak) > 0) return undefined;
	const reason = why === "encoding" ? renderEncoding(target.path) : renderLineEnds(target.path);
	return object(call, { rule: "keep-bytes", reason, target, found }, world);
}

function renderEncoding(path: string): string {
	const file = quoteWord(path);
	return (
		`${path} is not UTF-8 (perhaps Latin-1). This tool would turn each letter beyond ASCII into ${REPLACEMENT} for good. ` +
		`Nothing was written. Change it with a command that keeps bytes, such as LC_ALL=C sed -i 's/old/new/' ${file}, ` +
		`or convert it first: iconv -f latin1 -t utf-8 ${file} > converted && mv converted ${file}. The same call again passes.`
	);
}

function renderLineEnds(path: string): string {
	return (
		`${path} has lines that end in CRLF and lines that end in LF. This tool would give them all one end, a change of lines ` +
		`that you did not mean. Nothing was written. Change it with a command that keeps them, such as sed -i or a script. ` +
		"The same call again passes."
	);
}

/** Keeps the files that the tool may damage. Undefined: there are none. */
export function keepFragileFiles(
	call: GuardCall,
	of: ToolClass,
	keeper: Keeper,
	{ files }: World,
): Keeping | undefined {
	const fragile = targetsOf(call, of).flatMap(({ absolute, isOverwritten }) => {
		const digest = files.digest(absolute);
		const why = digest.kind === "digest" ? digest.fragility : undefined;
		// A whole text has the line ends that it is given.
		const isKept = why === "encoding" || (why === "line ends" && of !== "write" && !isOverwritten);
		return isKept ? [absolute] : [];
	});
	return fragile.length === 0 ? undefined : keeper.keepFiles(call, fragile, "run", true);
}

/** After a change: files whose other bytes the tool has damaged, each with the way back. */
export function noteDamagedFiles(
	call: GuardCall,
	keepings: readonly Keeping[],
	world: World,
): Pick<Aftermath, "notes" | "events"> {
	const { files, keeper, settings, now } = world;
	const outcomes = keepings
		.filter(({ isAll }) => !isAll)
		.flatMap(({ root, files: kept }) => [...kept.values()].map((version) => ({ root, version })))
		.flatMap(({ root, version }) => {
			const target = locate(locate(version.path, root).absolute, call.cwd);
			const before = keeper?.bytesOf(version);
			const after = files.read(target.absolute);
			const what = before && after.kind === "bytes" ? renderDamage(target.path, before, after.bytes) : undefined;
			if (what === undefined) return [];
			const handle = `The file as it was: lcm_expand("b-${version.hash?.slice(0, 12)}").`;
			const place = { cwd: call.cwd, root: projectRoot(call.cwd) };
			const back = `To bring it back: ${renderWayBack([target.path], keeper?.momentOf(root) ?? 0, place)} --yes`;
			return [
				warn(call, { rule: "keep-bytes", reason: `${what} ${handle} ${back}`, target }, settings.policyMode, now),
			];
		});
	return {
		notes: outcomes.flatMap((outcome) => (outcome.action === "pass" ? outcome.notes : [])),
		events: outcomes.flatMap(({ events }) => events),
	};
}

function renderDamage(path: string, before: Buffer, after: Buffer): string | undefined {
	const mark = Buffer.from(REPLACEMENT);
	if (fragilityOf(before) === "encoding") {
		const isDamaged = after.includes(mark) && !before.includes(mark);
		return isDamaged ? `This call turned letters of ${path} that are not UTF-8 into ${REPLACEMENT}.` : undefined;
	}
	return changesLineEnds(before, after)
		? `This call gave all lines of ${path} one line end; before, they had CRLF and LF.`
		: undefined;
}

/** A line that is in both has another end now. */
function changesLineEnds(before: Buffer, after: Buffer): boolean {
	const now = lineEnds(after);
	return [...lineEnds(before)].some(([line, end]) => {
		const other = now.get(line);
		return end !== "both" && other !== undefined && other !== "both" && other !== end;
	});
}

function lineEnds(bytes: Buffer): Map<string, "crlf" | "lf" | "both"> {
	const ends = new Map<string, "crlf" | "lf" | "both">();
	for (const line of bytes.toString("latin1").split("\n").slice(0, -1)) {
		const end = line.endsWith("\r") ? "crlf" : "lf";
		const text = end === "crlf" ? line.slice(0, -1) : line;
		ends.set(text, (ends.get(text) ?? end) === end ? end : "both");
	}
	return ends;
}
