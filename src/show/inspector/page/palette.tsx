/** Search for everything: pages, requests, files, messages and actions. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { shortSession } from "../../../view/short-session.ts";
import type { MenuSession, ProjectHit, ProjectSearch } from "../server/page-data.ts";
import { go, href, useAddress } from "./address.ts";
import { dataPath, useSteadyPageData } from "./data.ts";
import { count, day, many } from "./format.ts";
import { nameOfSession, useMenuSessions } from "./menu-sessions.ts";
import { PAGES } from "./pages/page.ts";
import { copyLink } from "./shortcuts.tsx";
import { Text } from "./text.tsx";
import { switchTheme } from "./theme.ts";

interface PaletteChoice {
	readonly section: string;
	readonly label: string;
	readonly mono?: boolean;
	readonly preview: string;
	/** Of a hit: the matches are marked, its session and date come before it. */
	readonly hit?: ProjectHit;
	readonly key?: string;
	readonly run: () => void;
}

/** Searching starts when the reader stops typing for this long. */
const TYPING_MS = 120;

export function Palette({ close, openShortcuts }: { close: () => void; openShortcuts: () => void }): JSX.Element {
	const box = useRef<HTMLDialogElement>(null);
	const [text, setText] = useState("");
	const [asked, setAsked] = useState("");
	const [at, setAt] = useState(0);
	useLayoutEffect(() => box.current?.showModal(), []);
	useEffect(() => {
		const timer = setTimeout(() => setAsked(text.trim()), TYPING_MS);
		return () => clearTimeout(timer);
	}, [text]);
	const [isAll, setAll] = useState(false);
	const scope = isAll ? "all" : undefined;
	const found = useSteadyPageData<ProjectSearch>(
		asked.length > 1 ? dataPath("search", { q: asked, all: 1, scope }) : undefined,
	);
	const sessions = useMenuSessions(useAddress().project);
	const choices = choicesFor(text.trim(), {
		found: asked.length > 1 ? found.data : undefined,
		sessions: sessions ?? [],
		openShortcuts,
	});
	const chosen = Math.min(at, choices.length - 1);
	const take = (choice: PaletteChoice | undefined) => {
		if (!choice) return;
		box.current?.close();
		choice.run();
	};
	const press = (event: KeyboardEvent) => {
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			event.preventDefault();
			setAt((chosen + (event.key === "ArrowDown" ? 1 : choices.length - 1)) % Math.max(1, choices.length));
		} else if (event.key === "Enter") {
			event.preventDefault();
			take(choices[chosen]);
		}
	};
	useEffect(() => box.current?.querySelector(".pal a.on")?.scrollIntoView({ block: "nearest" }), [chosen]);
	return (
		<dialog
			ref={box}
			aria-label="Search"
			onClose={close}
			onClick={(event) => event.target === box.current && box.current?.close()}
		>
			<input
				class="q"
				aria-label="Search"
				role="combobox"
				aria-expanded="true"
				aria-controls="choices"
				aria-activedescendant={choices.length > 0 ? `choice-${chosen}` : undefined}
				placeholder="Search: a word, a file, a handle, a page"
				autocomplete="off"
				spellcheck={false}
				value={text}
				onInput={(event) => {
					setText(event.currentTarget.value);
					setAt(0);
				}}
				onKeyDown={press}
			/>
			<ChoiceList choices={choices} chosen={chosen} take={take} />
			{choices.length === 0 && (
				<p class="dim hp">
					No match for “<Text>{text}</Text>”{found.data ? ` in ${many(found.data.searched, "message")}` : ""}.
				</p>
			)}
			<Hints isAll={isAll} setAll={setAll} />
		</dialog>
	);
}

function ChoiceList({
	choices,
	chosen,
	take,
}: {
	choices: readonly PaletteChoice[];
	chosen: number;
	take: (choice: PaletteChoice) => void;
}): JSX.Element {
	return (
		<div class="pal" id="choices" role="listbox" aria-label="Results">
			{choices.map((choice, index) => (
				<div key={`${choice.section} ${choice.label} ${index}`} role="presentation">
					{choices[index - 1]?.section !== choice.section && <h3 role="presentation">{choice.section}</h3>}
					<a
						id={`choice-${index}`}
						role="option"
						tabIndex={-1}
						aria-selected={index === chosen}
						class={index === chosen ? "on" : ""}
						onClick={() => take(choice)}
					>
						{choice.hit ? (
							<HitLine hit={choice.hit} />
						) : (
							<>
								<span class={choice.mono ? "mono" : "nw"}>
									<Text>{choice.label}</Text>
								</span>
								<span class="pv">
									<Text>{choice.preview}</Text>
								</span>
							</>
						)}
						{choice.key && <kbd>{choice.key}</kbd>}
					</a>
				</div>
			))}
		</div>
	);
}

function HitLine({ hit }: { hit: ProjectHit }): JSX.Element {
	const { title, host, session, ts, role, tool, snippet, ranges, projectName } = hit;
	return (
		<span class="hit">
			<span class="hit-of">
				<span class="badge">
					<Text>{projectName}</Text>
				</span>
				<span class="hit-title" title={title ?? session}>
					<Text>{title ?? shortSession(session)}</Text>
				</span>
				<span class="dim nw">
					{host}, {day(ts)}, {role}
					{tool ? ` ${tool}` : ""}
				</span>
			</span>
			<span class="pv">
				<Marked text={snippet} ranges={ranges} />
			</span>
		</span>
	);
}

function Marked({ text, ranges }: { text: string; ranges: ProjectHit["ranges"] }): JSX.Element {
	const parts: JSX.Element[] = [];
	let at = 0;
	for (const { start, end } of ranges) {
		parts.push(
			<Text key={`t${start}`}>{text.slice(at, start)}</Text>,
			<mark key={start}>
				<Text>{text.slice(start, end)}</Text>
			</mark>,
		);
		at = end;
	}
	return (
		<>
			{parts}
			<Text>{text.slice(at)}</Text>
		</>
	);
}

function Hints({ isAll, setAll }: { isAll: boolean; setAll: (isAll: boolean) => void }): JSX.Element {
	return (
		<div class="palfoot">
			<span class="seg" role="group" aria-label="Search in">
				<button type="button" aria-pressed={!isAll} onClick={() => setAll(false)}>
					This project
				</button>
				<button type="button" aria-pressed={isAll} onClick={() => setAll(true)}>
					All projects
				</button>
			</span>
			<span>
				<kbd>↑</kbd> <kbd>↓</kbd> choose
			</span>
			<span>
				<kbd>Enter</kbd> open
			</span>
			<span>
				<kbd>Esc</kbd> close
			</span>
			<span>words, parts of identifiers, handles</span>
		</div>
	);
}

function choicesFor(
	text: string,
	{
		found,
		sessions,
		openShortcuts,
	}: {
		readonly found: ProjectSearch | undefined;
		readonly sessions: readonly MenuSession[];
		readonly openShortcuts: () => void;
	},
): PaletteChoice[] {
	const words = text.toLowerCase();
	const hits = found ? hitChoices(found) : [];
	return [
		...handleChoices(words),
		...PAGES.filter(({ title }) => title.toLowerCase().includes(words)).map(pageChoice),
		...requestChoices(words),
		...sessionChoices(words, sessions),
		...(found?.files ?? []).map(fileChoice),
		...hits,
		...(hits.length > 0 ? [timelineChoice(text)] : []),
		...actionChoices(openShortcuts).filter(({ label }) => label.toLowerCase().includes(words)),
	];
}

function handleChoices(words: string): PaletteChoice[] {
	if (!/^[mesb]-[0-9a-f]{6,}$/.test(words)) return [];
	const run = () => go(href({ set: { peek: words } }));
	return [{ section: "Handle", label: words, mono: true, preview: "open it", run }];
}

function pageChoice({ name, title, key }: (typeof PAGES)[number]): PaletteChoice {
	const run = () => go(href({ page: name, fresh: true }));
	return { section: "Pages", label: title, preview: "", key: `g ${key}`, run };
}

const MAX_SESSION_CHOICES = 8;

function sessionChoices(words: string, sessions: readonly MenuSession[]): PaletteChoice[] {
	if (words === "") return [];
	return sessions
		.filter((listing) => `${nameOfSession(listing)} ${listing.session}`.toLowerCase().includes(words))
		.slice(0, MAX_SESSION_CHOICES)
		.map((listing) => ({
			section: "Sessions",
			label: nameOfSession(listing),
			preview: day(listing.last),
			run: () => go(href({ session: listing.session, page: "now", fresh: true })),
		}));
}

function requestChoices(words: string): PaletteChoice[] {
	const [, number] = /^(?:request\s*)?#?(\d{1,7})$/.exec(words) ?? [];
	if (!number) return [];
	const run = () => go(href({ page: "request", id: number, fresh: true }));
	return [{ section: "Requests", label: `request ${number}`, preview: "", run }];
}

function fileChoice({ path, reads, changes, lastSeq }: ProjectSearch["files"][number]): PaletteChoice {
	const preview = `read ${reads}, changed ${changes}, last at #${lastSeq}`;
	const run = () => go(href({ page: "work", set: { file: path } }));
	return { section: "Files", label: path, mono: true, preview, run };
}

function hitChoices({ hits, searched, text }: ProjectSearch): PaletteChoice[] {
	const section = `In the log, ${count(searched)} messages searched`;
	return hits.map((hit) => ({
		section,
		label: hit.handle,
		preview: hit.snippet,
		hit,
		run: () => go(addressOfHit(hit, text)),
	}));
}

/** A message opens in its conversation; what is not said there opens as it is. */
function addressOfHit({ project, session, handle }: ProjectHit, text: string): string {
	const place = { project, session, fresh: true };
	if (!handle.startsWith("m-")) return href({ ...place, page: "timeline", set: { peek: handle } });
	return href({ ...place, page: "conversation", id: handle, set: { q: text } });
}

function timelineChoice(text: string): PaletteChoice {
	const run = () => go(href({ page: "timeline", set: { q: text } }));
	return { section: "Actions", label: `All events with “${text}”`, preview: "in the timeline", run };
}

function actionChoices(openShortcuts: () => void): PaletteChoice[] {
	const section = "Actions";
	return [
		{ section, label: "Switch between light and dark", preview: "", key: "t", run: () => switchTheme() },
		{ section, label: "Copy a link to this page", preview: "", key: "y", run: copyLink },
		{ section, label: "Show keyboard shortcuts", preview: "", key: "?", run: openShortcuts },
	];
}
