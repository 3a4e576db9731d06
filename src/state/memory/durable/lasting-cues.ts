/**
 * Forms that tell whether a sentence of the user is meant for the project or for the task in hand, in several languages. The thread
 * says that a sentence sets a rule; this room decides whether the rule outlives its session.
 */
import { FOR_LATER, LATER_WORDS, REMEMBER, REMEMBER_WORDS, words } from "../../thread/keep-words.ts";

/** The sentence speaks of all later work. */
const STANDING = new RegExp(
	[
		LATER_WORDS,
		words(
			"in (?:this|our) (?:project|repo|repository|codebase|team|company|workspace)|(?:this|our) (?:project|repo|repository|codebase) (?:uses?|has|follows?|targets?|supports?|is|runs?|needs?)|(?:house|project|team|general|our|the|my) (?:rules?|policy|policies|conventions?|standards?)(?: (?:is|are)|:)|(?:our|my) rule of thumb|rules?:|by default|every (?:time|commit|pr|pull request|release|test|change|session)|whenever",
			"in diesem (?:projekt|repo|repository)|standardmäßig|unsere (?:regel|konvention)(?: ist)?|jedes ?mal|(?:bei|vor|nach) jede[mr] \\p{L}+",
			"en este (?:proyecto|repositorio|repo)|por (?:norma|defecto|regla)|(?:antes|después) de cada \\p{L}+|cada vez",
			"dans ce (?:projet|dépôt)|par (?:défaut|principe)|(?:avant|après) chaque \\p{L}+|chaque fois",
			"in questo progetto|neste projeto|w tym projekcie|bu projede|в этом проекте|по умолчанию",
		),
		"このプロジェクト|このリポジトリ|毎回|本项目|这个项目|(?:我们|咱们)项目|每次|默认|이 프로젝트|이 저장소|매번|기본적으로",
	].join("|"),
	"iu",
);

/** An order about every later occasion: it opens with the word that says so. */
const OPENS_WITH_ALWAYS =
	/^(?:(?:please|pls|and|also|but|so|ok|okay|btw|hey|one more|you|we|bitte|und|auch|wir|du|por favor|y|también|nous|tu|vous)[,:]? (?:should |must |have to |müssen |sollen )?)*(?:always(?! \p{L}*[^s\P{L}]s(?!\p{L}))|immer|siempre|toujours|sempre|altijd|zawsze|her zaman|всегда)(?!\p{L})|^[^。！？]{0,24}(?:必ず|常に|总是|始终|一律|항상|언제나|반드시)/iu;

/** The user and their team do so: a habit, not a wish. */
const OURS = new RegExp(
	[
		words(
			"we (?!need|should|have to|must|want|can|could|will|would|are going|might|may|had|were|got|just|now have|still|also need|saw|see|found|are (?:getting|seeing))(?:\\p{L}+)",
			"our (?!\\p{L}+ (?:fails?|is broken|broke|crash))\\p{L}+",
			"wir (?!brauchen|müssen|sollten|wollen|können|könnten|haben gerade|sehen)\\p{L}+|(?<!für )unsere?[rmns]? \\p{L}+|bei uns",
			"(?:usamos|utilizamos|trabajamos|tenemos|llamamos|escribimos|desplegamos|guardamos|publicamos)|nuestr[oa]s? \\p{L}+",
			"(?:nous|on) (?:utilisons|utilise|avons|travaillons|écrivons|déployons|gardons)|notre \\p{L}+|nos \\p{L}+",
			"usiamo|utilizziamo|nostr[oaie] \\p{L}+|(?:nós )?usamos|noss[oa]s? \\p{L}+|wij gebruiken|onze \\p{L}+|używamy|nasz\\p{L}* \\p{L}+|kullanıyoruz|мы (?:используем|пишем|храним|держим)|наш\\p{L}* \\p{L}+",
		),
		"(?:うち|弊社|私たち|我々|チーム)(?:は|では|の)|(?:我们|咱们)(?!需要|应该|要|得|想|能不能|可以|先)|(?:우리|저희)(?:는|가|의| )",
	].join("|"),
	"iu",
);

const PREFERENCE = new RegExp(
	[
		words(
			"i(?:'d| would)? (?:really |much |strongly )?(?:prefer|rather)|i (?:really )?(?:like|love|hate|dislike|can'?t stand)(?= it when| (?!(?:how|what|that|the)(?!\\p{L}))(?:\\p{L}+ )?(?!(?:this|his|its|thus)(?!\\p{L}))\\p{L}{2,}[^s\\P{L}]s(?!\\p{L}))|my (?:preferred|favou?rite|preference)|(?:answer|reply|respond|talk|speak|explain)(?: to me)? (?:in|briefly|with)|keep (?:your )?(?:answers|replies|explanations)|call me",
			"ich (?:mag|bevorzuge|hasse|hätte (?:gern|lieber)|arbeite lieber)|mir (?:ist|sind|wäre) .{0,30}lieber|antworte(?: mir)?|sprich mich|nenn mich|duze? mich",
			"prefiero|me gustan?(?! esto| eso)|odio|resp[oó]ndeme|cont[eé]stame|ll[aá]mame|je préfère|j'aime(?:rais)? (?!ça)|je déteste|réponds(?:-moi)?|tutoie-moi|preferisco|mi piac(?:e|ciono)|prefiro|ik heb liever|wolę|tercih ederim|(?:я|мне) (?:предпочитаю|нравится|больше нравится)|отвечай",
		),
		"好む|(?:の|が)(?:方|ほう)が(?:いい|良い|好き)|が(?:好き|嫌い)|答えて|返事は|我(?:更|比较)?(?:喜欢|偏好|讨厌|习惯)|回答(?:我|请|要|用)|선호|(?:이|가|을|를) (?:더 )?(?:좋아|싫어)|대답(?:은|해)|답변(?:은|해)",
	].join("|"),
	"iu",
);

/** Only for the work in hand. */
const FOR_NOW = new RegExp(
	[
		words(
			"for (?:now|the moment|this (?:task|one|change|pr|time|session|commit|run))|right now|at the moment|(?:just )?this (?:once|time)|yet|today|tonight|tomorrow|in this (?:task|pr|change|session|commit|file|function|test|run)|(?:this|that|these|those) (?:function|file|test|change|task|commit|branch|pr|class|method|ticket|issue|bug|session|module|component|page|endpoint|query|script|loop)",
			"vorerst|erst ?mal|fürs erste|diesmal|heute|morgen|im moment|in dieser (?:datei|funktion|aufgabe)|(?:diese[rnms]?) (?:datei|funktion|test|änderung|aufgabe|klasse|methode)",
			"por ahora|de momento|por el momento|esta vez|hoy|mañana|en est[ea] (?:archivo|función|tarea|prueba|cambio)|pour l'instant|pour le moment|cette fois|aujourd'hui|demain|dans (?:ce fichier|cette (?:fonction|tâche))",
		),
		"今回(?:は|だけ)?|今日|とりあえず|一旦|この(?:関数|ファイル|テスト|変更|タスク)|暂时|这次|目前|今天|明天|这个(?:函数|文件|测试|改动|任务|类)|先不|일단|이번(?:에|만)|오늘|내일|이 (?:함수|파일|테스트|변경|작업)",
	].join("|"),
	"iu",
);

const THANKS =
	/^(?:thanks|thank you|thx|danke|vielen dank|gracias|merci|obrigad\p{L}|grazie|dank je|dzięki|teşekkür|спасибо|ありがとう|谢谢|감사|고마)/iu;

/** A remark on the talk, a feeling, a state of the moment: true for a minute. */
const PASSING =
	/^(?:(?:well|ok|okay|yes|no|hm+|ah|oh|so|and|but|ja|nein|sí|oui|non)[,.! ]+)*(?:i(?:'m|'ve|'ll|'d)?|this|that|it|its|it's|they|there|he|she|you|ich|das|dies|es|du|sie|esto|eso|yo|ça|c'est|ce|je|tu|isso|isto|eu|questo|io|я|это|ты|これ|それ|私|我|这|那|你|이거|그거|나는|저는)(?!\p{L})/iu;
const TROUBLE =
	/(?<!\p{L})(?:fail(?:s|ed|ing|ure)?|broken?|breaks|crash\p{L}*|bugs?|errors?(?! (?:messages?|handling|codes?|types?|classes|pages?)(?!\p{L}))|exceptions?|doesn'?t work|not working|slow|wrong|stuck|hangs?|kaputt|fehler\p{L}*|schlägt fehl|geht nicht|falla\p{L}*|roto|rota|no funciona|ne (?:marche|fonctionne) pas|échoue|cassée?|сломан\p{L}*|ошибк\p{L}*|падает)(?!\p{L})|エラー|失敗|壊れ|動かない|バグ|报错|失败|坏了|不工作|崩溃|오류|실패|고장|안 ?돼/iu;

const LEAD = String.raw`(?:(?:ok(?:ay)?|alright|al+right|wait|hm+|uh|um|o+h+|a+h+|haha|lol|na+h+|nope|yeah?|yep|yes|no(?=[,.!])|no (?=don'?t|let|not )|great|nice|cool|perfect|well|so|but|and|also(?!,)|then|actually|hey|sure|right(?=[,.!])|fine|wow|for example|ja|nein(?=[,.!])|aber|und|genau|super|vale|bueno|pero|sí|mais|et|oui|non(?=[,.!]))[\s,.!:…-]+)`;

const TALK_LEAD = new RegExp(`^${LEAD}+`, "iu");

/** The words after "ok, so". */
export function withoutTalkLead(sentence: string): string {
	return sentence.replace(TALK_LEAD, "");
}

/** "Ok, …", "but …", "wait …": said in the middle of a talk, about what is being talked of. */
const TALK = new RegExp(`^(?:${LEAD}|\\.\\.\\.|let'?s |lass uns )`, "iu");
/** The same, and it turns something down. */
const REFUSES =
	/^(?:na+h+|nope|no(?=[,.! ](?:,? ?(?:don'?t|let|not )))|wait|nein(?=,)|non(?=,))(?!\p{L})|(?<!\p{L})let'?s (?!encrypt|agree (?:that|to|on) |make it a (?:rule|habit) )/iu;

/** A question that lacks its mark. */
const ASKS = new RegExp(
	[
		`^${LEAD}*(?:(?:can|could|should|shall|would|will|does|did|is|are|was|were|am|isn'?t|aren'?t|doesn'?t|didn'?t|shouldn'?t|couldn'?t|wouldn'?t) (?:we|i|you|it|this|that|these|those|the|there|they|he|she|an?|our|my|your)(?!\\p{L})|(?:do|have|has|had) (?:we|i|you|it|they|he|she)(?!\\p{L})|(?:why|how|who|whose|where|what|which)(?!\\p{L}))`,
		"(?<!\\p{L})(?:how|why|where) (?:can|could|do|does|did|are|is|should|would|will) (?:we|i|you|it|they|this|that|the)(?!\\p{L})",
		"^(?:kann|kannst|können|könnten|könntest|soll|sollen|sollten|warum|wieso|weshalb|was|wie|wo|wann|wer|welche[rsmn]?)(?!\\p{L})",
		"^(?:¿|(?:puedes|podemos|podrías|por qué|cómo|qué|cuál|cuándo|dónde|quién|pourquoi|comment|peux-tu|pouvons-nous|est-ce)(?!\\p{L}))",
	].join("|"),
	"iu",
);

/** Said with a doubt, or handed back as a question: nobody has settled it. */
const HEDGED = new RegExp(
	[
		words(
			"maybe|perhaps|probably|possibly|i (?:guess|suppose|wonder|assume)|not sure|or something|or whatever?|i think",
			"vielleicht|eventuell|vermutlich|wahrscheinlich|ich glaube|quizás?|tal vez|a lo mejor|creo que|peut-être|je crois|forse|talvez|может быть|наверное",
		),
		"たぶん|多分|かもしれない|也许|可能|大概|아마|혹시",
		// Somebody else's wish: nobody has agreed to it yet.
		words(
			"(?:says?|said|thinks?|wants?|suggests?|suggested|proposes?|proposed|asks?|asked)(?: that| if)? (?:we|us|you|i) (?:should|could|might|can|may|need to|to)",
			"(?:sagt|meint|findet|schlägt vor|möchte|will),? (?:dass )?(?:wir|ich|du) .{0,60}soll\\p{L}*|(?:sagt|meint|findet),? (?:wir|ich|du) soll\\p{L}*",
			"(?:dice|cree|propone|sugiere|quiere) que (?:debemos|deberíamos|podríamos|\\p{L}+mos)|(?:dit|pense|propose|suggère|veut) (?:que|qu['’])(?: ?l['’])? ?(?:on|nous|je|tu) (?:devrai|dev|pourr|doi)\\p{L}*|(?:dice|pensa|propone) che dovremmo|(?:diz|acha) que dev\\p{L}+",
		),
		"(?:说|觉得|建议|认为)(?:我们|咱们)(?:应该|可以|要|最好)|(?:べき|ほうがいい)(?:だ)?と(?:言|提案)|자고 (?:해|했|하|말)",
		"(?:,| )(?:right|correct|no|oder|nicht wahr|¿?verdad|non|да)[\\s.…]*$",
	].join("|"),
	"iu",
);

/** A wish for the work in hand, an offer that was taken by its label: no choice between two ways. */
const WISH =
	/^(?:(?:wait|ok(?:ay)?|so|and|now|hey|well|yes|yeah)[,. ]+)*(?:i (?:(?:also |just |really )?(?:want|need|will|am|wanna)|would like|'?d like)|you (?:are|should|will)|ich (?:will|möchte|brauche)|quiero|je veux)(?!\p{L})/iu;

/** "in the header make sure that …": the place of the work, then the order. */
const PLACED_ORDER =
	/^(?:in|on|under|inside) the [^,.:]{2,40}? (?:make sure|add|change|put|remove|move|show|fix)(?!\p{L})/iu;

export function isPlacedOrder(sentence: string): boolean {
	return PLACED_ORDER.test(sentence) && !STANDING.test(sentence.replace(/when .*/iu, ""));
}

/** Shows what something means. */
const EXAMPLE =
	/^(?:(?:for example|for instance|e\.g\.|zum beispiel|z\. ?b\.|por ejemplo|par exemple|per esempio|por exemplo|например)(?!\p{L})|例えば|たとえば|例如|比如|예를 들)/iu;

export function isHedged(sentence: string): boolean {
	return HEDGED.test(sentence);
}

/** Whether a sentence that reads as a decision or a correction settles something, and is whole. */
export function isSettled({ kind, text }: { readonly kind: string; readonly text: string }): boolean {
	const isWhole = !/(?:[,，、:：…]|\.\.\.)\s*$/u.test(text);
	return isWhole && !EXAMPLE.test(text) && (kind !== "decision" || !(isHedged(text) || WISH.test(text)));
}

/** Points at something that only the talk shows. */
const POINTS =
	/(?<!\p{L})(?:this(?! (?:project|repo|repository|codebase|team|company|workspace))|that(?= (?:one|way|case|file|test|thing)|[.!]?$)|these|those|above|below|the (?:next|following|same|previous)|previously|earlier|again|here's|it'?s|something|whatever|inbound|coming)(?!\p{L})/iu;

/** A name, a number, a path, a quoted word: the value of a fact. */
const VALUE = /\d|["'\x60“„«「『][^"'\x60”»」』]{2,}["'\x60”»」』]|[\w-]+[._/][\w./-]+|\p{Ll}\p{Lu}|(?<=\s)\p{Lu}/u;

/** Said in passing while people work: it holds for the moment, unless the sentence says otherwise. */
export function isTalk(sentence: string): boolean {
	return TALK.test(sentence);
}

export function isRefusal(sentence: string): boolean {
	return REFUSES.test(sentence);
}

export function asksWithoutMark(sentence: string): boolean {
	return ASKS.test(sentence);
}

export function pointsAtTalk(sentence: string): boolean {
	return POINTS.test(sentence);
}

/** A sentence that somebody typed in a hurry: it begins small and names nothing. */
export function isCasual(sentence: string): boolean {
	return /^(?:\p{Ll}|[^\p{L}\p{N}"'\x60“¿¡@$/(])/u.test(sentence) && !VALUE.test(sentence);
}

/** "tests go next to their source": things of a kind come first, and few words follow. */
const ABOUT_THINGS =
	/^(?!(?:always|this|perhaps|besides|thus|yes|sometimes)(?!\p{L}))(?:(?:the|all|every|each|any|alle|jede[rs]?|die|der|das|los|las|el|la|todos|todas|les|le|tous|toutes) |\p{L}{2,}[^s\P{L}]s )\S+(?: \S+){1,11}$/iu;

export function isAboutThings(sentence: string): boolean {
	return ABOUT_THINGS.test(sentence);
}

/** Speaks of the thing before it: alone it says nothing. */
export function refersBack(sentence: string): boolean {
	return PASSING.test(sentence.replace(GERMAN_ARTICLE, ""));
}

/** "Das Limit": "das" alone points at something. */
const GERMAN_ARTICLE = /^Das (?=\p{Lu})/u;

export function asksToRemember(sentence: string): boolean {
	return REMEMBER.test(sentence);
}

export function isStanding(sentence: string): boolean {
	return STANDING.test(sentence) || opensStanding(sentence);
}

/** "Lösche niemals", "Pregunta siempre": the verb of an order, then the word for all times. */
const VERB_FOR_ALL_TIMES =
	/^(?!(?:es|das|er|sie|ich|du|wir|eso|esto|yo|él|ella|il|elle|ça|je|tu|on|isso|isto|он|она|оно|я)(?!\p{L}))\p{L}+ (?:niemals|nie|immer|nunca|siempre|jamais|toujours|sempre|mai|nooit|altijd|никогда|всегда)(?!\p{L})/iu;

const ORDER_TO_FORGET = new RegExp(
	`^${LEAD}*(?:(?:please|pls|bitte|por favor)[, ]+)?(?:(?:forget|ignore|scrap|drop|never ?mind|vergiss|vergesst|ignoriere?|streiche?|olvida|ignora|oublie|oubliez|dimentica|esque[cç][ae]|vergeet|zapomnij|unut|забудь)(?!\\p{L}).*|.{2,30}(?:忘れて|取り消し|撤回)[^、。]{0,8}|(?:忘掉|取消|收回|忘记).{2,30}|.{2,30}(?:作废|取消)|.{2,30}(?:잊어|취소)[^,]{0,8})$`,
	"iu",
);

/** "Forget about the linter rule": an order to remove it, and nothing that holds in its place. */
export function onlyForgets(sentence: string): boolean {
	const [order = "", ...others] = sentence.split(/[,;，、；]\s*|\s[—–-]\s/u);
	const saysMore = (clause: string) => OURS_FIRST.test(clause) || INSTEAD.test(clause) || VALUE.test(clause);
	return ORDER_TO_FORGET.test(order) && !others.some(saysMore);
}

/** What to do in its place. */
const INSTEAD =
	/^(?:(?:and|but|und|aber|y|pero|et|mais) )?(?:use|take|go|we|keep|it'?s|nimm|nehmt|nutze?|verwende|wir|usa|usad|usamos|utiliza|es|utilise|prends|on|nous|改用|使用|用)(?!\p{L})/iu;

/** "From today on": it was otherwise before. */
export function isForLater(sentence: string): boolean {
	return FOR_LATER.test(sentence);
}

/** The sentence opens as an order for all times, even where its verb names a piece of work. */
export function opensStanding(sentence: string): boolean {
	return FOR_LATER.test(sentence) || OPENS_WITH_ALWAYS.test(sentence) || VERB_FOR_ALL_TIMES.test(sentence);
}

export function isHabit(sentence: string): boolean {
	return OURS.test(sentence);
}

const OURS_FIRST = new RegExp(`^(?:[^:：.!?]{2,40}[:：]\\s*|btw,? )?(?!we have (?!to ))(?:${OURS.source})`, "iu");

/** The sentence is about what we do: it does not only mention it. */
export function opensAsHabit(sentence: string): boolean {
	return OURS_FIRST.test(sentence);
}

/** A line of a terminal: a prompt with a command, a tag of a tool, a tick. */
const TERMINAL = /^\s*(?:[❯➜»]|[$%#] \S|\[[\w:./-]+\] |\S+@\S+[:%$ ].*[%$#] )|[✔✖✓✗]\s*$/mu;
/** A review or a report: bold words, calls of functions, lines of files. */
const REPORT = /\*\*\S|[\p{L}_]\w{2,}\(\)|\/[\w.-]+\.\w+:\d/u;

/** Of a longer message most is pasted, and somebody else's words. */
const [MAX_TYPED_CHARS, MAX_TYPED_SENTENCES] = [700, 8];

/** Most of the message is not the user's own typing. */
export function isPastedMessage(message: string, sentences = 0): boolean {
	return (
		message.length > MAX_TYPED_CHARS ||
		sentences > MAX_TYPED_SENTENCES ||
		TERMINAL.test(message) ||
		REPORT.test(message)
	);
}

export function isPreference(sentence: string): boolean {
	return PREFERENCE.test(sentence) && !OF_SHOWN.test(sentence);
}

/** "The second one": of what the agent has just shown. */
const OF_SHOWN =
	/(?<!\p{L})the (?:first|second|third|last|other|latter|former|top|bottom|left|right|new|old) one(?!\p{L})/iu;

/** How the agent shall talk, though it reads as an order. */
export function isAboutAnswers(sentence: string): boolean {
	return ABOUT_ANSWERS.test(sentence);
}

const ABOUT_ANSWERS =
	/^i(?:'d| would)? (?:want|like|need) you to (?:answer|reply|respond|talk|speak)(?: to me)? (?:in|with|without|briefly)(?!\p{L})/iu;

export function isForNow(sentence: string): boolean {
	return FOR_NOW.test(sentence);
}

/** Not worth keeping, whatever it says. */
export function isPassing(sentence: string): boolean {
	return refersBack(sentence) || THANKS.test(sentence) || TROUBLE.test(sentence);
}

/** The order at the beginning of a sentence, after at most two other words, and the conjunction that follows it. */
const REMEMBER_LEAD = new RegExp(
	`^(?:[\\p{L}']+[,:]? ){0,2}${REMEMBER_WORDS}(?: \\p{L}+(?=[,:]))?[,:]*(?: (?:that|dass|que|che|что|de)(?!\\p{L}))?[,:]?\\s+`,
	"iu",
);

/** The same where no space follows a word: "覚えておいて：". */
const REMEMBER_LABEL =
	/^(?:请|請)?(?:记住|记得|记下|牢记|別忘了|别忘了|(?:覚えて|メモして)(?:おいて|おけ)?(?:ください|下さい|ね)?|覚えといて(?:ね)?|(?:기억|메모)해 ?(?:줘|주세요|둬|두세요)?)\s*[：:，,、。.]\s*(?=\S)/u;

/** The words to keep, without the order to keep them. */
export function withoutRememberLead(sentence: string): string {
	const rest = sentence.replace(REMEMBER_LEAD, "").replace(REMEMBER_LABEL, "");
	return rest === sentence ? sentence : `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

const NAME = String.raw`["'\x60“「]?[\p{L}\p{N}@][\p{L}\p{N}@._/+#-]*["'\x60”」]?`;
const ARTICLES =
	"(?!(?:the|a|an|this|that|my|your|our|its|it|one|der|die|das|den|dem|ein|eine|einen|el|la|los|las|un|una|le|les|une)(?!\\p{L}))";
const END = `(?: (?:for|as|für|als|para|como|pour|comme|por) [^.!?]{2,60}| always| everywhere| please| überall| bitte| siempre| partout)?[.!]?$`;

/** "Use bun, not npm": both are named, and no article makes one of them a thing of the task in hand. */
const CHOICE = new RegExp(
	[
		`^(?:(?:please|pls|no|and|but|hey|bitte|nein|und|por favor|s'il te plaît)[,:]? )*(?:use|take|prefer|nimm|nehmt|nutze?|verwende|benutze?|usa|usad|utiliza|utilise|utilisez|prends|gebruik|używaj|используй),? ${ARTICLES}${NAME}(?: (?:for|as|in|für|als|para|como|pour) [^,.!?]{2,40}(?=,))?,? (?:not|never|instead of|rather than|over|nicht|nie|statt|anstatt|anstelle von|no|nunca|en vez de|en lugar de|pas|jamais|et non|au lieu de|plutôt que|niet|nie|вместо|а не) (?:use |auf )?${ARTICLES}${NAME}${END}`,
		`^${NAME}(?:ではなく|じゃなく|の代わりに)て?、?${NAME}を使`,
		`^(?:请)?(?:使?用|改用)${NAME}[，,]?(?:不要|别|而不是|不)(?:使?用)?${NAME}[。！]?$`,
		`^${NAME} ?(?:말고|대신(?:에)?) ?${NAME}(?:을|를)? ?(?:써|쓰|사용)`,
	].join("|"),
	"iu",
);

/** How a thing looks, where it is, how much of it: a choice between two of these is about the thing in hand. */
const LOOK = new RegExp(
	[
		words(
			"red|blue|green|yellow|orange|purple|violet|pink|brown|gr[ae]y|black|white|dark(?:er)?|light(?:er)?|bold|italic|left|right|top|bottom|cent(?:er|re)|big(?:ger)?|small(?:er)?|larger?|short(?:er)?|long(?:er)?|\\d+(?:px|em|rem|%|pt|ms|s)?",
			"rot|blau|grün|gelb|schwarz|weiß|grau|lila|braun|fett|links|rechts|oben|unten|größer|kleiner|hell|dunkel",
			"rojo|azul|verde|amarillo|negro|blanco|gris|rouge|bleu|vert|jaune|noir|blanc|izquierda|derecha|gauche|droite|красный|синий|зел[её]ный",
		),
		"赤|青|緑|黄色|黒|白色|红色|蓝色|绿色|黑色|黄色|빨간|파란|초록|검은|흰",
	].join("|"),
	"iu",
);

/** The user says which of two tools or ways to use. */
export function isChoice(sentence: string): boolean {
	return CHOICE.test(sentence) && !LOOK.test(sentence);
}

/** The question asks how things were: old values are the answer. */
const PAST = new RegExp(
	[
		words(
			"used to|previously|former(?:ly)?|earlier|originally|initially|at first|back then|in the past|before(?=[\\s?.!]*$| that| the (?:change|switch|move)| we (?:changed|switched|moved))|the old (?:\\p{L}+ )?(?:value|one|port|name|rule|version|address|default)|replaced|history of",
			"früher|vorher|damals|ursprünglich|zuvor|antes(?=[\\s?.!]*$| de(?:l| que)? )|anteriormente|originalmente|auparavant|autrefois|à l'origine|avant(?=[\\s?.!]*$)|раньше|прежде",
		),
		"以前|昔は|元は|もともと|之前|以前|原来|原先|过去|曾经|이전에|예전|원래",
	].join("|"),
	"iu",
);

export function asksAboutPast(question: string): boolean {
	return PAST.test(question);
}
