/** Scripts that let a shell complete weft's commands and options, made from the catalogue. */
import type { CommandSpec } from "./catalogue.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const WRITERS: Readonly<Record<Shell, (commands: readonly Entry[]) => string>> = { bash, zsh, fish };

export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
	return WRITERS[shell](entriesOf(commands));
}

/** `log`, with `add` as one of its words. */
interface Entry {
	readonly name: string;
	readonly summary: string;
	readonly options: readonly Flag[];
	readonly inner: readonly { readonly name: string; readonly summary: string }[];
}

interface Flag {
	readonly long: string;
	readonly description: string;
	readonly takesValue: boolean;
}

function entriesOf(commands: readonly CommandSpec[]): Entry[] {
	return commands
		.filter(({ name }) => !name.includes(" "))
		.map((spec) => {
			const inner = commands.filter(({ name }) => name.startsWith(`${spec.name} `));
			return {
				name: spec.name,
				summary: spec.summary,
				options: flagsOf([spec, ...inner]),
				inner: inner.map(({ name, summary }) => ({ name: name.slice(spec.name.length + 1), summary })),
			};
		});
}

function flagsOf(specs: readonly CommandSpec[]): Flag[] {
	const given = [...specs.flatMap(({ options }) => options ?? []), ...GLOBAL_OPTIONS];
	const flags = given.map(([syntax, description]) => ({
		long: /--[\w-]+/.exec(syntax)?.[0] ?? syntax,
		description,
		takesValue: syntax.includes("<"),
	}));
	return [...new Map(flags.map((flag) => [flag.long, flag])).values()];
}

function bash(commands: readonly Entry[]): string {
	const cases = commands.map(({ name, options, inner }) => {
		const words = [...inner.map((each) => each.name), ...options.map(({ long }) => long)].join(" ");
		return `		${name}) words="${words}" ;;`;
	});
	const names = commands.map(({ name }) => name);
	return `# weft completion bash: put  source <(weft completion bash)  into ~/.bashrc
_weft() {
	local current="\${COMP_WORDS[COMP_CWORD]}" command="" word words at
	for ((at = 1; at < COMP_CWORD; at++)); do
		word="\${COMP_WORDS[at]}"
		case "$word" in
			--home | --project) ((at++)) ;;
			-*) ;;
			*) command="$word"; break ;;
		esac
	done
	case "$command" in
		"") words="${[...names, "help", ...flagsOf([]).map(({ long }) => long), "--version"].join(" ")}" ;;
${cases.join("\n")}
		*) words="" ;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _weft weft
`;
}

function zsh(commands: readonly Entry[]): string {
	const described = (pairs: readonly (readonly [string, string])[]): string =>
		pairs.map(([name, text]) => quoted(`${name}:${text.replaceAll(":", "\\:")}`)).join(" ");
	const cases = commands.map(({ name, options, inner }) => {
		const words = described(inner.map((each) => [each.name, each.summary]));
		const flags = described(options.map(({ long, description }) => [long, description]));
		return `		${name}) inner=(${words}); flags=(${flags}) ;;`;
	});
	const names = described(commands.map(({ name, summary }) => [name, summary]));
	return `#compdef weft
# weft completion zsh: put  source <(weft completion zsh)  into ~/.zshrc, after compinit
_weft() {
	local asked="\${words[2]}"
	local -a names inner flags
	names=(${names})
	if ((CURRENT == 2)); then
		_describe command names
		return
	fi
	case "$asked" in
${cases.join("\n")}
	esac
	if [[ "$PREFIX" == -* ]]; then _describe option flags
	elif ((CURRENT == 3 && \${#inner} > 0)); then _describe command inner
	else _files; fi
}
compdef _weft weft
`;
}

function fish(commands: readonly Entry[]): string {
	const lines = ["# weft completion fish: weft completion fish > ~/.config/fish/completions/weft.fish"];
	for (const { name, summary, options, inner } of commands) {
		lines.push(`complete -c weft -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`);
		const here = `'__fish_seen_subcommand_from ${name}'`;
		for (const each of inner) lines.push(`complete -c weft -n ${here} -a ${each.name} -d ${quoted(each.summary)}`);
		for (const { long, description, takesValue } of options) {
			lines.push(`complete -c weft -n ${here} -l ${long.slice(2)}${takesValue ? " -r" : ""} -d ${quoted(description)}`);
		}
	}
	return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
