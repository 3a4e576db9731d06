/**
 * Shows a command's answer to the person. On a screen and over rpc it is a notice. In print and json mode Pi shows no
 * notices and redirects `process.stdout` to stderr, so the answer goes straight to the file descriptor: as plain text in
 * print mode, as one JSON line among Pi's own in json mode. It is never a message of the session, because the model would
 * see it.
 */
import { writeSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { formatCount } from "../../../base/text/bytes.ts";
import { cutStart } from "../../../base/text/cut.ts";
import { printable } from "../../../base/text/printable.ts";

const STDOUT = 1;
const STDERR = 2;
/** On a screen only; an rpc client gets the whole text. */
const MAX_SCREEN_CHARS = 40_000;

export function showAnswer(ctx: ExtensionContext, command: string, text: string): void {
	if (ctx.hasUI) ctx.ui.notify(printable(ctx.mode === "tui" ? forScreen(text) : text), "info");
	else if (ctx.mode === "json")
		write(STDOUT, JSON.stringify({ type: "extension_output", extension: "weft", command, text }));
	else write(STDOUT, printable(text));
}

/** In print and json mode, an error goes to stderr. */
export function showError(ctx: ExtensionContext, command: string, text: string): void {
	if (ctx.hasUI) ctx.ui.notify(`/${command}: ${printable(text)}`, "warning");
	else write(STDERR, `/${command}: ${printable(text)}`);
}

function forScreen(text: string): string {
	if (text.length <= MAX_SCREEN_CHARS) return text;
	const rest = formatCount(text.length - MAX_SCREEN_CHARS);
	return `${cutStart(text, MAX_SCREEN_CHARS)}\n… ${rest} more characters: 'weft --help' lists the commands that print it all.`;
}

function write(descriptor: number, text: string): void {
	const bytes = Buffer.from(text.endsWith("\n") ? text : `${text}\n`);
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(descriptor, bytes, at);
		} catch (error) {
			// EAGAIN: the reader is slow and its pipe is full. Any other error means that the reader is gone.
			if ((error as { code?: string }).code !== "EAGAIN") return;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
		}
	}
}
