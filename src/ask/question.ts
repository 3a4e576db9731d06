/**
 * Reads a question: what kind of thing it asks for, of which time, agent, file and line, and the words that name its subject.
 * A kind only adds a section to the answer. What no pattern knows, in any language, is still looked for by its words.
 */
import { cutStart } from "../base/text/cut.ts";
import { termsOf } from "../state/memory/recall/terms.ts";
import { type Aim, aimsOf, withoutAims } from "../state/thread/aims.ts";
import { readTimeSpan, type TimeSpan } from "./time-span.ts";

export interface QuestionReading {
	readonly text: string;
	readonly aims: ReadonlySet<Aim>;
	/** The first or the last of what is asked for. */
	readonly end: "first" | "last" | undefined;
	readonly span: TimeSpan | undefined;
	/** Hosts that the question names. */
	readonly agents: readonly string[];
	/** True: it asks for another agent or session than the asking one. */
	readonly isOther: boolean;
	readonly place: AskedPlace | undefined;
	/** Words of the subject, without those that say what kind of thing is asked for. Empty: the question names none. */
	readonly subject: string;
	/** Words of the question but the time. */
	readonly words: string;
	/** True: it asks for the words of the user. */
	readonly isOfUser: boolean;
	/** True: it asks for what holds now, so the newest words count. */
	readonly isOfNow: boolean;
	/** Signs without a letter, as `+=`, which no index of words has. */
	readonly signs: readonly string[];
	/** Names of several words, as `go-git`: their parts alone mean something else. */
	readonly joinedNames: readonly string[];
}

export interface AskedPlace {
	readonly path: string;
	readonly line: number | undefined;
}

const MAX_CHARS = 4_000;

const FIRST =
	/\b(?:first|initial|earliest|original|in the beginning|at the start|erste[nrs]?|premi(?:er|ère)|primer[ao]?)\b|第一|最初|처음|첫/iu;
const LAST =
	/\b(?:last|latest|newest|most recent|final|current|letzte[nrs]?|derni(?:er|ère)|últim[ao])\b|最后|最新|最後|마지막|최근/iu;
const OTHER =
	/\b(?:the |an)?other (?:coding )?(?:agents?|sessions?|assistants?|models?|one)\b|\banother (?:agent|session|assistant)\b|\bsomeone else\b|\bsomebody else\b|\b(?:before|earlier|previous) (?:agents?|sessions?)\b|\bandere[nr]? (?:agent|sitzung)\w*|\bautre (?:agent|session)\b|\botr[oa] (?:agente|sesión)\b|另一个|別の|ほかの|다른/iu;

/** Of what the user wants: also what should be. */
const OF_USER =
	/\b(?:should|supposed to|allowed to)\b|^\W*may\b|\b(?:did|have|had|was|were|what|when|should) (?:i|the user)\b|\bdo (?:i|the user) (?:want|prefer|like|mind|allow)\b|\bi (?:said|say|asked?|want(?:ed)?|told|tell|chose|set|gave|prefer)\b|\bmy (?:request|rule|preference|instruction|decision|word)s?\b|\buser (?:said|say|asked?|want(?:ed)?|told)\b|\bhabe ich\b|\bich gesagt\b|我说|私が|내가/iu;

const OF_NOW =
	/\b(?:now|nowadays|currently|current|these days|at present|at the moment|jetzt|aktuell\w*|zurzeit|derzeit|maintenant|actuellement|ahora|actual\w*)\b|现在|目前|今は|現在|지금|현재/iu;

/** Of a thing that has another name now, only the words of the change name it. */
const NAMED = /\b(?:called|named|(?:the|its|their) (?:new )?name)\b|\bhei(?:ßt|ßen|sst|ssen)\b/iu;

/** `hosts`: the agents that the log knows. */
export function readQuestion(
	question: string,
	{ hosts, now }: { readonly hosts: readonly string[]; readonly now: number },
): QuestionReading {
	const text = cutStart(question, MAX_CHARS);
	const span = readTimeSpan(text, now);
	const words = span ? text.replace(span.words, " ") : text;
	// `worktree.Status` is a name: the question does not ask for a status.
	const plain = words.replace(/[\p{L}_][\p{L}\p{N}_]*(?:(?:\.|::|->)[\p{L}_][\p{L}\p{N}_]*)+(?:\(\))?/gu, "it");
	const aims = new Set(aimsOf(plain));
	const agents = hosts.filter((host) => namesHost(words, host));
	const isOther = OTHER.test(words);
	if (isOther || agents.length > 0) aims.add("agents");
	const place = placeIn(words);
	return {
		text,
		aims,
		end: FIRST.test(words) ? "first" : LAST.test(words) ? "last" : undefined,
		span,
		agents,
		isOther,
		place,
		subject: subjectOf(OF_NOW.test(words) && NAMED.test(words) ? `${words} rename` : words, agents),
		words,
		isOfUser: OF_USER.test(words),
		isOfNow: OF_NOW.test(words),
		signs: signsIn(words),
		joinedNames: [...new Set(words.match(JOINED_NAME) ?? [])].slice(0, MAX_JOINED_NAMES),
	};
}

/** `claude-code` is also "Claude Code" and "claude". A name that does nothing in the question, as "the Claude logo", may be its subject. */
function namesHost(text: string, host: string): boolean {
	const [first = "", ...rest] = host.split("-");
	if (first.length < 2) return false;
	const name = `(?:${[first, ...rest].join("[- ]?")}|${first})`;
	const before = String.raw`(?:did|has|have|had|does|was|by|from) ${name}(?![\w/.-])`;
	const after = String.raw`(?<![\w/.-])${name}(?:'s\b| (?:agents?|sessions?|do|did|done|change|changed|made|make|wrote|said|ran|work|worked|decided?)\b)`;
	return new RegExp(`\\b${before}|${after}`, "iu").test(text);
}

const PLACE =
	/(?<![\w/.@-])((?:[\w@.~-]+\/)*[\w@.-]*\w\.[A-Za-z]\w{0,7}|(?:[\w@.~-]+\/)+[\w@.-]+)(?::(\d{1,7}))?(?![\w/])/gu;

/** The path in a question; one with a line before others. */
function placeIn(text: string): AskedPlace | undefined {
	const places = [...text.matchAll(PLACE)]
		.filter(([path]) => !/^(?:e\.g|i\.e)/i.test(path))
		.map(
			([, path = "", line]): AskedPlace => ({
				path: path.replace(/[.]+$/, ""),
				line: line === undefined ? undefined : Number(line),
			}),
		);
	const lined = places.find(({ line }) => line !== undefined) ?? places[0];
	if (!lined || lined.line !== undefined) return lined;
	const line = /\bline (\d{1,7})\b/iu.exec(text)?.[1];
	return line === undefined ? lined : { ...lined, line: Number(line) };
}

/** `why.ts:12` in an argument, or a folder. */
export function readPlace(given: string): AskedPlace {
	const [, path = given, line] = /^(.*?)(?::(\d{1,7}))?$/s.exec(given) ?? [];
	return { path, line: line === undefined ? undefined : Number(line) };
}

/** Words that ask and do not name: they are ordinary, or part of a cue. */
function subjectOf(text: string, agents: readonly string[]): string {
	const cut = (from: string) =>
		[FIRST, LAST, OTHER].reduce(
			(left, { source, flags }) => left.replace(new RegExp(source, `${flags}g`), " "),
			withoutAims(from),
		);
	const names = new Set(agents.flatMap((host) => host.split("-")));
	return termsOf(cut(text))
		.filter((word) => !names.has(word) && !ASKING.has(word))
		.join(" ");
}

/** Ordinary in a question about the work, wherever the general list does not have them. */
const ASKING = new Set(
	"agent agents session sessions project here earlier previous previously were did we us our über für".split(" "),
);

const SIGN = /(?<=^|\s|[`"'(])[^\s\p{L}\p{N}`"'(),.;:?!]{2,6}(?=$|\s|[`"'),.;:?!])/gu;

const JOINED_NAME = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_.:/][\p{L}\p{N}]+)+(?![\p{L}\p{N}])/gu;
const MAX_JOINED_NAMES = 4;

function signsIn(text: string): readonly string[] {
	return [...new Set(text.match(SIGN) ?? [])].filter((sign) => !/^[-–—]+$/.test(sign));
}
