/**
 * The door between Pi and us. Whatever fails behind it is caught: Pi goes on as if we were not there. The failure is handed
 * on to be recorded, and the user is told once per session, not at every hook.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { EngineError } from "../../error/engine-error.ts";

export interface Fault {
	readonly where: string;
	readonly code: string;
	readonly message: string;
}

export class Door {
	readonly #record: (fault: Fault) => void;
	#told = false;

	constructor(record: (fault: Fault) => void) {
		this.#record = record;
	}

	/** Runs `body` and gives what it answers; never throws: a failure gives undefined, which to Pi means "unchanged". */
	pass<Answer>(where: string, ctx: ExtensionContext, body: () => Answer): Answer | undefined {
		try {
			return body();
		} catch (error) {
			this.fail(where, ctx, error);
			return undefined;
		}
	}

	async passAsync<Answer>(
		where: string,
		ctx: ExtensionContext,
		body: () => Promise<Answer>,
	): Promise<Answer | undefined> {
		try {
			return await body();
		} catch (error) {
			this.fail(where, ctx, error);
			return undefined;
		}
	}

	fail(where: string, ctx: ExtensionContext, error: unknown): void {
		const fault = faultOf(where, error);
		this.#record(fault);
		if (!this.#told) this.tell(ctx, `${fault.message} Pi goes on without weft's record (${where}).`);
		this.#told = true;
	}

	/** A notice for the user: on the screen where there is one, else on stderr. */
	tell(ctx: ExtensionContext, notice: string): void {
		try {
			if (ctx.hasUI) ctx.ui.notify(`weft: ${notice}`, "warning");
			else process.stderr.write(`weft: ${notice}\n`);
		} catch {
			// Nobody is listening any more.
		}
	}

	/** Good news: only where there is a screen. */
	mention(ctx: ExtensionContext, notice: string): void {
		try {
			if (ctx.hasUI) ctx.ui.notify(`weft: ${notice}`, "info");
		} catch {
			// Nobody is listening any more.
		}
	}
}

export function faultOf(where: string, error: unknown): Fault {
	const code = error instanceof EngineError ? error.code : error instanceof Error ? error.name : "unknown";
	const message = error instanceof Error ? error.message : String(error);
	return { where, code, message: message.slice(0, 2_000) };
}
