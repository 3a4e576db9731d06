/**
 * Reads a question: what kind of thing it asks for, of which time, agent, file and line, and the words that name its subject.
 * A kind only adds a section to the answer. What no pattern knows, in any language, is still looked for by its words.
 */
import { cutStart } from "../base/text/cut.ts";
import { termsOf } from "../state/memory/recall/terms.ts";
import { readTimeSpan, type TimeSpan } from "./time-span.ts";

/** What a question may ask for. */
export type Aim =
	| "decisions"
	| "rules"
	| "errors"
	| "runs"
	| "files"
	| "agents"
	| "open"
	| "work"
	| "commits"
	| "requests"
	| "reason";

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

const CUES: readonly (readonly [Aim, RegExp])[] = [
	[
		"decisions",
		/\bdecid(?:e|ed|ing)\b|\bdecisions?\b|\bagreed?(?: on| to)?\b|\bsettled?(?: on)?\b|\b(?:chose|chosen|choose|choice)\b|\bgo(?:ne)? with\b|\bwent with\b|\bconclu\w+\b|\bentsch(?:ied|eid)\w*|\bbeschl(?:oss|uss)\w*|\bdécid\w+|\bdécision\w*|\bdecidi\w+|\bdecisi\w+|决定|決め|決定|결정/iu,
	],
	[
		"rules",
		/\brules?\b|\bconstraints?\b|\bconventions?\b|\bpreferences?\b|\bguidelines?\b|\binstructions?\b|\b(?:must|should) (?:i|we|you) (?:always|never|not)\b|^\W*may\b|\b(?:am|are|is) (?:i|we|you|it) (?:allowed|supposed)\b|\b(?:allowed|forbidden|supposed) to\b|\bshould (?:i|we|you|be|it|they|there|the|an?|our|my)\b|\b(?:do|must) (?:i|we) (?:have to|need to|use|keep|want)\b|\bregeln?\b|\bvorgaben?\b|\brègles?\b|\breglas?\b|规则|ルール|규칙/iu,
	],
	[
		"errors",
		/\berrors?\b|\bfail(?:ed|s|ure|ures|ing)?\b|\bbroken?\b|\bcrash\w*\b|\bexceptions?\b|\bcomplain\w*(?: about)?\b|\b(?:go|going|went|goes|is|was|what's) wrong\b|\bstack ?traces?\b|\bwarnings?\b|\bfehler\w*|\bfehlgeschlagen\b|\berreurs?\b|\béchou\w+|\berror(?:es)?\b|\bfall(?:ó|aron)\b|错误|失败|报错|エラー|失敗|오류|에러|실패/iu,
	],
	[
		"runs",
		/\b(?:first|last|latest|initial|previous|most recent|newest|second) (?:[\w-]+ ){0,2}(?:runs?|tests?|builds?|commands?|attempts?|try|lint)\b|\btest (?:runs?|suites?|results?)\b|\b(?:which|what) (?:tests?|builds?|commands?) (?:ran|run|were run|did)\b|\b(?:first|last|latest) run of\b|\b(?:command|commands) (?:did|do|have|has|was|were)\b|\bdid (?:the )?(?:tests?|build|lint) (?:pass|fail)\b|\btestl[aä]uf\w*|\b(?:were|are|was|is) the (?:tests?|builds?)\b|测试|テスト|테스트/iu,
	],
	[
		"files",
		/\b(?:which|what|list(?: the)?|the|any) files?\b|\bfiles? (?:did|were|was|have|has|that)\b|\bwhat (?:did|has|have|was|were) (?:we|i|you|they|it|he|she|\w+)? ?(?:been )?(?:change|edit|touch|modif|rewrit)\w*|\bwhat (?:has |was )?changed\b|\bwelche dateien\b|\bquels fichiers\b|\bqué archivos\b|哪些文件|改了|どのファイル|ファイル|어떤 파일|파일/iu,
	],
	[
		"open",
		/\b(?:still|left|remains?|what(?:'s| is)|anything) (?:open|unfinished|pending|outstanding|to do|undone|missing)\b|\b(?:is|are) (?:still )?(?:open|left|unfinished|pending|outstanding|blocked)\b|\bto-?dos?\b|\bopen (?:items?|points?|questions?|loops?|ends|tasks?|issues?|failures?)\b|\bnext(?: steps?)?\b|\bremain\w*\b|\bwhere (?:were|are|was) (?:we|i|you)\b|\bwhere did (?:we|i|you) (?:leave|stop|get|end)\b|\bleft off\b|\bpick up\b|\bcatch me up\b|\b(?:the|current|project) status\b|\bstatus (?:of|update|report)\b|\bstatus[\s?.!]*$|\bnoch offen\b|\bwo waren wir\b|\bnächste\w* schritt\w*|\boù en (?:étions|sommes)\b|\bpendiente\w*|下一步|还剩|做到哪|未完|次は|どこまで|残り|어디까지|남은|다음/iu,
	],
	[
		"work",
		/\bwhat (?:did|have|has|had|was|were|are|is) (?:we|i|you|they|he|she|it|the [\w-]+(?: [\w-]+)?|[\w-]+) (?:do|done|doing|work\w*|accomplish\w*|achiev\w*|build|built|finish\w*|been|up to)\b|\bthings? (?:that )?(?:we|i|you|they) (?:did|finished|built|worked)\b|\bworked on\b|\bworking on\b|\bwhat happened\b|\bsummar\w+\b|\baccomplish\w*\b|\bwas (?:hat|haben|habe) .{0,30}(?:gemacht|getan)\b|做了什么|何をし|뭐 했|무엇을 했/iu,
	],
	[
		"commits",
		/\bcommits?\b|\bcommitted\b|\bpushed?\b|\bpull requests?\b|\bPRs?\b|\bmerged?\b|\breleased?\b|\bshipped?\b|提交|コミット|커밋/iu,
	],
	[
		"requests",
		/\bwhat (?:did|was|were|has|have) (?:i|the user|user|we) (?:\w+ )?(?:ask|want|request|say|said|tell|told|require)\w*\b|\b(?:first|last|original|initial|previous|newest|latest) (?:request|prompt|message|question|task|order|instruction)s?\b|\b(?:first|last|latest) things? (?:that )?(?:i|we|the user|user) (?:ask|want|request|sa(?:y|id)|t[eo]l[dl])\w*\b|\b(?:i|user) asked\b|\bthe task\b/iu,
	],
	[
		"reason",
		/\bwhy\b|\bhow come\b|\breasons?\b|\brationale\b|\bwhat for\b|\bwarum\b|\bwieso\b|\bweshalb\b|\bpourquoi\b|\bpor qué\b|为什么|なぜ|どうして|왜/iu,
	],
];

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
	const aims = new Set(CUES.filter(([, pattern]) => pattern.test(plain)).map(([aim]) => aim));
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
		[...CUES.map(([, pattern]) => pattern), FIRST, LAST, OTHER].reduce(
			(left, { source, flags }) => left.replace(new RegExp(source, flags.includes("g") ? flags : `${flags}g`), " "),
			from,
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
