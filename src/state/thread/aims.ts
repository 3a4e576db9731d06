/**
 * The kinds of things that words may ask for, whatever these are called in the things themselves: "our conventions" asks for rules,
 * of which none has the word.
 */

/** What a question, or a wish to keep something, may be about. */
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

const CUES: readonly (readonly [Aim, RegExp])[] = [
	[
		"decisions",
		/\bdecid(?:e|ed|ing)\b|\bdecisions?\b|\bagreed?(?: on| to)?\b|\bsettled?(?: on)?\b|\b(?:chose|chosen|choose|choices?)\b|\bgo(?:ne)? with\b|\bwent with\b|\bconclu\w+\b|\bentsch(?:ied|eid)\w*|\bbeschl(?:oss|uss)\w*|\bdécid\w+|\bdécision\w*|\bdecidi\w+|\bdecisi\w+|决定|约定|決め|決定|결정/iu,
	],
	[
		"rules",
		/\brules?\b|\bconstraints?\b|\bconventions?\b|\bpreferences?\b|\bguidelines?\b|\binstructions?\b|\b(?:must|should) (?:i|we|you) (?:always|never|not)\b|^\W*may\b|\b(?:am|are|is) (?:i|we|you|it) (?:allowed|supposed)\b|\b(?:allowed|forbidden|supposed) to\b|\bshould (?:i|we|you|be|it|they|there|the|an?|our|my)\b|\b(?:do|must) (?:i|we) (?:have to|need to|use|keep|want)\b|\bhow (?:i|we|the user) (?:like|want)s? (?:it|them|things|this)\b|\bstyle guides?\b|\bwhat i (?:told|asked) you (?:to|not to|never to)\b|\bregeln?\b|\bvorgaben?\b|\bkonventionen\b|\bvorlieben\b|\banweisungen\b|\brègles?\b|\bconsignes?\b|\breglas?\b|\bnormas?\b|\bpreferencias?\b|规则|规矩|规范|偏好|ルール|決まり|規約|方針|규칙|지침|원칙/iu,
	],
	[
		"errors",
		/\berrors?\b|\bfail(?:ed|s|ure|ures|ing)?\b|\bbroken?\b|\bcrash\w*\b|\bexceptions?\b|\bcomplain\w*(?: about)?\b|\b(?:go|going|went|goes|is|was|what's) wrong\b|\bstack ?traces?\b|\bmistakes?\b|\bpitfalls?\b|\bgotchas?\b|\bdead ends?\b|\bwarnings?\b|\bfehler\w*|\bfehlgeschlagen\b|\berreurs?\b|\béchou\w+|\berror(?:es)?\b|\bfall(?:ó|aron)\b|\bschief\w*|\bsalió mal\b|错误|失败|报错|出错|エラー|失敗|うまくいか|오류|에러|실패|잘못/iu,
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
		/\b(?:still|left|remains?|what(?:'s| is)|anything) (?:open|unfinished|pending|outstanding|to do|undone|missing)\b|\b(?:is|are) (?:still )?(?:open|left|unfinished|pending|outstanding|blocked)\b|\bto-?dos?\b|\bblockers?\b|\bopen (?:items?|points?|questions?|loops?|ends|tasks?|issues?|failures?)\b|\bnext(?: steps?)?\b|\bremain\w*\b|\bwhere (?:were|are|was) (?:we|i|you)\b|\bwhere did (?:we|i|you) (?:leave|stop|get|end)\b|\bleft off\b|\bpick up\b|\bcatch me up\b|\b(?:the|current|project) status\b|\bstatus (?:of|update|report)\b|\bstatus[\s?.!]*$|\bnoch offen\b|\bwo waren wir\b|\bnächste\w* schritt\w*|\boù en (?:étions|sommes)\b|\bpendiente\w*|下一步|还剩|做到哪|未完|次は|どこまで|残り|어디까지|남은|다음/iu,
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

export function aimsOf(words: string): Aim[] {
	return CUES.filter(([, pattern]) => pattern.test(words)).map(([aim]) => aim);
}

/** The words that say what kind of thing is asked for are cut out. */
export function withoutAims(words: string): string {
	return CUES.reduce((left, [, { source, flags }]) => left.replace(new RegExp(source, `${flags}g`), " "), words);
}
