/** Small components that all pages share. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { shortSession } from "../../../view/short-session.ts";
import { curlCommand } from "./access.ts";
import { go, href, readAddress } from "./address.ts";
import type { Loaded, PageProblem } from "./data.ts";
import { savedFile } from "./saved-file.ts";
import { Text } from "./text.tsx";

export const COLOUR: Readonly<Record<string, string>> = {
	tools: "var(--k-tools)",
	system: "var(--k-system)",
	options: "var(--k-system)",
	seed: "var(--k-seed)",
	tail: "var(--k-tail)",
	uncached: "var(--k-uncached)",
};

export function Swatch({ of, out = false }: { of?: string; out?: boolean }): JSX.Element {
	return (
		<i class={out ? "sw out" : "sw"} style={{ "--c": COLOUR[of ?? ""] ?? of ?? "transparent" }} aria-hidden="true" />
	);
}

export type StateKind = "fresh" | "stale" | "blocked" | "cold" | "none";
export function State({ is, children }: { is: StateKind; children: ComponentChildren }): JSX.Element {
	return <span class={`st ${is}`}>{children}</span>;
}

export function Bar({ width, colour = "var(--ink-3)" }: { width: number; colour?: string }): JSX.Element {
	return <i class="mb" aria-hidden="true" style={{ width: `${Math.max(1, width)}px`, "--c": colour }} />;
}

/** The head of a page: its title, the command that prints the same, and its JSON. */
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
	/** False where the command takes no session. */
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
					text={() => (session ? `${cli} --session ${shortSession(readAddress().session)}` : cli)}
					title="copy the command for this session"
				>
					Copy command
				</Copy>
				{more}
				{json !== undefined && !savedFile && (
					<>
						<a href={json} target="_blank" rel="noreferrer" title="this page as JSON">
							JSON
						</a>
						<Copy text={() => curlCommand(json)} title="copy a curl command for this JSON, with the access token">
							curl
						</Copy>
					</>
				)}
			</span>
		</div>
	);
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

export function cls(...names: readonly (string | false | undefined)[]): string {
	return names.filter(Boolean).join(" ");
}

/** One line, cut at the end of its column. */
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

/** One entry of a `facts` list. */
export function Fact({
	name,
	more,
	children,
}: {
	name: string;
	more?: string;
	children: ComponentChildren;
}): JSX.Element {
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				{children}
				{more ? <small> {more}</small> : null}
			</dd>
		</div>
	);
}

/** Text as it was printed. Where it scrolls, Tab reaches it, so that the arrow keys scroll it. */
export function Code({ children }: { children: ComponentChildren }): JSX.Element {
	const allowScrolling = (box: HTMLElement | null) => {
		if (box && (box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth)) box.tabIndex = 0;
	};
	return (
		<pre class="code" ref={allowScrolling}>
			{children}
		</pre>
	);
}

/** Shown instead of a page while its data loads, or when loading failed. */
export function Waiting({ of }: { of: Loaded<unknown> }): JSX.Element | null {
	if (of.problem) return <Trouble problem={of.problem} />;
	if (of.isIdle) return null;
	if (!of.slow) return <div aria-busy="true" />;
	return (
		<div class="sec skel" aria-busy="true" role="status">
			<span class="dim">Reading the log …</span>
			{[38, 92, 78, 85, 60].map((width) => (
				<i key={width} style={{ width: `${width}%` }} />
			))}
		</div>
	);
}

interface TroubleKind {
	readonly title: string;
	readonly note: "" | "stale" | "blocked";
}

const FAULT: TroubleKind = { title: "This could not be shown.", note: "blocked" };
const DAMAGE: TroubleKind = { title: "The log is damaged.", note: "blocked" };
const TROUBLES: ReadonlyMap<string, TroubleKind> = new Map([
	["gone", { title: "The inspector has stopped.", note: "stale" }],
	["not-found", { title: "There is nothing here.", note: "" }],
	["damaged", DAMAGE],
	["foreign-file", DAMAGE],
]);

export function Trouble({ problem: { code, message } }: { problem: PageProblem }): JSX.Element {
	const kind = TROUBLES.get(code) ?? FAULT;
	return (
		<div class="sec">
			<div class={`note ${kind.note}`} role="alert">
				<p>
					<b>{kind.title}</b> <Text>{message}</Text>
				</p>
				{code === "gone" && (
					<p class="mid">
						Start it again with <code>weft inspect</code>.
					</p>
				)}
				{kind === DAMAGE && (
					<div class="acts">
						<Copy text="weft verify">weft verify</Copy>
						<Copy text="weft repair">weft repair</Copy>
					</div>
				)}
			</div>
		</div>
	);
}

const TYPING_MS = 150;

/** A text field that puts its words into the address as `q` shortly after they are typed. */
export function FilterBox({ q, label, placeholder }: { q: string; label: string; placeholder: string }): JSX.Element {
	const [typed, setTyped] = useState(q);
	useEffect(() => setTyped(q), [q]);
	const timer = useRef(0);
	const type = (text: string) => {
		setTyped(text);
		clearTimeout(timer.current);
		timer.current = window.setTimeout(() => go(href({ set: { q: text } }), { replace: true }), TYPING_MS);
	};
	return (
		<input
			aria-label={label}
			placeholder={placeholder}
			value={typed}
			onInput={(event) => type(event.currentTarget.value)}
		/>
	);
}
