/** Translates the entries of Pi's own sessions into events. */
import { type PiSessionOptions, PiSessionTranslator } from "../recorded/pi-session-translator.ts";

export const PI_HOST = "pi";

export type PiTranslatorOptions = Omit<PiSessionOptions, "host">;

export class PiTranslator extends PiSessionTranslator {
	constructor(header: unknown, options: PiTranslatorOptions = {}) {
		super(header, { ...options, host: PI_HOST });
	}
}
