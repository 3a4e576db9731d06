/** The keyboard shortcuts: one table, from which the keys are handled and their list is shown. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { go, href, readAddress } from "./address.ts";
import { PAGES } from "./pages/page.ts";
import { switchTheme } from "./theme.ts";

export interface DialogOpeners {
	readonly openPalette: () => void;
	readonly openShortcuts: () => void;
}

interface Shortcut {
	/** As the list shows them; `or` and `then` are words, everything else is a key. */
	readonly keys: string;
	readonly does: string;
	/** The values of `event.key`; empty where the browser or `g` handles the key. */
	readonly on: readonly string[];
	readonly run: (event: KeyboardEvent, open: DialogOpeners) => void;
}

/** Followed by the letter of a page. */
const PAGE_LEADER = "g";
const handledElsewhere = () => {};

const SHORTCUTS: readonly Shortcut[] = [
	{ keys: "j k", does: "next or previous row", on: ["j", "k"], run: ({ key }) => moveFocus(key === "j" ? 1 : -1) },
	{ keys: "Enter", does: "open the row", on: ["Enter"], run: openFocusedRow },
	{ keys: "b", does: "go back", on: ["b"], run: () => history.back() },
	{ keys: "Esc", does: "close the dialog", on: [], run: handledElsewhere },
	{ keys: "/ or Ctrl K", does: "search everything", on: ["/"], run: openPalette },
	{
		keys: `${PAGE_LEADER} then ${PAGES.map(({ key }) => key).join(" ")}`,
		does: "go to a page",
		on: [],
		run: handledElsewhere,
	},
	{ keys: "[ ]", does: "previous or next request or prompt", on: ["[", "]"], run: ({ key }) => clickStep(key) },
	{ keys: "d", does: "show or hide unchanged items", on: ["d"], run: toggleSame },
	{ keys: "y", does: "copy a link to this view", on: ["y"], run: copyLink },
	{ keys: "t", does: "switch between light and dark", on: ["t"], run: () => switchTheme() },
	{ keys: "?", does: "show these shortcuts", on: ["?"], run: (_, { openShortcuts }) => openShortcuts() },
];

export function useShortcuts(open: DialogOpeners): void {
	useEffect(() => {
		let isLeaderPressed = false;
		const press = (event: KeyboardEvent) => {
			const { key } = event;
			if ((event.ctrlKey || event.metaKey) && key === "k") return openPalette(event, open);
			if (isForOthers(event)) return;
			const page = isLeaderPressed ? PAGES.find((each) => each.key === key) : undefined;
			isLeaderPressed = key === PAGE_LEADER;
			if (page) return go(href({ page: page.name, fresh: true }));
			SHORTCUTS.find(({ on }) => on.includes(key))?.run(event, open);
		};
		document.addEventListener("keydown", press);
		return () => document.removeEventListener("keydown", press);
	}, [open.openPalette, open.openShortcuts]);
}

/** The key belongs to a text field, an open dialog or the browser. */
function isForOthers({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
	const isTyped = target instanceof Element && target.matches("input,select,textarea");
	return isTyped || ctrlKey || metaKey || altKey || document.querySelector("dialog[open]") !== null;
}

function openPalette(event: KeyboardEvent, open: DialogOpeners): void {
	// Otherwise the key would be typed into the search field.
	event.preventDefault();
	open.openPalette();
}

export function copyLink(): void {
	void navigator.clipboard?.writeText(location.href).catch(() => {});
}

function clickStep(key: string): void {
	document.querySelector<HTMLElement>(`[data-step="${key}"]`)?.click();
}

function toggleSame(): void {
	const { page, query } = readAddress();
	if (page === "request") go(href({ set: { same: query["same"] === "0" ? null : "0" } }), { replace: true });
}

function rowsThatOpen(): HTMLElement[] {
	return [...document.querySelectorAll<HTMLElement>("main tr[data-row]")];
}

function openFocusedRow(): void {
	const to = rowsThatOpen().find((row) => row === document.activeElement)?.dataset["row"];
	if (to) go(to);
}

/** From the focused row, or onto the selected one. */
function moveFocus(step: 1 | -1): void {
	const rows = rowsThatOpen();
	const focused = rows.indexOf(document.activeElement as HTMLElement);
	const from = focused >= 0 ? focused : rows.findIndex((row) => row.classList.contains("on")) - step;
	const next = rows[Math.max(0, Math.min(rows.length - 1, from + step))];
	next?.focus();
	next?.scrollIntoView({ block: "nearest" });
}

export function ShortcutList({ close }: { close: () => void }): JSX.Element {
	const box = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => box.current?.showModal(), []);
	return (
		<dialog ref={box} class="keys" aria-label="Keyboard shortcuts" onClose={close} onClick={() => box.current?.close()}>
			<div class="sec">
				<header>
					<h2>Keyboard shortcuts</h2>
				</header>
				<dl class="kv">
					{SHORTCUTS.flatMap(({ keys, does }) => [
						<dt key={keys}>
							{keys.split(" ").map((key, at) =>
								/^(or|then)$/.test(key) ? (
									` ${key} `
								) : (
									<span key={at}>
										<kbd>{key}</kbd>{" "}
									</span>
								),
							)}
						</dt>,
						<dd key={does}>{does}</dd>,
					])}
				</dl>
			</div>
		</dialog>
	);
}
