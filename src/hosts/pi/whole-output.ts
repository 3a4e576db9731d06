/**
 * Pi's shell tools cut long output themselves and leave the whole of it in a file of theirs, which they name behind the
 * text. The file is gone with the machine's temporary folder: what it holds is taken while it is there.
 */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";

export interface WholeOutput {
	readonly text: string;
	/** What Pi says behind the output: how the command ended. */
	readonly status: string;
}

const CUT = /\n\n\[Showing [^\n\]]{1,200}\. Full output: ([^\n\]]{1,4096})\](\n\n[^\n]{1,200})?$/;
const MOST_BYTES = 32 * 1024 * 1024;

/** Undefined: Pi has not cut it, or the file cannot be had. */
export function wholeOutput(text: string): WholeOutput | undefined {
	const cut = CUT.exec(text.slice(-5_000));
	const path = cut?.[1];
	// A command can print such a line too: only Pi's own files are read.
	if (path === undefined || !/^pi-(?:bash|powershell)/.test(basename(path))) return undefined;
	try {
		if (statSync(path).size > MOST_BYTES) return undefined;
		return { text: readFileSync(path, "utf8"), status: cut?.[2] ?? "" };
	} catch {
		return undefined;
	}
}
