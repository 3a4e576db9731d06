/**
 * How a command's answer reaches the person. On a screen and over rpc it is a notice. In print and json mode Pi shows no
 * notices and turns whatever is written to `process.stdout` over to stderr, so the answer goes to the descriptor itself:
 * as it is in print mode, as one JSON line among Pi's own in json mode. It never becomes a message of the session: the
 * model would see it.
 */
import { writeSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { formatCount } from "../../../base/text/bytes.ts";
import { cutStart } from "../../../base/text/cut.ts";
import { printable } from "../../../base/text/printable.ts";

const STDOUT = 1;
const STDERR = 2;
/** A screen is for looking; a program over rpc gets all of it. */
const MAX_SCREEN_CHARS = 40_000;

export function say(ctx: ExtensionContext, command: string, text: string): void {
	if (ctx.hasUI) ctx.ui.notify(printable(ctx.mode === "tui" ? forScreen(text) : text), "info");
	else if (ctx.mode === "json")
		write(STDOUT, JSON.stringify({ type: "extension_output", extension: "weft", command, text }));
	else write(STDOUT, printable(text));
}

/** The same for what went wrong: in print and json mode on stderr. */
export function complain(ctx: ExtensionContext, command: string, text: string): void {
	if (ctx.hasUI) ctx.ui.notify(`/${command}: ${printable(text)}`, "warning");
	else write(STDERR, `/${command}: ${printable(text)}`);
}

function forScreen(text: string): string {
	if (text.length <= MAX_SCREEN_CHARS) return text;
	const left = formatCount(text.length - MAX_SCREEN_CHARS);
	return `${cutStart(text, MAX_SCREEN_CHARS)}\n… ${left} more characters: 'weft --help' lists the commands that print it all.`;
}

function write(descriptor: number, text: string): void {
	const bytes = Buffer.from(text.endsWith("\n") ? text : `${text}\n`);
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(descriptor, bytes, at);
		} catch (error) {
			// A slow reader: its pipe is full for the moment. Any other error means that nobody reads.
			if ((error as { code?: string }).code !== "EAGAIN") return;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
		}
	}
}
