/**
 * What the command says: data on stdout, talk on stderr. A reader that goes away (`weft log | head`) ends the command
 * quietly. Colours follow the terminal, NO_COLOR and FORCE_COLOR.
 */
import { styleText } from "node:util";
import type { Paint, TextStyle } from "../view/style.ts";

/** The reader of stdout is gone. */
export class OutputClosed extends Error {}

const CHUNK_CHARS = 64 * 1024;
const DEFAULT_COLUMNS = 80;

export interface OutputOptions {
	readonly json: boolean;
	readonly color: boolean;
}

export class Output implements TextStyle {
	readonly json: boolean;
	readonly #color: boolean;
	readonly #stdout: NodeJS.WriteStream;
	readonly #stderr: NodeJS.WriteStream;
	/** Called before something is written or drawn: what stands on the terminal until then has to go. */
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

	/** undefined where the output does not go to a terminal, so that nothing is cut. */
	get columns(): number | undefined {
		return this.#stdout.isTTY ? this.#stdout.columns || DEFAULT_COLUMNS : undefined;
	}

	/** True where a person watches a terminal: escape sequences in shown texts are then made harmless. */
	get isTerminal(): boolean {
		return this.#stdout.isTTY === true;
	}

	/** True where a line can be drawn on the terminal and taken away again. */
	get canDraw(): boolean {
		return this.#stderr.isTTY === true;
	}

	/** For those who draw their own progress. */
	get progressStream(): NodeJS.WriteStream | undefined {
		if (!this.#stderr.isTTY) return undefined;
		this.beforeWords();
		return this.#stderr;
	}

	/** Writes lines as they are produced, in large pieces, waiting for a slow reader. */
	async lines(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
		let chunk = "";
		for await (const line of lines) {
			chunk += `${line}\n`;
			if (chunk.length < CHUNK_CHARS) continue;
			await this.text(chunk);
			chunk = "";
		}
		if (chunk !== "") await this.text(chunk);
	}

	async line(line: string): Promise<void> {
		await this.text(`${line}\n`);
	}

	async text(text: string): Promise<void> {
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
		await this.line(JSON.stringify(value, null, this.isTerminal ? 2 : undefined));
	}

	/** Something for the person, apart from the data. */
	talk(line: string): void {
		this.beforeWords();
		this.#stderr.write(`${line}\n`);
	}

	paint(paint: Paint, text: string): string {
		return this.#color ? styleText(paint, text, { stream: this.#stdout }) : text;
	}

	mark(text: string): string {
		const painted = this.paint(["bold", "yellow"], text);
		return painted === text ? `«${text}»` : painted;
	}

	paintTalk(paint: Paint, text: string): string {
		return this.#color ? styleText(paint, text, { stream: this.#stderr }) : text;
	}
}
