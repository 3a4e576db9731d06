import { resolve } from "node:path";
import { checkLedger, type LedgerCheck } from "../../replay/ledger-check.ts";
import { plural } from "../../text/bytes.ts";
import { oneLine } from "../../text/printable.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export async function run(context: Context, [file = ""]: readonly string[]): Promise<ExitCode> {
	const { out, cwd } = context;
	const check = await checkLedger(resolve(cwd, file));
	const ok = check.missing.length + check.unfounded.length + check.wrongCommands.length === 0;
	if (out.json) await out.document({ ok, ...check });
	else await out.lines(describe(check, ok ? out.paint("green", "✓") : out.paint("red", "✗"), ok));
	return ok ? EXIT.ok : EXIT.failed;
}

function* describe(check: LedgerCheck, sign: string, ok: boolean): Generator<string> {
	for (const what of check.missing) yield `  missing: ${oneLine(what)}`;
	for (const what of check.unfounded) yield `  unfounded: ${oneLine(what)}`;
	for (const what of check.wrongCommands) yield `  command ${oneLine(what)}`;
	const counts = `${plural(check.read, "file")} read, ${check.changed} changed, ${plural(check.commands, "command")}`;
	yield `${sign} ${ok ? "The ledger is that of the raw lines" : "The ledger differs from the raw lines"}: ${counts}.`;
}
