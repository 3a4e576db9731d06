/** Search everywhere: pages, requests, files, what was said, and what can be done here. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchView } from "../../../view/search-page.ts";
import { go, href } from "./address.ts";
import { dataPath, useSteadyPageData } from "./data.ts";
import { count, many } from "./format.ts";
import { PAGE_NAMES } from "./pages/names.ts";
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

const TYPING_MS = 120;

export function Palette({ close, openKeys }: { close: () => void; openKeys: () => void }): JSX.Element {
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
	const choices = choicesFor(text.trim(), asked.length > 1 ? found.data : undefined, openKeys);
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
			<div class="pal" id="choices" role="listbox" aria-label="What was found">
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
			{choices.length === 0 && (
				<p class="dim hp">
					Nothing holds “<Text>{text}</Text>”{found.data ? ` in ${many(found.data.searched, "message")}` : ""}.
				</p>
			)}
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
		</dialog>
	);
}

function choicesFor(text: string, found: SearchView | undefined, openKeys: () => void): Choice[] {
	const words = text.toLowerCase();
	const has = (name: string) => words === "" || name.toLowerCase().includes(words);
	const pages = PAGE_NAMES.filter(([, title]) => has(title)).map(
		([name, title, key]): Choice => ({
			section: "Pages",
			label: title,
			preview: "",
			key: `g ${key}`,
			run: () => go(href({ page: name, fresh: true })),
		}),
	);
	const [, number] = /^(?:request\s*)?#?(\d{1,7})$/.exec(words) ?? [];
	const requests: Choice[] = number
		? [
				{
					section: "Requests",
					label: `request ${number}`,
					preview: "",
					run: () => go(href({ page: "request", id: number, fresh: true })),
				},
			]
		: [];
	const handles: Choice[] = /^[mesb]-[0-9a-f]{6,}$/.test(words)
		? [
				{
					section: "Handle",
					label: text,
					mono: true,
					preview: "open it",
					run: () => go(href({ set: { peek: words } })),
				},
			]
		: [];
	const files = (found?.files ?? []).map(
		({ path, reads, changes, lastSeq }): Choice => ({
			section: "Files",
			label: path,
			mono: true,
			preview: `read ${reads}, changed ${changes}, last at #${lastSeq}`,
			run: () => go(href({ page: "work", set: { file: path } })),
		}),
	);
	const hits = (found?.hits ?? []).map(
		({ handle, snippet, role, tool }): Choice => ({
			section: `In the log, ${count(found!.searched)} messages searched`,
			label: handle,
			mono: true,
			preview: `${role}${tool ? ` ${tool}` : ""}: ${snippet}`,
			run: () => go(href({ set: { peek: handle } })),
		}),
	);
	const more: Choice[] =
		hits.length > 0
			? [
					{
						section: "Do",
						label: `All events with “${text}”`,
						preview: "in the timeline",
						run: () => go(href({ page: "timeline", set: { q: text } })),
					},
				]
			: [];
	const deeds: Choice[] = [
		{ section: "Do", label: "Light or dark", preview: "", key: "t", run: () => switchTheme() },
		{
			section: "Do",
			label: "Copy a link to this page",
			preview: "",
			key: "y",
			run: () => void navigator.clipboard?.writeText(location.href).catch(() => {}),
		},
		{ section: "Do", label: "Show the keys", preview: "", key: "?", run: openKeys },
	].filter(({ label }) => has(label));
	return [...handles, ...pages, ...requests, ...files, ...hits, ...more, ...deeds];
}
