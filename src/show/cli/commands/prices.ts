import { mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { writeAtomically } from "../../../base/file/atomic-write.ts";
import { plural } from "../../../base/text/bytes.ts";
import { formatDay } from "../../../base/text/time.ts";
import { isPriceFile, readPriceFile, renderPriceFile } from "../../../base/tokens/price-file.ts";
import { writeSetting } from "../../../settings/sources.ts";
import { renderPrices, viewPrices } from "../../../view/prices.ts";
import type { Context } from "../context.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ args: [file], options }: CheckCall<"prices">): void {
	if (file !== undefined && options.default) throw new EngineError("usage", "Give a FILE or --default, not both.");
}

export function run({ context, args: [file], options }: Call<"prices">): CommandResult {
	const remarks: string[] = [];
	if (file !== undefined) remarks.push(takeOver(context, resolve(context.cwd, file)));
	if (options.default) remarks.push(dropTaken(context));
	const view = viewPrices(context.readSettings().settings.prices, options.model);
	return { data: view, lines: (out) => renderPrices(view, out), remarks };
}

/** A copy, because the given file may go; of the prices alone, because every process reads it. */
function takeOver(context: Context, path: string): string {
	const file = readPriceFile(path);
	const copy = ownCopy(context);
	mkdirSync(dirname(copy), { recursive: true });
	writeAtomically(copy, renderPriceFile(file, formatDay(context.now())));
	writeSetting(context.env, "prices", [...ownLines(context), copy]);
	return `Took over ${plural(Object.keys(file.models).length, "name")} of models from ${path} (${file.format}).`;
}

function dropTaken(context: Context): string {
	const lines = ownLines(context);
	writeSetting(context.env, "prices", lines.length > 0 ? lines : undefined);
	rmSync(ownCopy(context), { force: true });
	return "Back to weft's own table.";
}

function ownCopy(context: Context): string {
	return join(context.ownHome(), "prices.json");
}

/** The user's own prices of single models, without those of a project. */
function ownLines(context: Context): string[] {
	return context.settingsFor({ trusted: false }).settings.prices.filter((entry) => !isPriceFile(entry));
}
