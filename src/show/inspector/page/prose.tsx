/** Text that people and models write: paragraphs as they are, code apart, headings and emphasis by their signs. */
import type { JSX } from "preact";
import { Code } from "./parts.tsx";
import { Text } from "./text.tsx";

const FENCE = /^[ \t]*(```|~~~)[^\n]*\n([\s\S]*?)(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm;
const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*|(?<![\w*])\*[^*\s](?:[^*\n]*[^*\s])?\*(?![\w*]))/;
const LISTED = /^(\s*)(?:([-*+])|(\d{1,3}[.)]))\s+(.*)$/;

export function Prose({ children }: { children: string }): JSX.Element {
	const parts: JSX.Element[] = [];
	let at = 0;
	for (const found of children.matchAll(FENCE)) {
		parts.push(<Paragraphs key={at} text={children.slice(at, found.index)} />);
		parts.push(
			<Code key={`code ${at}`}>
				<Text links>{(found[2] ?? "").replace(/\n$/, "")}</Text>
			</Code>,
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
			{paragraphs.map((each, at) => (
				<Paragraph key={at} lines={each.replace(/^\n+|\s+$/g, "").split("\n")} />
			))}
		</>
	);
}

/** A table may follow a line of text, and text may follow a table. */
function Paragraph({ lines }: { lines: readonly string[] }): JSX.Element {
	const rule = lines.findIndex((line, at) => TABLE_RULE.test(line) && at > 0 && isTableRow(lines[at - 1]));
	if (rule === -1)
		return (
			<p>
				<Lines lines={lines} />
			</p>
		);
	const after = lines.findIndex((line, at) => at > rule && !isTableRow(line));
	const end = after === -1 ? lines.length : after;
	return (
		<>
			{rule > 1 && (
				<p>
					<Lines lines={lines.slice(0, rule - 1)} />
				</p>
			)}
			<ProseTable head={cellsOf(lines[rule - 1] ?? "")} rows={lines.slice(rule + 1, end).map(cellsOf)} />
			{end < lines.length && <Paragraph lines={lines.slice(end)} />}
		</>
	);
}

const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$/;

function isTableRow(line: string | undefined): boolean {
	return line?.trim().includes("|") === true;
}

function cellsOf(row: string): string[] {
	const inside = row
		.trim()
		.replace(/^\|/, "")
		.replace(/(?<!\\)\|$/, "");
	return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function ProseTable({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }): JSX.Element {
	return (
		<div class="tabled" tabIndex={0} role="group" aria-label="table">
			<table class="auto">
				<thead>
					<tr>
						{head.map((cell, at) => (
							<th key={at} scope="col">
								<Line line={cell} />
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, at) => (
						<tr key={at}>
							{head.map((_, column) => (
								<td key={column} class="wrap">
									<Line line={row[column] ?? ""} />
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

/** The items of a list are blocks of their own, so that a long one stays right of its mark. */
function Lines({ lines }: { lines: readonly string[] }): JSX.Element {
	const isItem = (row: number) => LISTED.test(lines[row] ?? "");
	return (
		<>
			{lines.map((line, row) => {
				const [, indent = "", mark, number, text] = LISTED.exec(line) ?? [];
				if (text === undefined)
					return (
						<span key={row}>
							{row > 0 && !isItem(row - 1) && "\n"}
							<Line line={line} />
						</span>
					);
				return (
					<span key={row} class="li" style={{ "--in": `${Math.min(4, Math.floor(indent.length / 2))}em` }}>
						<span class="mark">{mark ? "•" : number}</span>
						<Line line={text} />
					</span>
				);
			})}
		</>
	);
}

/** One line with its code and emphasis. */
export function Line({ line }: { line: string }): JSX.Element {
	const [, heading] = /^#{1,6}\s+(.*)$/.exec(line) ?? [];
	if (heading !== undefined)
		return (
			<b>
				<Line line={heading} />
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
				const signs = part.startsWith("**") ? 2 : 1;
				const Tag = part.startsWith("`") ? "code" : signs === 2 ? "b" : "em";
				return (
					<Tag key={at}>
						<Text>{part.slice(signs, -signs)}</Text>
					</Tag>
				);
			})}
		</>
	);
}
