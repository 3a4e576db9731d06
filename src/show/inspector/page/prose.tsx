/** Text that people and models write: paragraphs as they are, code apart, headings and emphasis by their signs. */
import type { JSX } from "preact";
import { Text } from "./text.tsx";

const FENCE = /^[ \t]*(```|~~~)[^\n]*\n([\s\S]*?)(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm;
const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

export function Prose({ children }: { children: string }): JSX.Element {
	const parts: JSX.Element[] = [];
	let at = 0;
	for (const found of children.matchAll(FENCE)) {
		parts.push(<Paragraphs key={at} text={children.slice(at, found.index)} />);
		parts.push(
			<pre key={`code ${at}`} class="code">
				<Text links>{(found[2] ?? "").replace(/\n$/, "")}</Text>
			</pre>,
		);
		at = found.index + found[0].length;
	}
	return (
		<div class="prose">
			{parts}
			<Paragraphs text={children.slice(at)} />
		</div>
	);
}

function Paragraphs({ text }: { text: string }): JSX.Element {
	const paragraphs = text.split(/\n{2,}/).filter((each) => each.trim() !== "");
	return (
		<>
			{paragraphs.map((each, at) =>
				/^\s*\|.*\|\s*$/m.test(each.trimStart().split("\n")[0] ?? "") ? (
					<pre key={at} class="code">
						<Text links>{each.trim()}</Text>
					</pre>
				) : (
					<p key={at}>
						{each
							.replace(/^\n+|\s+$/g, "")
							.split("\n")
							.map((line, row) => (
								<span key={row}>
									{row > 0 && "\n"}
									<Line line={line} />
								</span>
							))}
					</p>
				),
			)}
		</>
	);
}

function Line({ line }: { line: string }): JSX.Element {
	const [, heading] = /^#{1,6}\s+(.*)$/.exec(line) ?? [];
	if (heading !== undefined)
		return (
			<b>
				<Text>{heading}</Text>
			</b>
		);
	return (
		<>
			{line.split(INLINE).map((part, at) => {
				if (at % 2 === 0)
					return (
						<Text links key={at}>
							{part}
						</Text>
					);
				const inner = part.startsWith("`") ? part.slice(1, -1) : part.slice(2, -2);
				return part.startsWith("`") ? (
					<code key={at}>
						<Text>{inner}</Text>
					</code>
				) : (
					<b key={at}>
						<Text>{inner}</Text>
					</b>
				);
			})}
		</>
	);
}
