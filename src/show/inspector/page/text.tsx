/** Text of agents, users and tools, and how the rest of a long text is fetched. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TextPage } from "../../../view/event.ts";
import { href } from "./address.ts";
import { load } from "./data.ts";
import { bytes, count } from "./format.ts";
import { savedFile } from "./saved-file.ts";

const DIRECTION_MARKS: Readonly<Record<string, string>> = {
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
/** Direction marks, control characters, masked secrets and handles. */
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

/** Untrusted text. Direction marks and control characters are shown as names and have no effect; with `links`, handles open. */
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
				if (DIRECTION_MARKS[part])
					return (
						<span key={at} class="sign">
							⟨{DIRECTION_MARKS[part]}⟩
						</span>
					);
				if (part.length > 1) return links ? <Handle key={at} of={part} /> : part;
				return (
					<span key={at} class="sign">
						⟨{controlName(part.charCodeAt(0))}⟩
					</span>
				);
			})}
		</>
	);
}

const CONTROL_NAMES: ReadonlyMap<number, string> = new Map([
	[7, "BEL"],
	[13, "CR"],
	[27, "ESC"],
]);

function controlName(code: number): string {
	return CONTROL_NAMES.get(code) ?? `x${code.toString(16).padStart(2, "0")}`;
}

export function Handle({ of }: { of: string | null | undefined }): JSX.Element | null {
	if (!of) return null;
	return (
		<a class="hd" href={href({ set: { peek: of } })} title={`open ${of}`}>
			{of}
		</a>
	);
}

/** A path in a narrow cell: its folders are cut before its name is. */
export function Path({ of, note }: { of: string; note?: string | undefined }): JSX.Element {
	const slash = of.lastIndexOf("/");
	return (
		<span class="path mono" title={of}>
			{slash > 0 && (
				<span class="dirs">
					<bdi dir="ltr">
						<Text>{of.slice(0, slash)}</Text>
					</bdi>
				</span>
			)}
			<span class="name">
				<Text>{slash > 0 ? of.slice(slash) : of}</Text>
			</span>
			{note !== undefined && <span class="dim note">{note}</span>}
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

/** The first part of a text, with buttons for the rest. `more`: the path of the part that starts at an offset. */
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
	const { next, total } = pages.at(-1) ?? first;
	const shown = pages.map(({ text }) => text).join("");
	const loadPage = async (offset: number) => textPageOf(await load<TextPage | { text: TextPage }>(more(offset)));
	const loadMore = async (offset: number) => {
		const page = await loadPage(offset);
		set([...pages, page]);
	};
	const save = async () => {
		const whole: string[] = [];
		for (let at: number | null = 0; at !== null; ) {
			const page: TextPage = await loadPage(at);
			whole.push(page.text);
			at = page.next;
		}
		download(`${name}.txt`, whole.join(""));
	};
	return (
		<>
			<div class="txt" tabIndex={0} role="group" aria-label="text">
				<pre>
					<Text links>{shown}</Text>
				</pre>
			</div>
			{next !== null && (
				<p class="more">
					<span class="dim">
						{count(shown.length)} of {count(total)} characters
					</span>
					{!savedFile && (
						<>
							<button type="button" onClick={() => void loadMore(next)}>
								Show {bytes(Math.min(65_536, total - shown.length))} more
							</button>
							<button type="button" onClick={() => void save()}>
								Save all
							</button>
						</>
					)}
				</p>
			)}
		</>
	);
}

/** Some pages of the server have the text as a part. */
export function textPageOf(data: TextPage | { readonly text: TextPage }): TextPage {
	return typeof data.text === "string" ? (data as TextPage) : data.text;
}

function download(name: string, text: string): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
	link.download = name;
	link.click();
	URL.revokeObjectURL(link.href);
}
