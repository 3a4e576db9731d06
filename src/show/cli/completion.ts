/** Renders shell scripts that complete weft's commands and options, from the catalogue. */
import type { NamedCommand } from "./catalogue.ts";
import { GLOBAL_OPTIONS, longName } from "./options.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const RENDERERS: Readonly<Record<Shell, (commands: readonly CompletionWord[]) => string>> = { bash, zsh, fish };

export function completionScript(shell: Shell, commands: readonly NamedCommand[]): string {
	return RENDERERS[shell](entriesOf(commands));
}

/** `log`, with `add` as one of its words; `completion` with the shells, `help` with the commands. */
interface CompletionWord {
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

function entriesOf(commands: readonly NamedCommand[]): CompletionWord[] {
	const own = commands
		.filter(({ name }) => !name.includes(" "))
		.map(({ name, summary }) => {
			const inner = commands.filter((each) => each.name.startsWith(`${name} `));
			const words = inner.map((each) => ({ name: each.name.slice(name.length + 1), summary: each.summary }));
			const shells = name === "completion" ? SHELLS.map((shell) => ({ name: shell, summary: "" })) : [];
			const options = flagsOf(commands.filter((each) => each.name === name || inner.includes(each)));
			return { name, summary, options, inner: [...words, ...shells] };
		});
	return [...own, { name: "help", summary: "print help for a command", options: flagsOf([]), inner: own }];
}

function flagsOf(specs: readonly NamedCommand[]): Flag[] {
	const given = [...specs.flatMap(({ options }) => Object.values(options ?? {})), ...Object.values(GLOBAL_OPTIONS)];
	const flags = given.map(({ flags, description }) => ({
		long: longName(flags),
		description,
		takesValue: flags.includes("<"),
	}));
	return [...new Map(flags.map((flag) => [flag.long, flag])).values()];
}

/** The options that take a value, for a `case` of the shell. */
function valuedOf(commands: readonly CompletionWord[]): string[] {
	const valued = commands.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue));
	return [...new Set(valued.map(({ long }) => long))].sort();
}

function globalFlags(): Flag[] {
	return [...flagsOf([]), { long: "--version", description: "print the version", takesValue: false }];
}

function bash(commands: readonly CompletionWord[]): string {
	const cases = commands.map(({ name, options, inner }) => {
		const flags = options.map(({ long }) => long).join(" ");
		return `		${name}) inner="${inner.map((each) => each.name).join(" ")}" words="${flags}" ;;`;
	});
	const names = [...commands.map(({ name }) => name), ...globalFlags().map(({ long }) => long)];
	return `# weft completion bash: put  source <(weft completion bash)  into ~/.bashrc
_weft() {
	local current="\${COMP_WORDS[COMP_CWORD]}" command="" inner="" words="" at
	COMPREPLY=()
	case "\${COMP_WORDS[COMP_CWORD - 1]}" in
		${valuedOf(commands).join(" | ")}) return ;;
	esac
	for ((at = 1; at < COMP_CWORD; at++)); do
		case "\${COMP_WORDS[at]}" in
			--home | --project) ((at++)) ;;
			-*) ;;
			*) command="\${COMP_WORDS[at]}"; break ;;
		esac
	done
	case "$command" in
		"") words="${names.join(" ")}" ;;
${cases.join("\n")}
	esac
	((at == COMP_CWORD - 1)) && words="$inner $words"
	COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _weft weft
`;
}

function zsh(commands: readonly CompletionWord[]): string {
	const described = (pairs: readonly (readonly [string, string])[]): string =>
		pairs.map(([name, text]) => quoted(text === "" ? name : `${name}:${text.replaceAll(":", "\\:")}`)).join(" ");
	const flagsIn = (options: readonly Flag[]) => described(options.map(({ long, description }) => [long, description]));
	const cases = commands.map(({ name, options, inner }) => {
		const words = name === "help" ? "$names" : described(inner.map((each) => [each.name, each.summary]));
		return `		${name}) inner=(${words}); flags=(${flagsIn(options)}) ;;`;
	});
	const names = described(commands.map(({ name, summary }) => [name, summary]));
	return `#compdef weft
# weft completion zsh: put  source <(weft completion zsh)  into ~/.zshrc, after compinit
_weft() {
	local asked="" at
	local -a names inner flags
	names=(${names})
	case "\${words[CURRENT - 1]}" in
		${valuedOf(commands).join(" | ")}) _files; return ;;
	esac
	for ((at = 2; at < CURRENT; at++)); do
		case "\${words[at]}" in
			--home | --project) ((at++)) ;;
			-*) ;;
			*) asked="\${words[at]}"; break ;;
		esac
	done
	case "$asked" in
		"") inner=($names); flags=(${flagsIn(globalFlags())}) ;;
${cases.join("\n")}
	esac
	if [[ "$PREFIX" == -* ]]; then _describe option flags
	elif [[ -z "$asked" ]] || ((at == CURRENT - 1 && \${#inner} > 0)); then _describe command inner
	else _files; fi
}
compdef _weft weft
`;
}

function fish(commands: readonly CompletionWord[]): string {
	const lines = [
		`# weft completion fish: weft completion fish > ~/.config/fish/completions/weft.fish
# The command of the line and the words after it.
function __weft_words
	set -l words (commandline -opc)
	set -e words[1]
	while set -q words[1]
		switch $words[1]
			case --home --project
				set -e words[1]
			case '-*'
			case '*'
				printf '%s\\n' $words
				return
		end
		set -e words[1]
	end
end
function __weft_in
	set -l words (__weft_words)
	test "$words[1]" = "$argv[1]"
end
function __weft_first
	set -l words (__weft_words)
	test "$words" = "$argv[1]"
end`,
	];
	const add = (here: string, rest: string) => lines.push(`complete -c weft -n ${quoted(here)} ${rest}`);
	const flag = (here: string, { long, description, takesValue }: Flag) =>
		add(here, `-l ${long.slice(2)}${takesValue ? " -r" : ""} -d ${quoted(description)}`);
	const word = (here: string, { name, summary }: Pick<CompletionWord, "name" | "summary">) =>
		add(here, `-f -a ${name}${summary === "" ? "" : ` -d ${quoted(summary)}`}`);
	for (const each of globalFlags()) flag("__weft_in ''", each);
	for (const { name, summary, options, inner } of commands) {
		word("__weft_in ''", { name, summary });
		for (const each of inner) word(`__weft_first ${name}`, each);
		for (const each of options) flag(`__weft_in ${name}`, each);
	}
	return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
