/** Writes the pages of `docs/` that come from the code. `test/docs.test.ts` checks that they are up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVENT_SCHEMAS } from "../src/log/event/schema.ts";
import { KEYS } from "../src/settings/keys.ts";
import { COMMANDS } from "../src/show/cli/catalogue.ts";

const DOCS = join(import.meta.dirname, "..", "docs");
const MADE = "<!-- Made from the code by `npm run docs`. Change it there. -->";

/** The generated pages, by name. */
export function pages(): Record<string, string> {
	return { "events.md": eventsPage(), "commands.md": commandsPage(), "settings.md": settingsPage() };
}

/** The pages whose file is out of date. */
export function stalePages(): string[] {
	return Object.entries(pages())
		.filter(([name, text]) => read(name) !== text)
		.map(([name]) => name);
}

interface Schema {
	readonly type?: string;
	readonly description?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly anyOf?: readonly Schema[];
	readonly items?: Schema | readonly Schema[];
	readonly const?: unknown;
}

function eventsPage(): string {
	const sections = Object.entries(EVENT_SCHEMAS).map(([name, schema]) => {
		const { description = "", properties = {}, required = [] } = schema as unknown as Schema;
		const rows = Object.entries(properties).map(([field, each]) => {
			const optional = required.includes(field) ? "" : " (optional)";
			return `| \`${field}\` | ${cell(typeName(each))}${optional} | ${cell(each.description ?? "")} |`;
		});
		return [`## ${name}`, "", description, "", "| field | type | what |", "|---|---|---|", ...rows, ""].join("\n");
	});
	return `${MADE}

# What does the log hold?

Every event has \`seq\` (its place in this log), \`id\` (UUIDv7), \`origin\` (the installation that wrote it), \`session\`,
\`host\`, \`ts\` (ms since the epoch), \`type\`, \`v\` (version of the type), \`cause\` (seq of what led to it), \`entry\` (the
host's own id of it) and a \`payload\`. An event of a type or version that this weft does not know is kept, skipped
and counted.

${sections.join("\n")}
## When it does not work

- **An event is missing**: \`weft log --session ID\` shows one session. Tool events older than a week are in an archive; questions
  about them are still answered.
- **An event is marked as wrong**: its bytes have changed since it was written. \`weft verify\` says which, \`weft repair\` looks for copies.
`;
}

function typeName(schema: Schema): string {
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.anyOf) return schema.anyOf.map(typeName).join(" | ");
	if (schema.type === "array") {
		const { items } = schema;
		if (Array.isArray(items)) return `[${items.map(typeName).join(", ")}]`;
		return `${items ? typeName(items as Schema) : "unknown"}[]`;
	}
	if (schema.type === "object" && schema.properties) {
		return `{ ${Object.entries(schema.properties)
			.map(([key, each]) => `${key}: ${typeName(each)}`)
			.join(", ")} }`;
	}
	return schema.type ?? "any JSON";
}

function commandsPage(): string {
	const sections = COMMANDS.map((command, at) => {
		const args = (command.args ?? []).map(([syntax]) => ` ${syntax}`).join("");
		const group = command.group === COMMANDS[at - 1]?.group ? [] : [`## ${command.group}`, ""];
		const what = command.description ?? `${capital(command.summary)}.`;
		const lines = [...group, `### weft ${command.name}${args}`, "", what, ""];
		const options = Object.values(command.options ?? {}).map(({ flags, description }) => [flags, description] as const);
		const rows = [...(command.args ?? []), ...options];
		if (rows.length > 0)
			lines.push("| | |", "|---|---|", ...rows.map(([a, b]) => `| \`${cell(a)}\` | ${cell(b)} |`), "");
		if (command.examples.length > 0) lines.push("```sh", ...command.examples, "```", "");
		return lines.join("\n");
	});
	return `${MADE}

# Which commands are there?

Every command takes \`--json\`, \`--home DIR\`, \`--project DIR\`, \`--trust\`, \`--no-color\` and \`--help\`. Data goes to
standard output, messages to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 refused or locked.
Like grep, \`weft grep\` exits with 1 when nothing is found.

${sections.join("\n")}
## When it does not work

- **"There is no log for … yet"**: the log belongs to the repository around the folder. \`--project DIR\` names another.
- **A command is refused**: the message says what holds it and what to do. \`weft doctor\` looks at everything.
- More in [troubleshooting](troubleshooting.md).
`;
}

function settingsPage(): string {
	const rows = Object.entries(KEYS).map(([key, spec]) => {
		const value = spec.default === null ? "" : `\`${JSON.stringify(spec.default)}\``;
		return `| \`${key}\` | ${spec.type} | ${value} | ${cell(spec.description)} | ${spec.env.map((name) => `\`${name}\``).join(", ")} |`;
	});
	return `${MADE}

# What can be set, and where?

A flag beats \`WEFT_*\` beats \`LCM_*\` beats the project's \`.weft/config.json\` beats \`.pi/warp-engine/config.json\` beats the
user's \`weft/config.json\` in the XDG configuration folder beats the key \`lcm\` of Pi's settings beats the default.
\`enabled: false\` in any of them turns weft off. \`weft config --origin\` shows the effective values and where each comes from.

## The files

| file | whose | what it may hold |
|---|---|---|
| \`.weft/config.json\` | the project's | any key of the table below |
| \`.pi/warp-engine/config.json\` | the project's | the same keys. The Warp Engine document has these: \`enabled\`, \`policyMode\`, \`maxReadLines\`, \`requireReadBeforeWrite\`, \`maxReadAgeMs\`, \`enforceDiscoveryOrder\`, \`enforceEditOrder\`, \`minEventsToKeep\`. It never chooses the mode by being there: \`mode\` does |
| \`weft/config.json\` in \`$XDG_CONFIG_HOME\`, else \`~/.config\` | yours | any key |
| \`settings.json\` in Pi's agent folder | yours | any key, under \`lcm\` |

Paths in a file are relative to it. weft names an unknown key or a bad value with its file,
skips both, and uses the next place or the default. Commands that write by the settings (\`weft import\`, \`weft prune\`,
\`weft proxy\`, \`log add\`, \`memory add\`) stop at a bad value or at a file that cannot be read. \`weft config\` lists the problems.
In an agent weft tells you once per session and carries on.

## Trust

The project's own files can name code to run (\`handlers\`) and move the data (\`dbDir\`). So they count only in a project that
you trust. Trust lets these two files count and does nothing else: weft records and guards in any project.

| where | how you trust a project |
|---|---|
| the command line | \`weft trust\`, for its path, until \`weft trust --undo\`; for one run \`--trust\` or \`WEFT_TRUST=1\` |
| Claude Code, Codex, opencode | \`weft trust\` |
| Pi | Pi decides: by its own question, \`/trust\`, or \`pi --approve\` for one run |
| OpenClaw | \`trusted: true\` in \`plugins.entries.weft.config\` |
| your own code | \`trusted: true\` |

In a project that is not trusted, weft tells you in every agent, once per session, which file is ignored and what it would set.

## The keys

| key | type | default | what | environment |
|---|---|---|---|---|
${rows.join("\n")}

## When it does not work

- **A value has no effect**: \`weft config --origin\` shows where each one comes from. A project's own file counts only after \`weft trust\`.
- **A key is unknown**: the message names the file. Keys of a newer weft are skipped.
- **weft does nothing**: one of the files says \`enabled: false\`.
`;
}

function cell(text: string): string {
	return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function read(name: string): string | undefined {
	try {
		return readFileSync(join(DOCS, name), "utf8");
	} catch {
		return undefined;
	}
}

if (import.meta.main) {
	for (const [name, text] of Object.entries(pages())) writeFileSync(join(DOCS, name), text);
}
