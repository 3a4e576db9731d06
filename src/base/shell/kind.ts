/**
 * The purpose of a simple command. Among several commands, those of the highest rank name the line: `cd x && npm install
 * && npm test; ls` is about `npm test`.
 */
import { ownValue } from "../collection/own-value.ts";
import type { Redirect } from "./types.ts";

/**
 * - scenery: moves, sets, waits, prints (`cd`, `export`, `echo`)
 * - looking: its failure is an answer (`grep` that finds nothing, `ls` of what is not there)
 * - handling: arranges files and processes (`mkdir`, `rm`, `kill`)
 * - chore: versions, packages, the network (`git`, `npm install`, `curl`)
 * - work: everything else; tests, builds, programs
 */
export type CommandKind = "scenery" | "looking" | "handling" | "chore" | "work";

export const RANK: Readonly<Record<CommandKind, number>> = { scenery: 0, looking: 1, handling: 2, chore: 3, work: 4 };

/** `words` are unwrapped. */
export function kindOf(words: readonly string[], redirects: readonly Redirect[]): CommandKind {
	const name = words[0] ?? "";
	const writes = redirects.some((redirect) => isWrite(redirect));
	if (SCENERY.has(name)) return writes ? "handling" : "scenery";
	if (name === "git") return GIT_LOOKS.has(subcommand(words)) ? "looking" : "chore";
	if (name === "sed" || name === "perl")
		return words.some(editsInPlace) ? "handling" : name === "sed" ? "looking" : "work";
	if (name === "gh") return words.some((word) => GH_LOOKS.has(word)) ? "looking" : "chore";
	if (LOOKING.has(name)) return writes ? "handling" : "looking";
	if (/^(python|node|jq)/.test(name) && words.includes("--version")) return "looking";
	if (HANDLING.has(name)) return "handling";
	if (CHORES.has(name) || isInstall(words)) return "chore";
	return name === "" ? "scenery" : "work";
}

/** Its exit status answers a question: 1 means no. */
export function asks(words: readonly string[]): boolean {
	return ASKING.has(words[0] ?? "") || (words[0] === "git" && words.includes("--exit-code"));
}

/** Files may change without a tool that reports it. */
export function alters(words: readonly string[], redirects: readonly Redirect[]): boolean {
	const name = words[0] ?? "";
	if (isInstall(words) || ALTERING.has(name) || words.includes("--fix") || words.includes("--write")) return true;
	if (name === "git") return GIT_ALTERS.has(subcommand(words));
	if (name === "sed" || name === "perl") return words.some(editsInPlace);
	return (SCENERY.has(name) || LOOKING.has(name)) && redirects.some((redirect) => isWrite(redirect));
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const SCENERY = set(
	": cd pushd popd export unset set shopt source . alias declare local readonly echo printf true false sleep wait clear exit return trap ulimit umask read stty hash disown",
);
const LOOKING = set(
	"ls cat head tail less more grep egrep fgrep rg ag ack find fd tree wc sort uniq cut tr awk gawk column nl tac rev fold paste comm diff cmp file stat du df pwd which type whereis command test [ basename dirname realpath readlink date whoami id hostname uname env printenv ps pgrep lsof jobs history man jq yq xxd od hexdump strings bat eza tee md5sum sha256sum sha1sum free top uptime ast-grep sg nproc seq cksum curl wget",
);
const HANDLING = set(
	"mkdir rmdir rm cp mv ln touch chmod chown kill pkill killall tar unzip zip gzip gunzip rsync dd truncate mktemp install patch",
);
const CHORES = set("ssh scp docker docker-compose podman kubectl brew apt apt-get apk systemctl service");
const ASKING = set("grep egrep fgrep rg ag ack test [ diff cmp which type command pgrep false read comm");
const ALTERING = set("rm cp mv ln patch tar unzip rsync truncate dd");
const GIT_LOOKS = set(
	"status log diff show branch remote rev-parse rev-list ls-files ls-tree blame grep describe config shortlog reflog tag cat-file merge-base",
);
const GH_LOOKS = set("view list status watch checks api diff search browse");
const GIT_ALTERS = set("apply checkout restore stash reset merge rebase pull cherry-pick revert switch am clean mv rm");

const INSTALLS: Readonly<Record<string, ReadonlySet<string>>> = {
	npm: set("install i ci add uninstall remove update rebuild link"),
	pnpm: set("install i add remove update"),
	yarn: set("install add remove upgrade"),
	bun: set("install i add remove update"),
	pip: set("install uninstall"),
	pip3: set("install uninstall"),
	uv: set("sync add remove pip lock"),
	poetry: set("install add remove update lock"),
	cargo: set("add remove update fetch install"),
	go: set("get install mod"),
	bundle: set("install update"),
	gem: set("install"),
	composer: set("install require update"),
	dotnet: set("restore add"),
};

function isInstall(words: readonly string[]): boolean {
	const name = words[0] ?? "";
	const sub = subcommand(words);
	if (name === "yarn" && sub === "") return true;
	if (/^python[\d.]*$/.test(name)) return words[1] === "-m" && words[2] === "pip";
	return ownValue(INSTALLS, name)?.has(sub) === true;
}

function subcommand(words: readonly string[]): string {
	return words.slice(1).find((word) => !word.startsWith("-")) ?? "";
}

function editsInPlace(word: string): boolean {
	return /^-[a-zA-Z]*i/.test(word) || word.startsWith("--in-place");
}

/** Not to another descriptor, as `2>&1` is, and not to a device. */
export function isWrite({ operator, target }: Redirect): boolean {
	if (!operator.includes(">") || (operator === ">&" && /^(?:\d+-?|-)$/.test(target))) return false;
	return !/^\/dev\/(?:null|tty|std(?:in|out|err)|fd\/\d+)$/.test(target);
}
