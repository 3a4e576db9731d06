/**
 * The command's output: data on stdout, talk on stderr. A reader that goes away (`weft log | head`) ends the command
 * quietly. Colours follow the terminal, NO_COLOR and FORCE_COLOR.
 *
 * Everything printed passes through here. Its texts come from models, programs and strangers, so only the escape sequences
 * of our own colours pass. Data in a pipe stays exact.
 */

import { randomInt } from "node:crypto";
import { styleText } from "node:util";
import { writeJson } from "../../base/json/write.ts";
import { printable, printableJson } from "../../base/text/printable.ts";
import { fitLines, wrapWords } from "../../base/text/wrap.ts";
import type { Paint, TextStyle } from "../../view/text-style.ts";

/** A line that is not text is a Buffer. */
export type DataLines = Iterable<string | Buffer> | AsyncIterable<string | Buffer>;

/** The reader of stdout is gone. */
export class OutputClosed extends Error {}

export const LINE_END = Buffer.from("\n");
const CHUNK_CHARS = 64 * 1024;
const DEFAULT_COLUMNS = 80;

/** Signs this process's own colours with random numbers that look like colour codes, so no shown text can forge them. */
const SIGNATURE = `${[0, 0, 0].map(() => randomInt(1_000, 10_000)).join(";")};`;
const ESCAPE = "\u001b[";
const SIGNED = new RegExp(`\u001b\\[${SIGNATURE}([\\d;]*)m`);

export interface OutputOptions {
	readonly json: boolean;
	readonly color: boolean;
}

export class Output implements TextStyle {
	readonly json: boolean;
	readonly #color: boolean;
	readonly #stdout: NodeJS.WriteStream;
	readonly #stderr: NodeJS.WriteStream;
	/** Called before anything is written or drawn, so that a drawn line can be erased first. */
	beforeWords: () => void = () => {};

	constructor(
		options: OutputOptions,
		stdout: NodeJS.WriteStream = process.stdout,
		stderr: NodeJS.WriteStream = process.stderr,
	) {
		this.json = options.json;
		this.#color = options.color;
		this.#stdout = stdout;
		this.#stderr = stderr;
	}

	/** undefined where the output is not a terminal: nothing is cut then. */
	get columns(): number | undefined {
		return this.#stdout.isTTY ? this.#stdout.columns || DEFAULT_COLUMNS : undefined;
	}

	/** True where a person watches a terminal: escape sequences in shown texts are made harmless. */
	get isTerminal(): boolean {
		return this.#stdout.isTTY === true;
	}

	/** True where a line can be drawn on the terminal and erased again. */
	get canDraw(): boolean {
		return this.#stderr.isTTY === true;
	}

	/** For callers that draw their own progress. */
	get progressStream(): NodeJS.WriteStream | undefined {
		if (!this.#stderr.isTTY) return undefined;
		this.beforeWords();
		return this.#stderr;
	}

	/** Writes lines for people, or of JSON, as they are produced, in large pieces; waits for a slow reader. */
	async lines(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
		const fitting = this.json ? lines : fitLines(lines, this.columns);
		await this.#inChunks(fitting, (chunk) => this.#write(this.json ? this.#shownData(chunk) : shown(chunk)));
	}

	/** Lines that are data: exact, except on a terminal. */
	async dataLines(lines: DataLines): Promise<void> {
		await this.#inChunks(lines, (chunk) => this.text(chunk));
	}

	async line(line: string): Promise<void> {
		await this.lines([line]);
	}

	/** Text that is data: exact, except on a terminal. */
	async text(text: string): Promise<void> {
		await this.#write(this.#shownData(text));
	}

	#shownData(text: string): string {
		if (!this.isTerminal) return text;
		return this.json ? printableJson(text) : shown(text);
	}

	async #inChunks(lines: DataLines, write: (chunk: string) => Promise<void>): Promise<void> {
		let chunk = "";
		for await (const line of lines) {
			const isExact = typeof line !== "string" && !this.isTerminal;
			if (!isExact) chunk += `${line}\n`;
			if (!isExact && chunk.length < CHUNK_CHARS) continue;
			if (chunk !== "") await write(chunk);
			chunk = "";
			if (isExact) await this.#write(Buffer.concat([line, LINE_END]));
		}
		if (chunk !== "") await write(chunk);
	}

	async #write(text: string | Buffer): Promise<void> {
		this.beforeWords();
		await new Promise<void>((resolve, reject) => {
			this.#stdout.write(text, (error) => {
				if (!error) resolve();
				else reject((error as { code?: string }).code === "EPIPE" ? new OutputClosed() : error);
			});
		});
	}

	/** One JSON document, indented for a person at a terminal. */
	async document(value: unknown): Promise<void> {
		await this.line(writeJson(value, this.isTerminal ? 2 : undefined));
	}

	/** Prints a message for the person, on stderr. */
	talk(line: string): void {
		this.beforeWords();
		const columns = this.#stderr.isTTY && !this.json ? this.#stderr.columns || DEFAULT_COLUMNS : undefined;
		const fitting = shown(line)
			.split("\n")
			.flatMap((each) => wrapWords(each, columns));
		this.#stderr.write(`${fitting.join("\n")}\n`);
	}

	paint(paint: Paint, text: string): string {
		return this.#color ? signed(paint, text, this.#stdout) : text;
	}

	mark(text: string): string {
		const painted = this.paint(["bold", "yellow"], text);
		return painted === text ? `«${text}»` : painted;
	}

	paintTalk(paint: Paint, text: string): string {
		return this.#color ? signed(paint, text, this.#stderr) : text;
	}
}

function signed(paint: Paint, text: string, stream: NodeJS.WriteStream): string {
	const [before = "", after = ""] = styleText(paint, "x", { stream }).split("x");
	return before.replaceAll(ESCAPE, ESCAPE + SIGNATURE) + text + after.replaceAll(ESCAPE, ESCAPE + SIGNATURE);
}

/** Turns signed colours back into colours, and makes everything else printable. */
function shown(text: string): string {
	if (!text.includes(ESCAPE + SIGNATURE)) return printable(text);
	// Every second piece is the content of a signed sequence.
	return text
		.split(SIGNED)
		.map((piece, at) => (at % 2 === 0 ? printable(piece) : `${ESCAPE}${piece}m`))
		.join("");
}
