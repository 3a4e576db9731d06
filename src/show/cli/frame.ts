/**
 * The frame around every command: reads its options, opens what it needs, closes it, and prints its result. Whether that is a
 * JSON document or lines for a person is decided here alone.
 */
import type { Engine } from "../../engine.ts";
import type { SessionState } from "../../state/session/session-state.ts";
import type { OpenedResource } from "./catalogue/spec.ts";
import { type Catalogue, type CommandName, commandSpec } from "./catalogue.ts";
import { COMMAND_MODULES, type ModuleName } from "./command-modules.ts";
import type { Context } from "./context.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { LoglessContext } from "./logless-context.ts";
import { withLogOf, withNamedSession } from "./named-session.ts";
import type { OpenFleet } from "./open-fleet.ts";
import { type OptionValues, readOptions } from "./options.ts";
import type { Output } from "./output.ts";

/** A command's call before anything is opened. */
export interface CheckCall<Name extends CommandName> {
	readonly context: Catalogue[Name] extends { readonly opens: "no-log" } ? LoglessContext : Context;
	readonly out: Output;
	readonly args: readonly string[];
	readonly options: Catalogue[Name] extends { readonly options: infer Specs } ? OptionValues<Specs> : object;
}

interface Opened {
	readonly nothing: object;
	readonly "no-log": object;
	readonly log: { readonly engine: Engine };
	readonly "writable-log": { readonly engine: Engine };
	readonly session: { readonly engine: Engine; readonly session: SessionState };
	readonly fleet: OpenFleet;
}

/** A command's call: `Call<"tree">` has the options and the opened things that the catalogue names for `tree`. */
export type Call<Name extends CommandName> = CheckCall<Name> & Opened[Catalogue[Name]["opens"]];

export interface CommandResult {
	/** The document that `--json` prints. */
	readonly data: unknown;
	/** Lines for a person. */
	lines?(out: Output): Iterable<string>;
	/** Text that is data itself: printed exactly, after the lines. */
	text?(): string | Promise<string>;
	/** For a person, on stderr; not with `--json`. */
	readonly remarks?: Iterable<string> | undefined;
	readonly code?: ExitCode | undefined;
}

export interface CommandModule<Name extends CommandName> {
	/** Refuses a command line that cannot be meant, before anything is opened. */
	check?(call: CheckCall<Name>): void;
	/** A command that prints as it works returns its exit status, or nothing. */
	run(call: Call<Name>): CommandResult | Promise<CommandResult | ExitCode> | Promise<void>;
}

/** `context`: a `Context`, except for a command that needs no log. `given`: the options as commander has them. */
export async function runCommand(
	name: ModuleName,
	context: LoglessContext,
	args: readonly string[],
	given: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
	const spec = commandSpec(name);
	const module: CommandModule<never> = await COMMAND_MODULES[name]();
	const options = readOptions(spec.options ?? {}, given, context.now());
	const call = { context, out: context.out, args, options };
	module.check?.(call as never);
	return withOpened(spec.opens, call, async (opened) => {
		const outcome = await module.run({ ...call, ...opened } as never);
		return typeof outcome === "object" ? print(context.out, outcome) : (outcome ?? EXIT.ok);
	});
}

async function withOpened(
	opens: OpenedResource,
	{ context: given, options }: { readonly context: LoglessContext; readonly options: { readonly session?: string } },
	work: (opened: object) => Promise<ExitCode>,
): Promise<ExitCode> {
	if (opens === "nothing" || opens === "no-log") return work({});
	const context = given as Context;
	if (opens === "fleet") {
		const { withFleet } = await import("./open-fleet.ts");
		return withFleet(context, work);
	}
	if (opens === "session")
		return withNamedSession(context, options.session, (engine, session) => work({ engine, session }));
	if (opens === "log") return withLogOf(context, options.session, (engine) => work({ engine }));
	// Here `--session` says to whom a new event belongs.
	const engine = context.openForWriting();
	try {
		return await work({ engine });
	} finally {
		engine.close();
	}
}

async function print(
	out: Output,
	{ data, lines, text, remarks = [], code = EXIT.ok }: CommandResult,
): Promise<ExitCode> {
	if (out.json) {
		await out.document(data);
		return code;
	}
	if (lines) await out.lines(lines(out));
	if (text) await out.text(await text());
	for (const remark of remarks) out.talk(remark);
	return code;
}
