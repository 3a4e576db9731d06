import { KEYS, type KeySpec, SETTING_KEYS, type SettingKey } from "../../settings/keys.ts";
import type { ResolvedSettings } from "../../settings/resolve.ts";
import { renderTable } from "../../text/table.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export interface ConfigOptions {
	readonly origin?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: ConfigOptions): Promise<ExitCode> {
	const { out } = context;
	const resolved = context.readSettings();
	const { home } = context.places();
	const value = (key: SettingKey): unknown => (key === "dbDir" ? home : resolved.settings[key]);
	if (out.json) await out.document(toJson(resolved, value));
	else await out.lines(report(context, resolved, value, options));
	for (const { message } of resolved.problems) if (!out.json) out.talk(`weft: ${message}`);
	return resolved.problems.length === 0 ? EXIT.ok : EXIT.usage;
}

function toJson({ origins, problems }: ResolvedSettings, value: (key: SettingKey) => unknown): object {
	const settings = SETTING_KEYS.map((key) => [
		key,
		{ value: value(key), origin: origins[key], default: KEYS[key].default },
	]);
	return { settings: Object.fromEntries(settings), problems };
}

function* report(
	{ out }: Context,
	{ origins }: ResolvedSettings,
	value: (key: SettingKey) => unknown,
	options: ConfigOptions,
): Generator<string> {
	const columns = [
		{ title: "setting", paint: (cell: string) => out.paint("bold", cell) },
		{ title: "value", shrink: true },
		options.origin ? { title: "origin" } : { title: "what it does", shrink: true },
	];
	const rows = SETTING_KEYS.map((key) => {
		const spec: KeySpec = KEYS[key];
		return [key, shown(value(key)), options.origin ? origins[key] : spec.description];
	});
	const paintHead = (text: string): string => out.paint("dim", text);
	yield* renderTable(columns, rows, { style: "ruled", width: out.columns, paintHead });
}

function shown(value: unknown): string {
	return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
