/** Pi's own session entries as events. */
import { type PiSessionOptions, PiSessionTranslator } from "../recorded/pi-session-translator.ts";

export const PI_HOST = "pi";

export type PiTranslatorOptions = Omit<PiSessionOptions, "host">;

export class PiTranslator extends PiSessionTranslator {
	constructor(header: unknown, options: PiTranslatorOptions = {}) {
		super(header, { ...options, host: PI_HOST });
	}
}
