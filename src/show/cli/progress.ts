import { formatBytes } from "../../base/text/bytes.ts";
import { cutToWidth } from "../../base/text/cut.ts";
import { oneLine } from "../../base/text/printable.ts";

const QUIET_MS = 1_000;
const REDRAW_MS = 100;
const BAR_COLUMNS = 24;

/** Draws a progress bar on the terminal once work takes longer than a second; draws nothing elsewhere. */
export class Progress {
	readonly #stream: NodeJS.WriteStream | undefined;
	readonly #start = performance.now();
	#drawnAt = 0;

	constructor(stream: NodeJS.WriteStream | undefined) {
		this.#stream = stream;
	}

	update(doneBytes: number, totalBytes: number, label: string): void {
		this.show(() => progressLine(doneBytes, totalBytes, label));
	}

	/** For work of unknown length. */
	show(line: () => string): void {
		const now = performance.now();
		if (!this.#stream || now - this.#start < QUIET_MS || now - this.#drawnAt < REDRAW_MS) return;
		this.#drawnAt = now;
		this.#stream.write(`\r\u001b[2K${cutToWidth(oneLine(line()), (this.#stream.columns || 80) - 1)}`);
	}

	/** Erases the bar, so that the next output starts on a clean line. */
	clear(): void {
		if (this.#drawnAt === 0) return;
		this.#drawnAt = 0;
		this.#stream?.write("\r\u001b[2K");
	}
}

export function progressLine(doneBytes: number, totalBytes: number, label: string): string {
	const share = totalBytes > 0 ? Math.min(1, doneBytes / totalBytes) : 1;
	const filled = Math.round(share * BAR_COLUMNS);
	const bar = "█".repeat(filled) + "░".repeat(BAR_COLUMNS - filled);
	return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}  ${label}`;
}
