/** Search for everything: pages, requests, files, messages and actions. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchView } from "../../../view/search-hits.ts";
import { go, href } from "./address.ts";
import { dataPath, useSteadyPageData } from "./data.ts";
import { count, many } from "./format.ts";
import { PAGES } from "./pages/page.ts";
import { copyLink } from "./shortcuts.tsx";
import { Text } from "./text.tsx";
import { switchTheme } from "./theme.ts";

interface Choice {
	readonly section: string;
	readonly label: string;
	readonly mono?: boolean;
	readonly preview: string;
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
	const found = useSteadyPageData<SearchView>(asked.length > 1 ? dataPath("search", { q: asked, all: 1 }) : undefined);
	const choices = choicesFor(text.trim(), asked.length > 1 ? found.data : undefined, openShortcuts);
	const chosen = Math.min(at, choices.length - 1);
	const take = (choice: Choice | undefined) => {
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
			<Hints />
		</dialog>
	);
}

function ChoiceList({
	choices,
	chosen,
	take,
}: {
	choices: readonly Choice[];
	chosen: number;
	take: (choice: Choice) => void;
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
						<span class={choice.mono ? "mono" : "nw"}>
							<Text>{choice.label}</Text>
						</span>
						<span class="pv">
							<Text>{choice.preview}</Text>
						</span>
						{choice.key && <kbd>{choice.key}</kbd>}
					</a>
				</div>
			))}
		</div>
	);
}

function Hints(): JSX.Element {
	return (
		<div class="palfoot">
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

function choicesFor(text: string, found: SearchView | undefined, openShortcuts: () => void): Choice[] {
	const words = text.toLowerCase();
	const hits = found ? hitChoices(found) : [];
	return [
		...handleChoices(words),
		...PAGES.filter(({ title }) => title.toLowerCase().includes(words)).map(pageChoice),
		...requestChoices(words),
		...(found?.files ?? []).map(fileChoice),
		...hits,
		...(hits.length > 0 ? [timelineChoice(text)] : []),
		...actionChoices(openShortcuts).filter(({ label }) => label.toLowerCase().includes(words)),
	];
}

function handleChoices(words: string): Choice[] {
	if (!/^[mesb]-[0-9a-f]{6,}$/.test(words)) return [];
	const run = () => go(href({ set: { peek: words } }));
	return [{ section: "Handle", label: words, mono: true, preview: "open it", run }];
}

function pageChoice({ name, title, key }: (typeof PAGES)[number]): Choice {
	const run = () => go(href({ page: name, fresh: true }));
	return { section: "Pages", label: title, preview: "", key: `g ${key}`, run };
}

function requestChoices(words: string): Choice[] {
	const [, number] = /^(?:request\s*)?#?(\d{1,7})$/.exec(words) ?? [];
	if (!number) return [];
	const run = () => go(href({ page: "request", id: number, fresh: true }));
	return [{ section: "Requests", label: `request ${number}`, preview: "", run }];
}

function fileChoice({ path, reads, changes, lastSeq }: SearchView["files"][number]): Choice {
	const preview = `read ${reads}, changed ${changes}, last at #${lastSeq}`;
	const run = () => go(href({ page: "work", set: { file: path } }));
	return { section: "Files", label: path, mono: true, preview, run };
}

function hitChoices({ hits, searched }: SearchView): Choice[] {
	const section = `In the log, ${count(searched)} messages searched`;
	return hits.map(({ handle, snippet, role, tool }) => ({
		section,
		label: handle,
		mono: true,
		preview: `${role}${tool ? ` ${tool}` : ""}: ${snippet}`,
		run: () => go(href({ set: { peek: handle } })),
	}));
}

function timelineChoice(text: string): Choice {
	const run = () => go(href({ page: "timeline", set: { q: text } }));
	return { section: "Actions", label: `All events with “${text}”`, preview: "in the timeline", run };
}

function actionChoices(openShortcuts: () => void): Choice[] {
	const section = "Actions";
	return [
		{ section, label: "Switch between light and dark", preview: "", key: "t", run: () => switchTheme() },
		{ section, label: "Copy a link to this page", preview: "", key: "y", run: copyLink },
		{ section, label: "Show keyboard shortcuts", preview: "", key: "?", run: openShortcuts },
	];
}
