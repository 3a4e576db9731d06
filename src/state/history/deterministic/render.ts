/** Renders facts in at most `maxTokens`: each section gets a share, and the next ones may use what it leaves. */
import { formatCount } from "../../../base/text/bytes.ts";
import { cutStart, cutWithEllipsis } from "../../../base/text/cut.ts";
import { bytesOfTokens } from "../../../base/tokens/estimate.ts";
import type { Passage } from "../../thread/thread.ts";
import type { CommandFacts, Facts, FileFacts } from "./facts.ts";

interface FactItem {
	readonly text: string;
	/** Follows the text even if that was cut: the end of a quote, a handle. */
	readonly end?: string | undefined;
	/** Its position in the output. Items are chosen in the order of the list. */
	readonly place: number;
}

interface FactSection {
	readonly title: string;
	readonly share: number;
	/** Between items. A line break gives each item its own line. */
	readonly joint: "\n" | "; " | ", ";
	readonly items: readonly FactItem[];
}

/** Room for "; +123 more". */
const MORE_BYTES = 16;

export function renderFacts(facts: Facts, maxTokens: number): string {
	const head = headLine(facts);
	const sections = sectionsOf(facts).filter(({ items }) => items.length > 0);
	const bodies = fill(sections, Math.max(0, bytesOfTokens(maxTokens) - byteLength(head)));
	return [head, ...bodies].join("\n");
}

/** The topic, in one line of at most 80 characters. */
export function topicOf(facts: Facts): string {
	const changed = [...facts.files].find(([, file]) => file.changes > 0)?.[0];
	const [command] = facts.commands.keys();
	const [read] = facts.files.keys();
	const said =
		facts.requests.find(({ text }) => text.includes(" ") && text.length > 12)?.text ||
		facts.requests[0]?.text ||
		(changed && `changed ${changed}`) ||
		(command && `ran ${command}`) ||
		facts.outcomes[0]?.text ||
		(read && `read ${read}`) ||
		`${facts.messages} messages`;
	return oneLine(said, 80);
}

function headLine(facts: Facts): string {
	const range = facts.first === facts.last ? facts.last : `${facts.first} to ${facts.last}`;
	const count = `${formatCount(facts.messages)} message${facts.messages === 1 ? "" : "s"}`;
	return `${range}, ${count}, ${minute(facts.firstTs)} to ${minute(facts.lastTs)}`;
}

function sectionsOf(facts: Facts): FactSection[] {
	const open = [...facts.commands].filter(([, { failures, exit }]) => failures > 0 && exit !== 0);
	const closed = [...facts.commands].filter(([, { failures, exit }]) => failures > 0 && exit === 0);
	const other = [...facts.commands].filter(([, { failures }]) => failures === 0);
	const changed = [...facts.files].filter(([, { changes }]) => changes > 0);
	const read = [...facts.files].filter(([, { changes, reads }]) => changes === 0 && reads > 0);
	return [
		{ title: "Asked", share: 0.34, joint: "\n", items: ends(facts.requests, '"') },
		{ title: "Outcome", share: 0.2, joint: "\n", items: ends(facts.outcomes) },
		{ title: "Decided", share: 0.08, joint: "\n", items: ends(facts.decisions) },
		{
			title: "Still failing",
			share: 0.08,
			joint: "; ",
			items: list(open, ([name, command]) => `${name} → ${exitText(command)}${names(command)}`),
		},
		{
			title: "Failed, then passed",
			share: 0.06,
			joint: "; ",
			items: list(closed, ([name, { failures }]) => `${name} (failed ${failures}×)`),
		},
		{
			title: "Changed",
			share: 0.12,
			joint: "; ",
			items: ranked(changed, ([, file]) => file.added + file.removed + file.changes, changeText),
		},
		{
			title: "Changed by somebody else",
			share: 0.04,
			joint: ", ",
			items: list([...facts.changedByOthers], (path) => path),
		},
		{
			title: "Errors",
			share: 0.08,
			joint: "\n",
			items: list([...facts.errors], ([line, handle]) => `${line} (${handle})`),
		},
		{ title: "Ran", share: 0.06, joint: "; ", items: ranked(other, ([, { runs }]) => runs, commandText) },
		{ title: "Refused", share: 0.02, joint: "; ", items: list([...facts.refusals], ([what, n]) => `${what} ${n}×`) },
		{
			title: "Read",
			share: 0.06,
			joint: ", ",
			items: ranked(
				read,
				([, { reads }]) => reads,
				([path]) => path,
			),
		},
	];
}

/** The first pass gives each section its share, the second distributes the rest in order. */
function fill(sections: readonly FactSection[], bytes: number): string[] {
	const total = sections.reduce((sum, { share }) => sum + share, 0);
	const filling = sections.map((section) => ({ section, mine: [] as FactItem[] }));
	let left = bytes;
	for (const everything of [false, true]) {
		for (const { section, mine } of filling) {
			if (mine.length === section.items.length) continue;
			let room = everything ? left : Math.min(left, Math.floor((bytes * section.share) / total));
			if (mine.length === 0) room -= byteLength(section.title) + 3 + MORE_BYTES;
			const before = mine.length;
			let used = 0;
			for (const item of section.items.slice(mine.length)) {
				const text = fit(item, room - used, { whole: mine.length > 0 });
				if (text === undefined) break;
				mine.push({ text, place: item.place });
				used += byteLength(text) + section.joint.length + (section.joint === "\n" ? 2 : 0);
			}
			if (mine.length === 0) continue;
			left -= used + (before === 0 ? byteLength(section.title) + 3 + MORE_BYTES : 0);
		}
	}
	return filling.flatMap(({ section, mine }) => (mine.length > 0 ? [renderSection(section, mine)] : []));
}

/** An item, or its beginning if the section is still empty. */
function fit({ text, end = "" }: FactItem, room: number, { whole }: { readonly whole: boolean }): string | undefined {
	const whatever = text + end;
	if (byteLength(whatever) <= room) return whatever;
	const most = room - byteLength(`…${end}`);
	if (whole || most < 20) return undefined;
	let cut = cutStart(text, most);
	while (byteLength(cut) > most) cut = cutStart(cut, Math.floor(cut.length * 0.8));
	return `${cut.replace(/…$/, "")}…${end}`;
}

function renderSection({ title, joint, items }: FactSection, chosen: readonly FactItem[]): string {
	const texts = chosen.toSorted((one, other) => one.place - other.place).map(({ text }) => text);
	if (chosen.length < items.length) texts.push(`+${formatCount(items.length - chosen.length)} more`);
	if (joint === "\n" && texts.length > 1) return `${title}:\n${texts.map((text) => `- ${text}`).join("\n")}`;
	return `${title}: ${texts.join(joint === "\n" ? "; " : joint)}`;
}

/** Chooses the first, then from the newest back. Keeps their order. */
function ends(said: readonly Passage[], quote: '"' | "" = ""): FactItem[] {
	const items = said.map(({ text, handle }, place) => ({ text: quote + text, end: `${quote} (${handle})`, place }));
	const [first, ...rest] = items;
	return first ? [first, ...rest.reverse()] : [];
}

function list<T>(values: readonly T[], text: (value: T) => string): FactItem[] {
	return values.map((value, place) => ({ text: oneLine(text(value), 300), place }));
}

function ranked<T>(values: readonly T[], rank: (value: T) => number, text: (value: T) => string): FactItem[] {
	return list(
		values.toSorted((one, other) => rank(other) - rank(one)),
		text,
	);
}

function changeText([path, file]: readonly [string, FileFacts]): string {
	return file.deleted ? `${path} deleted` : `${path} +${file.added} −${file.removed}`;
}

function commandText([name, command]: readonly [string, CommandFacts]): string {
	return `${name} → ${exitText(command)}${command.runs > 1 ? ` (${command.runs}×)` : ""}`;
}

function exitText({ exit }: CommandFacts): string {
	return exit === null ? "?" : String(exit);
}

function names({ failed, failures }: CommandFacts): string {
	const times = failures > 1 ? ` (${failures}×)` : "";
	return failed.length > 0 ? `${times}: ${failed.join(", ")}` : times;
}

function minute(ts: number): string {
	return new Date(ts).toISOString().slice(0, 16).replace("T", " ");
}

function oneLine(text: string, max: number): string {
	return cutWithEllipsis(text.replace(/\s+/g, " ").trim(), max);
}

function byteLength(text: string): number {
	return Buffer.byteLength(text, "utf8");
}
