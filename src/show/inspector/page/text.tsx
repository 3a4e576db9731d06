/** Text that somebody else wrote, and how more of it is fetched. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TextPage } from "../../../view/event.ts";
import { href } from "./address.ts";
import { load } from "./data.ts";
import { bytes, count } from "./format.ts";
import { savedFile } from "./saved-file.ts";

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
					{!savedFile && (
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
