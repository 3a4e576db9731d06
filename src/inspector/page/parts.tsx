/** The small parts that all pages are made of. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { TextPage } from "../../view/event.ts";
import { type Loaded, load, type Problem } from "./data.ts";
import { exported } from "./exported.ts";
import { bytes, count } from "./format.ts";
import { go, href, readPlace } from "./place.ts";

export const COLOUR: Readonly<Record<string, string>> = {
	tools: "var(--k-tools)",
	system: "var(--k-system)",
	options: "var(--k-system)",
	seed: "var(--k-seed)",
	tail: "var(--k-tail)",
	uncached: "var(--k-uncached)",
};

const MARKS: Readonly<Record<string, string>> = {
	"\u202a": "LRE",
	"\u202b": "RLE",
	"\u202c": "PDF",
	"\u202d": "LRO",
	"\u202e": "RLO",
	"\u2066": "LRI",
	"\u2067": "RLI",
	"\u2068": "FSI",
	"\u2069": "PDI",
	"\u200e": "LRM",
	"\u200f": "RLM",
	"\u061c": "ALM",
};
/** Direction marks, control characters, what was masked, and handles. */
const SIGNS = new RegExp(
	[
		"[\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u061c]",
		"[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]",
		"\\[secret\\]",
		"\\b[me]-[0-9a-f]{12}\\b",
		"\\bs-[0-9a-f]{10,}\\b",
	]
		.join("|")
		.replace(/^.*$/s, "($&)"),
);

/** Text that somebody else wrote: it is only text. Direction marks and control characters are drawn, not obeyed; handles open. */
export function Text({ children, links = false }: { children: string; links?: boolean }): JSX.Element {
	const parts = children.split(SIGNS);
	if (parts.length === 1) return <>{children}</>;
	return (
		<>
			{parts.map((part, at) => {
				if (at % 2 === 0) return part;
				if (part === "[secret]")
					return (
						<span key={at} class="masked">
							masked
						</span>
					);
				if (MARKS[part])
					return (
						<span key={at} class="sign">
							⟨{MARKS[part]}⟩
						</span>
					);
				if (part.length > 1) return links ? <Handle key={at} of={part} /> : part;
				const code = part.charCodeAt(0);
				return (
					<span key={at} class="sign">
						⟨{code === 27 ? "ESC" : code === 7 ? "BEL" : code === 13 ? "CR" : `x${code.toString(16).padStart(2, "0")}`}⟩
					</span>
				);
			})}
		</>
	);
}

export function Handle({ of }: { of: string | null | undefined }): JSX.Element | null {
	if (!of) return null;
	return (
		<a class="hd" href={href({ set: { peek: of } })} title={`open ${of}`}>
			{of}
		</a>
	);
}

export function Swatch({ of, out = false }: { of?: string; out?: boolean }): JSX.Element {
	return (
		<i class={out ? "sw out" : "sw"} style={{ "--c": COLOUR[of ?? ""] ?? of ?? "transparent" }} aria-hidden="true" />
	);
}

export type Standing = "fresh" | "stale" | "blocked" | "cold" | "none";
export function State({ is, children }: { is: Standing; children: ComponentChildren }): JSX.Element {
	return <span class={`st ${is}`}>{children}</span>;
}

export function Bar({ width, colour = "var(--ink-3)" }: { width: number; colour?: string }): JSX.Element {
	return <i class="mb" aria-hidden="true" style={{ width: `${Math.max(1, width)}px`, "--c": colour }} />;
}

/** The head of a page: what it is, its command and its data. */
export function Head({
	title,
	sub,
	cli,
	json,
	children,
	more,
	session = true,
}: {
	title: string;
	sub?: ComponentChildren;
	cli: string;
	/** False: the command is not about one session. */
	session?: boolean;
	json?: string | undefined;
	children?: ComponentChildren;
	more?: ComponentChildren;
}): JSX.Element {
	return (
		<div class="ph">
			<h1>{title}</h1>
			<span class="sub">{sub}</span>
			{children}
			<span class="twin">
				<code class="hide-s">{cli}</code>
				<Copy
					text={() => (session ? `${cli} --session ${readPlace().session.slice(0, 13)}` : cli)}
					title="copy the command, for this session"
				>
					Copy command
				</Copy>
				{more}
				{json !== undefined && !exported && (
					<>
						<a href={json} target="_blank" rel="noreferrer" title="this page as data">
							JSON
						</a>
						<Copy text={() => curl(json)} title="copy a curl command for the data, with the token of this launch">
							curl
						</Copy>
					</>
				)}
			</span>
		</div>
	);
}

async function curl(path: string): Promise<string> {
	const { token } = await load<{ token: string }>("/launch.json");
	return `curl -H 'Authorization: Bearer ${token}' '${location.origin}${path}'`;
}

export function Copy({
	text,
	title,
	children,
}: {
	text: string | (() => string | Promise<string>);
	title?: string;
	children: ComponentChildren;
}): JSX.Element {
	const [done, set] = useState(false);
	const copy = async () => {
		await navigator.clipboard?.writeText(typeof text === "string" ? text : await text()).catch(() => {});
		set(true);
		setTimeout(() => set(false), 900);
	};
	return (
		<button type="button" title={title} onClick={() => void copy()}>
			{done ? "Copied" : children}
		</button>
	);
}

export function Switch({
	label,
	options,
	value,
	name,
}: {
	label: string;
	options: readonly (readonly [value: string, label: string])[];
	value: string;
	name: string;
}): JSX.Element {
	return (
		<span class="seg" role="group" aria-label={label}>
			{options.map(([key, text]) => (
				<button type="button" key={key} aria-pressed={value === key} onClick={() => go(href({ set: { [name]: key } }))}>
					{text}
				</button>
			))}
		</span>
	);
}

export interface Column {
	readonly title: string;
	readonly width?: number | undefined;
	readonly num?: boolean;
	/** Gone on a middle-sized screen, or on a phone. */
	readonly hide?: "m" | "s";
	readonly tip?: string;
	/** Its text goes over several lines. */
	readonly wrap?: boolean;
}

export interface Row {
	readonly key: string;
	readonly href?: string;
	readonly selected?: boolean;
	readonly off?: boolean;
	readonly cells?: readonly ComponentChildren[];
	/** Over all columns: the name of what follows. */
	readonly group?: ComponentChildren;
	/** Over all columns, of any height. */
	readonly wide?: ComponentChildren;
}

type Room = "all" | "m" | "s";

/** Which columns there is room for. */
function useRoom(): Room {
	const read = (): Room => (innerWidth <= 860 ? "s" : innerWidth <= 1180 ? "m" : "all");
	const [room, set] = useState(read);
	useEffect(() => {
		const look = () => set(read());
		addEventListener("resize", look);
		return () => removeEventListener("resize", look);
	}, []);
	return room;
}

const VIRTUAL_FROM = 80;
const OVERSCAN_ROWS = 20;

/** A table whose rows open things. Beyond some dozens only the rows on the screen are there. */
export function Table({
	columns: all,
	rows,
	label,
	onEnd,
}: {
	columns: readonly Column[];
	rows: readonly Row[];
	label: string;
	onEnd?: (() => void) | undefined;
}): JSX.Element {
	const body = useRef<HTMLTableSectionElement>(null);
	const room = useRoom();
	const columns = all
		.map((column, at) => ({ ...column, at }))
		.filter(({ hide }) => !(hide === "m" && room !== "all") && !(hide === "s" && room === "s"));
	const isVirtual = rows.length > VIRTUAL_FROM;
	const [range, setRange] = useState<readonly [number, number]>([0, 50]);
	useLayoutEffect(() => {
		if (!isVirtual && !onEnd) return;
		let frame = 0;
		const look = () => {
			frame = 0;
			const box = body.current?.getBoundingClientRect();
			if (!box) return;
			const height = rowHeight();
			const first = Math.max(0, Math.floor(-box.top / height) - OVERSCAN_ROWS);
			const last = Math.ceil((innerHeight - box.top) / height) + OVERSCAN_ROWS;
			setRange((old) =>
				Math.abs(old[0] - first) < 8 && Math.abs(old[1] - last) < 8 && last <= old[1] ? old : [first, last],
			);
			if (onEnd && last > rows.length) onEnd();
		};
		const onScroll = () => {
			frame ||= requestAnimationFrame(look);
		};
		look();
		document.addEventListener("scroll", onScroll, { capture: true, passive: true });
		addEventListener("resize", onScroll);
		return () => {
			cancelAnimationFrame(frame);
			document.removeEventListener("scroll", onScroll, { capture: true });
			removeEventListener("resize", onScroll);
		};
	}, [isVirtual, rows.length, onEnd]);
	const [from, to] = isVirtual ? range : [0, rows.length];
	const shown = rows.slice(from, to);
	const height = rowHeight();
	return (
		<table aria-label={label} aria-rowcount={isVirtual ? rows.length : undefined}>
			<thead>
				<tr>
					{columns.map(({ title, width, num, tip }) => (
						<th
							key={title}
							scope="col"
							class={cls(num && "num")}
							style={width === undefined ? {} : { width: `${width}px` }}
							title={tip}
						>
							{title === "" ? <span class="sr">bar</span> : title}
						</th>
					))}
				</tr>
			</thead>
			<tbody ref={body}>
				{from > 0 && (
					<tr class="gap" aria-hidden="true">
						<td colSpan={columns.length} style={{ height: `${from * height}px` }} />
					</tr>
				)}
				{shown.map((row) => (
					<TableRow key={row.key} row={row} columns={columns} />
				))}
				{to < rows.length && (
					<tr class="gap" aria-hidden="true">
						<td colSpan={columns.length} style={{ height: `${(rows.length - to) * height}px` }} />
					</tr>
				)}
			</tbody>
		</table>
	);
}

function rowHeight(): number {
	return innerWidth <= 860 ? 35 : 29;
}

function TableRow({ row, columns }: { row: Row; columns: readonly (Column & { readonly at: number })[] }): JSX.Element {
	if (row.group !== undefined)
		return (
			<tr class="grp">
				<td colSpan={columns.length}>{row.group}</td>
			</tr>
		);
	if (row.wide !== undefined)
		return (
			<tr class="wide">
				<td colSpan={columns.length}>{row.wide}</td>
			</tr>
		);
	const open = row.href;
	return (
		<tr
			class={cls(row.off && "off", row.selected && "on")}
			data-row={open}
			tabIndex={open ? (row.selected ? 0 : -1) : undefined}
			aria-current={row.selected ? "true" : undefined}
			onClick={open ? (event) => !(event.target as Element).closest("a,button") && go(open) : undefined}
		>
			{columns.map(({ title, num, wrap, at }) => (
				<td key={title} class={cls(num && "num", wrap && "wrap")}>
					{row.cells?.[at]}
				</td>
			))}
		</tr>
	);
}

export function cls(...names: readonly (string | false | undefined)[]): string {
	return names.filter(Boolean).join(" ");
}

/** One line that is cut where the column ends. */
export function Item({
	swatch,
	out,
	name,
	dim,
	preview,
}: {
	swatch?: string;
	out?: boolean;
	name: string;
	dim?: string | null | undefined;
	preview?: string | undefined;
}): JSX.Element {
	return (
		<span class="item" title={preview ? `${name} ${preview}`.slice(0, 300) : name}>
			{(swatch !== undefined || out) && <Swatch of={swatch ?? ""} out={out ?? false} />}
			<span class="nm">
				<Text>{name}</Text>
				{dim ? (
					<span class="dim">
						{" "}
						<Text>{dim}</Text>
					</span>
				) : null}
			</span>
			{preview ? (
				<span class="pv">
					<Text>{preview}</Text>
				</span>
			) : null}
		</span>
	);
}

export function Diff({ lines }: { lines: readonly string[] }): JSX.Element {
	const kind = (line: string) =>
		/^(@@|---|\+\+\+)/.test(line) ? "h" : line[0] === "+" ? "a" : line[0] === "-" ? "d" : "c";
	return (
		<pre class="diff" tabIndex={0} role="group" aria-label="difference">
			{lines.map((line, at) => (
				<span key={at} class={kind(line)}>
					{line === "" ? " " : <Text>{line}</Text>}
				</span>
			))}
		</pre>
	);
}

/** The first part of a text, and more when it is asked for. `more`: where the rest comes from, by its offset. */
export function TextBlock({
	first,
	more,
	name,
}: {
	first: TextPage;
	more: (offset: number) => string;
	name: string;
}): JSX.Element {
	const [pages, set] = useState<readonly TextPage[]>([first]);
	useEffect(() => set([first]), [first]);
	const last = pages.at(-1)!;
	const shown = pages.map(({ text }) => text).join("");
	const go = async () => {
		const next = await load<TextPage | { text: TextPage }>(more(last.next!));
		set([...pages, typeof next.text === "string" ? (next as TextPage) : next.text]);
	};
	const save = async () => {
		const whole: string[] = [];
		for (let at: number | null = 0; at !== null; ) {
			const next: TextPage | { text: TextPage } = await load(more(at));
			const page: TextPage = typeof next.text === "string" ? (next as TextPage) : next.text;
			whole.push(page.text);
			at = page.next;
		}
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([whole.join("")], { type: "text/plain" }));
		link.download = `${name}.txt`;
		link.click();
		URL.revokeObjectURL(link.href);
	};
	return (
		<>
			<div class="txt" tabIndex={0} role="group" aria-label="text">
				<pre>
					<Text links>{shown}</Text>
				</pre>
			</div>
			{last.next !== null && (
				<p class="more">
					<span class="dim">
						{count(shown.length)} of {count(last.total)} characters
					</span>
					{!exported && (
						<>
							<button type="button" onClick={() => void go()}>
								Show {bytes(Math.min(65_536, last.total - shown.length))} more
							</button>
							<button type="button" onClick={() => void save()}>
								Save the whole
							</button>
						</>
					)}
				</p>
			)}
		</>
	);
}

/** What stands in place of a page while there is nothing to show. */
export function Waiting({ of }: { of: Loaded<unknown> }): JSX.Element | null {
	if (of.problem) return <Trouble problem={of.problem} />;
	if (!of.slow) return null;
	return (
		<div class="sec skel" aria-busy="true" role="status" aria-label="Loading">
			{[38, 92, 78, 85, 60].map((width) => (
				<i key={width} style={{ width: `${width}%` }} />
			))}
		</div>
	);
}

export function Trouble({ problem }: { problem: Problem }): JSX.Element {
	const isGone = problem.code === "gone";
	const isDamaged = problem.code === "damaged" || problem.code === "foreign-file";
	const kind = problem.code === "not-found" ? "" : isGone ? "stale" : "blocked";
	return (
		<div class="sec">
			<div class={`note ${kind}`} role="alert">
				<p>
					<b>
						{isGone
							? "The inspector has stopped."
							: isDamaged
								? "The log is damaged."
								: problem.code === "not-found"
									? "There is nothing here."
									: "This could not be shown."}
					</b>{" "}
					<Text>{problem.message}</Text>
				</p>
				{isGone && (
					<p class="mid">
						Start it again with <code>weft inspect</code>.
					</p>
				)}
				{isDamaged && (
					<div class="acts">
						<Copy text="weft verify">weft verify</Copy>
						<Copy text="weft repair">weft repair</Copy>
					</div>
				)}
			</div>
		</div>
	);
}
