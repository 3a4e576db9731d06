/**
 * Words that show what a sentence is for: a rule, a decision, a finding, a promise. They only raise a sentence: one in another
 * language, or in other words, stays in the thread with the rest of what the user said.
 */

import { asksForWork } from "./requested-work.ts";

/** The user sets a rule. */
const RULE = new RegExp(
	[
		String.raw`(?:^|[,;:(.—–-]\s*|\b(?:please|pls|and|so|you|we|also|then|ok|to|should|hey|yes|no) )(?:never|always(?! \w+s\b)|do not|don't|dont)\b|\b(?:are|is) always\b`,
		String.raw`\b(?:must(?:n't| not)?|only ever|from now on|in (?:the )?future|going forward|remember|under no circumstances|make sure(?=.{0,120}\b(?:when|whenever|every|each|before|after|always|never|not|only|stays?|remains?|keeps?|first)\b)|no need to|prefer|avoid|stop \w+ing|without (?:touching|changing|asking)|leave .{1,40} alone|ask (?:me )?(?:first|before)|(?:use|run|write|put|keep|set|do|take|make|name|ask|add|start) .{1,60}\bby default|the rules? (?:is|are)|rule:|every time|keep .{1,60} (?:as is|unchanged|untouched|under)|no new dependenc\w+|(?:every|each|all) .{1,30}\b(?:needs?|gets?|has to|have to|touches)|is banned|are banned|forbidden|not allowed|off[- ]limits|read[- ]only|nothing (?:else|newer)|no exceptions?|belongs? in|(?:has|have) to stay|as (?:it|they) (?:is|are)\b|from here on|without my|leave (?:it|them) alone|default to|stop and ask|tell me,? (?:do not|don't)|(?:we|you) should(?:n't| not)|i (?:do not|don't|dont) want (?:you |us |it |this |that )?to(?! (?:know|be (?:a|an|the)\b|see)\b)|where(?:ver)? possible|only stop (?:if|when)|keep \w+ing (?:after|until|at|on) (?:each|every|the end|all)|use [\w@./-]+,? not [\w@./-]+$)\b`,
		String.raw`^(?:(?:and|also|but|btw|pls|please|ok|so|one more|hey|fwiw)[,:]? )*(?:no (?!need|idea|problem|worries|way|longer|one|thanks|it|i\b|that|this|you|we)[\w-]+ [\w-]+(?=[^'":/\d]{0,40}$)|nothing (?:in|goes|gets)|only \w+ (?:may|can)|use (?:tabs|spaces)|keep (?:the|every|all)|leave the)\b`,
		String.raw`\b(?:nie(?:mals)?|immer|nicht ohne|muss|müssen|darf(?:st)? nicht|ab jetzt|künftig|merk dir|bitte nicht|achte darauf|ausschließlich|standardmäßig|ab sofort|verboten|tabu|ohne (?:mein|ausnahme)\w*|nur (?:die|ein|mit|noch)|jede[rs]? .{1,40}(?:braucht|bekommt)|alle .{1,40}brauchen|bleibt wie|gehör(?:t|en) (?:nach|in)|frag mich|im zweifel|lass .{1,40}in ruhe|finger weg|hör auf|halte dich|kommt ins|haben .{1,40}nichts verloren|keine [\p{L}-]+ [\p{L}-]+)\b`,
		String.raw`\b(?:nunca|siempre|no (?:uses|hagas|toques|cambies|subas|borres|añadas)|debes?|a partir de ahora|recuerda|evita|nada de|prohibid\w+|por defecto|solo (?:los|las|el|la|lectura)|sin (?:mi|excepci\w+)|(?:tiene|tienen) que|cada .{1,40}(?:lleva|con)|tod[oa]s? .{1,40}necesitan?|se queda como|preg[uú]nta(?:me)?|respeta|deja de|prefiero|no se|no pueden?|ni tocar\w*)\b`,
		String.raw`\b(?:jamais|toujours|ne \w+ pas|il faut|désormais|souviens)\b`,
		String.raw`必ず|絶対|常に|しないで|するな|禁止|今後|覚えて|ルール|ないで|ない(?:こと|。?$)|のみ|だけ(?:で|。?$)|一律|統一|避け|守って|優先|でなければ|以内|以下に|要らない|全部|読み取り専用`,
		String.raw`必须|总是|永远|不要|不能|禁止|别再|以后|记住|务必|规则|一律|统一|不准|不许|不得|严禁|请勿|别(?:动|猜|在|一直|用)|都(?:要|得|必须|需要)|只(?:能|有|跑|动|返回|读)|默认|保持|尽量|优先|先问|不超过|按现有`,
		String.raw`항상|절대|하지\s?마|마세요|말아|반드시|금지|앞으로|기억|규칙|꼭 |지 말|않는다|안 (?:돼|됩)|불가|만 (?:승인|실행|반환)|으로만|해야|어야|이내|유지|통일|물어봐|피해|따라|읽기 전용|그만|못 써|선호|모두|모든`,
		String.raw`(?:никогда|всегда|не надо|нельзя|обязательно|запомни)`,
	].join("|"),
	"iu",
);

/** The same words in a question or an aside. */
const NO_RULE =
	/[?？]\s*$|\bnever ?mind\b|\b(?:do not|don't|dont) (?:really |even |actually )?(?:know|think|worry|care|understand|mind|bother|see|have|remember)\b|\b(?:it|this|that|they|there|which|who|these|those) (?:never|always|do not|don't|doesn't|must)\b|\bmust (?:be|have been) (?:a|an|the|because)\b|\bi (?:do not|don't|dont) (?!want (?:you|any|to))|\bno such\b|:\s*$|:\d+[):,-]|\w\(\w*\)|\bnot\b.{0,20}\bmatched|\bmatched$|\bmight\b.{0,40}\bfuture|\b\w+ing\b.{0,20}\bnever called|=\S+ \S+=|(?:^|[,;.] ?)(?:do not|don't|dont) (?:need|want (?:my|our|it|this|that))\b|\b(?:thing|way|approach|option|solution|idea)\b.{0,80}\bwould be\b|\b(?:perhaps|maybe)\b|[\p{L}\p{N}],? right[.!]?$|\b(?:what|how|which)\b.{0,40}\b(?:would|could|might)\b.{0,60}\bif (?:we|you|i|it|the|there)\b/iu;

/** `use tokens here, no raw colours!`; a way of working that has a name. */
const SHORT_BAN =
	/^no (?!way|problem|worries|idea|luck|thanks|thank|change|difference|errors?|results?|output|more|need|clue|matter|longer|doubt|dice|rush|hurry|chance|reply|answer|response|comment|reason|nothing|news|effect|success|go\b)(?=[\p{L}-]{4,}[.!]*$)[\p{L}-]+(?<!ing)[.!]*$|(?:^|[,;—–-] ?)no (?!(?:way|problem|worries|idea|luck|thanks|change|difference|errors?|results?|output|more)\b)[\p{L}-]+(?: [\p{L}-]+){0,2} ?!+$|\bTDD\b/iu;

/** Says that it holds beyond the work in hand. */
const STANDING = new RegExp(
	[
		String.raw`\b(?:never|always|ever|from (?:now|here) on|going forward|in (?:the )?future|remember|rules?:|the rules? (?:is|are)|every ?time|each time|exceptions?|no circumstances)\b`,
		String.raw`\b(?:nie(?:mals)?|immer|ab (?:jetzt|sofort)|künftig|merk dir|ausnahme\w*|verboten|tabu|nunca|siempre|a partir de ahora|recuerda|prohibid\w+|jamais|toujours|désormais)\b`,
		SHORT_BAN.source,
		String.raw`必ず|絶対|常に|禁止|今後|覚えて|ルール|必须|总是|永远|以后|记住|务必|规则|严禁|一律|항상|절대|반드시|금지|앞으로|기억|규칙|никогда|всегда|запомни`,
	].join("|"),
	"iu",
);

/** What the user saw: a thing that fails, or a thought about one; words that trail off, and a line that breaks off in its clause. */
const REPORT = new RegExp(
	[
		String.raw`^(?:(?:ok(?:ay)?|hm+|so|and|but|also|well|ah|oh|hey|yeah|no)[,. ]+)*(?:i (?:think|guess|believe|see|noticed|found)|it (?:seems|looks)|looks like|seems(?: like)?)\b.*?(?:\b(?:doesn|isn|aren|don|didn|wasn|won|can)'?t\b|\b(?:does|is|are|do|did|was|can) ?not\b|\b(?:wrong|broken|off|fails?|ignores?|violates?)\b)`,
		String.raw`(?:\.{2,}|…)$`,
		String.raw`^(?:가|은|는|을|를|이|와|과|도|의) |(?:(?<!(?:면|선|는) ?)안 ?(?:되|돼|됨|됩)|깨[져지]|멈[춰추]|느[려리])\p{L}*(?:서|고|는데|지만|네|네요|어요|음)?$|(?:되서|돼서|해서|는데|지만)$`,
		String.raw`(?:動か|表示され|効か|直って)ない(?:です|んだけど|。)?$|(?:しまう|しまいます|ています)。?$`,
	].join("|"),
	"iu",
);

/** The user takes a rule back. */
const TAKEN_BACK = new RegExp(
	[
		String.raw`\b(?<!don't |dont |not |never )(?:forget (?:about|the rule|what i said)|no longer (?:need|have|apply|necessary)|(?:you can|you may|it'?s (?:ok|okay|fine) to) .{1,60}(?:again|now)|scrap|drop (?:the|that) rule|ignore (?:the|that|my) (?:rule|earlier)|lift(?:ed)? (?:the|that)|doesn't apply any ?more|rule (?:is )?(?:gone|off)|take (?:that|it) back|never ?mind)\b`,
		String.raw`\b(?:vergiss|gilt nicht mehr|nicht mehr nötig|(?:darfst|kannst) .{1,60}(?:wieder|jetzt)|(?:wieder|jetzt) (?:ok|okay|erlaubt)|musst .{1,40}nicht mehr|doch wieder)\b`,
		String.raw`\b(?:olvida|ya no (?:hace falta|es necesari|aplica|vale)|ya puedes|puedes .{1,60}(?:otra vez|de nuevo|ya))\b`,
		String.raw`\b(?:oublie|n'est plus (?:nécessaire|valable)|tu peux .{1,60} de nouveau)\b`,
		String.raw`もう.{0,20}(?:不要|必要ない|いらない|しなくていい|してもいい)|取り消し|忘れて|撤回`,
		String.raw`不再需要|不用再|可以再|取消.{0,10}规则|(?:规则|限制|规定)取消|现在可以|可以.{1,20}了|忘掉|作废|收回`,
		String.raw`더 이상.{0,20}(?:필요|않아도)|이제.{0,20}(?:해도|괜찮)|취소|잊어`,
	].join("|"),
	"iu",
);

/** Something is no longer as it was. */
const CHANGE = new RegExp(
	[
		String.raw`\b(?:actually|correction|my bad|oops|i meant|mixed (?:that|it|this) up|wrong (?:\w+):|was wrong|instead|rather than|after all|change[ds]? (?:\w+ ){0,4}(?:to|from)|changed my mind|no longer|any ?more|(?:raised|lowered|increased|decreased|reduced|bumped|cut|extended|shortened) to|scrap|drop|dropped|drops|forget|moved?:? (?:\w+ )?(?:to|from)|moved:|moved (?:it|this|them|that)|off the table|changed (?:teams?|jobs?|roles?)|from (?:today|tomorrow|next)|as of (?:today|now|this|next)|renamed?|replaced|switch(?:ed)?|slipped|postponed|back to|retired|deprecated|deleted|is (?:dead|gone)|from now on|swapped|the right|the real|corrected|was (?:a mistake|too)|(?:is|are|we|it)\b.{0,40}\bagain|(?:is|are|it's|may|now|can) .{0,30}\bnow|now (?:live|use|take|is|are|it)\w*|since (?:last|this|yesterday))\b`,
		String.raw`\b(?:doch|eigentlich|korrektur|ich meinte|vertan|verwechselt|falsch\w*|stattdessen|statt|nicht mehr|jetzt|nun|ab (?:jetzt|sofort|heute|morgen|dieser|nächster)|vom tisch|gestrichen|verlegt|gewechselt|umgezogen|umbenannt|ersetzt|gelöscht|abgeschaltet|fliegt(?: raus)?|wieder|verschoben|geändert|ändere|sondern|anders entschieden|ist (?:weg|tot)|seit|richtig ist|zahlendreher|(?:erhöh|senk|gesenk|angehob|heraufgesetz|herabgesetz|verlänger|verkürz|reduzier)\p{L}*)(?!\p{L})`,
		String.raw`(?:^|\s)(?:en realidad|corrección|correcci\w+|me equivoqué|equivocad\w|quise decir|mal|en (?:vez|lugar) de|en su lugar|mejor|ya no(?: existe\w?)?|ahora|desde|cambi\w+|renombr\w+|reemplaz\w+|volvemos|otra vez|al final|se movió|l[oa]s? movieron|movid\w|descartad\w|desde hoy|pas\w+ (?:a|de)|quita\w*|retirad\w|retrasa|olvida|correct\w+|se fue|fue un error)(?=[\s,.:]|$)`,
		String.raw`(?:^|[\s'’])(?:en fait|finalement|correction|je (?:me suis|m'étais) trompée?|je voulais dire|au lieu d[e']|plutôt qu[e']|à la place|(?:n[e'’]|on|est|sont|a) ?.{0,30} plus|maintenant|désormais|dorénavant|depuis|chang\p{L}+|renomm\p{L}+|remplac\p{L}+|déplac\p{L}+|déménag\p{L}+|décal\p{L}+|report\p{L}+|repouss\p{L}+|pass\p{L}+ (?:à|de|en)|de nouveau|oubli\p{L}+|supprim\p{L}+|abandonn\p{L}+)(?=[\s,.:!]|$)`,
		String.raw`やっぱり|やはり|間違|訂正|違った|ではなく|じゃなく|変更|変わ|変え|移動|移し|もう|廃止|代わり|実は|正しい|正しくは|に戻|延期|延ばし|やめ|忘れ|になった|になりました|今後|にして|考え直|今日から|今週から|なしになった|先週から|いや|失敗|逆だった`,
		String.raw`其实|更正|抱歉|搞错|弄错|记错|写错|写反|应该|应为|不是|而是|改成|改为|改到|改名|改走|改用|换成|换到|换|现在|不再|已经|取消|还是|算了|废弃|挪|搬到|不考虑|今天起|这周起|推迟|不留|不对|正确|错的|错误|代替|以后|下线|离职|别管|去掉|改主意|上周|了$`,
		String.raw`아니|사실|정정|착각|실수|잘못|틀렸|대신|말고|바꾸|바꿔|바뀌|바뀜|변경|이제|더 이상|옮|취소|역시|다시|교체|맞는|연기|앞으로|지난주|이제 없|부족|하기로|안 쓰기로|오늘부터|이번 주부터`,
	].join("|"),
	"iu",
);

/** The agent found a cause, or how things are. */
const FINDING =
	/\b(?:root cause|the (?:real |actual )?(?:bug|issue|problem|cause|reason|culprit|fix)\b|because|turns out|found (?:it|that|the)|confirmed|so that's why|this means|caused by|it fails|fails (?:with|because)|doesn't work|does not work|won't work|can't|cannot|works (?:now|with|only)|verified)\b|原因|根本|理由|問題は|判明|발견|원인|때문|문제는|发现|因为|问题是|Ursache|Grund|liegt (?:an|daran)|weil\b|causa|porque/iu;

/** What was just done does not work. */
const NOT_SO = new RegExp(
	[
		String.raw`^(?:\p{L}+[,.! ]+){0,6}?(?:still (?!need|have|want|to\b)|(?:does|do|did|is|are|was)(?:n't| not) (?:work|fix|help|right|correct|it\b|so\b)|not (?:fixed|working|right|solved)|(?:now )?(?:it|that|this)(?:'s| is) (?:still|now)? ?(?:broken|wrong|worse)|same (?:error|problem|issue|bug)|(?:you|that) broke|no (?:change|difference|luck))`,
		String.raw`(?<!\p{L})(?:immer noch|geht (?:noch )?nicht|funktioniert (?:noch )?nicht|klappt nicht|no funciona|sigue (?:igual|fallando|sin|roto)|toujours pas|ne marche pas)(?!\p{L})`,
		String.raw`まだ.{0,20}(?:ない|まま|エラー|おかし)|直って(?:い)?ない|動かない|还是(?:不|没|报|会|有)|没用|不行|仍然|没(?:有)?(?:修好|生效)|아직도|여전히|안 ?(?:되|돼|고쳐)|그대로(?:야|네|인)`,
	].join("|"),
	"iu",
);

/** The user has taken back what the agent changed. */
const USER_REVERTED = new RegExp(
	[
		String.raw`^(?:(?:ok(?:ay)?|no|sorry|so|and|well|nope)[,.! ]+)*(?:i|we)(?:'ve| have)? (?:just |already )?(?:reverted|undid|undone|discarded|rolled back|threw away|thrown away|reset) (?:(?:all|everything|both|each)(?! the tests)|(?:all (?:of )?)?(?:your|the|these|those) (?:last |latest |recent )?(?:changes|edits|work|commits?|diff))`,
		String.raw`^(?:(?:ok|also|so|nein)[,. ]+)*(?:ich habe|wir haben) (?:alles|(?:alle )?(?:deine|die) (?:letzten )?(?:änderungen|arbeit)) (?:\p{L}+ )?(?:zurückgesetzt|verworfen|rückgängig gemacht|zurückgenommen)|^(?:he|hemos) (?:revertido|deshecho|descartado) (?:todo|(?:todos )?(?:tus|los) cambios)|^j'ai annulé (?:tout|(?:toutes )?(?:tes|les) modifications)`,
		String.raw`^(?:変更|修正).{0,8}(?:を)?(?:全部)?(?:元に戻し(?:た|ました)|取り消し(?:た|ました)|破棄し(?:た|ました))|^我(?:已经)?(?:把)?(?:你的|所有|全部)?(?:的)?(?:修改|改动|更改).{0,6}(?:撤销|还原|回滚|回退)|^(?:변경|수정)(?:사항)?.{0,8}(?:되돌렸|취소했|원복했)`,
	].join("|"),
	"iu",
);

/** Work is put off, or left as it should not stay. */
const PROMISE =
	/\b(?:(?:will|'ll|should|must|can|could|need to|want to|let's) [^.;]{0,60}\b(?:later|afterwards)|follow[- ]?ups?|still (?:needs?|has|have) to|remains? to|left to do|to[- ]?do:|TODO|not (?:yet|done) (?:done|implemented|wired|tested|covered|fixed|written|supported|added)|next steps?|temporar(?:y|ily)|work-?arounds?|revert (?:this|it|them|later)|remove (?:this|it|them) (?:later|again))\b|\bnot yet\b|後で|あとで|まだ|残り|나중|아직|남은|稍后|之后|还没|剩下|später|noch (?:nicht|zu)|pendiente|después/iu;

/** What the agent says that it left: of its own work, not of how a program behaves "later". */
const LEFT_OPEN = new RegExp(
	[
		String.raw`\b(?:i|we)(?:'ve| have)? (?:did not|didn't|do not|don't|have not|haven't|not|could not|couldn't|cannot|can't|was not able to|wasn't able to|left|skipped|deferred|postponed|only) (?:\w+ ){0,2}(?:run|ran|rerun|test|tested|verif\w+|check\w*|push\w*|commit\w*|chang\w+|touch\w*|updat\w+|add\w*|fix\w*|deploy\w*|tr(?:y|ied)|implement\w*|remov\w+|migrat\w+|cover\w*|address\w*|appl(?:y|ied)|creat\w+|writ\w+|wrote|open|out|as|for|the)\b`,
		String.raw`\b(?:i|we)(?:'ll| will| can| could| should| would| need to| still need to) [^.;]{0,80}\b(?:later|afterwards|separately|follow[- ]?up|in another|next time)\b`,
		String.raw`^(?:[-*•] )?(?:\*\*)?(?:still|remaining|not (?:yet )?(?:done|implemented|tested|covered|included|verified|committed|pushed)|left|open|todo|to do|pending|deferred|out of scope|follow[- ]?ups?)\b[^\n]{0,40}?(?::|\*\*)\s*\S`,
		String.raw`\b(?:still (?:needs?|has|have) to|remains? to be|(?:is|are) (?:still )?(?:not (?:yet )?(?:done|implemented|wired|tested|covered|fixed|committed|pushed)|untested|unverified|uncommitted|left to do)|as a follow[- ]?up|(?:in|for) a follow[- ]?up|worth a follow[- ]?up|TODO)\b`,
		String.raw`\b(?:nicht|noch nicht) (?:getestet|geprüft|ausgeführt|umgesetzt|committet|gepusht|erledigt)|(?:mache|erledige|ergänze) ich später|\bno (?:he|pude|se ha|está) (?:\w+ )?(?:probado|probar|ejecutado|ejecutar|verificado|verificar|hecho|implementado|subido)|queda(?:n)? pendiente`,
		String.raw`(?:まだ|未)(?:.{0,12}(?:いません|ていない|実施|確認|対応|実装|コミット|検証))|後で.{0,20}ます|(?:还没|尚未|未)(?:有)?(?:测试|验证|提交|运行|实现|推送|完成|处理)|稍后(?:再|会)|(?:아직|못).{0,12}(?:않았|못했|안 했)|나중에.{0,20}(?:하겠|할게)`,
	].join("|"),
	"iu",
);

/** A choice was made. */
const DECISION =
	/\b(?:decided|(?:the|our|my) decision (?:is|was)|decision:|let's (?:go with|use|do|keep|stick|not)|go with|we(?:'ll| will)? (?:use|keep|go|switch|stay)|stick (?:to|with)|rather than|instead of|agreed|approved?|chose|we(?:'ve| have)? picked|opt(?:ed)? for|went with|settled on|I(?:'d)? prefer|(?<!\b(?:what|which|that|if|all) )I want(?=.{0,120}(?:,? (?:and )?not (?:a|an|the|in|on|with|by|at|to|use|just|as)\b|\binstead\b|\brather\b|\bonly\b|\bno longer\b|\bat all\b))|I want (?=\S*\w[-_./:]\w\S*$)|we (?:don't|dont|do not|no longer) need(?! to (?:know|worry|care)\b)|i wouldn't (?!be\b|know\b|say\b|have\b)|option [A-D1-9])\b|決定|にする|にします|にしましょう|ことにした|使います|结论|决定|采用|改用|결정|하기로|사용합니다|entschieden|nehmen wir|wir (?:nehmen|bleiben|verwenden|nutzen)|decidimos|mejor|usamos|vamos con|elegimos|optamos por|hemos (?:decidido|elegido|optado)|(?<!\p{L})(?:(?:on|nous) (?:a|avons)|j'ai) (?:finalement )?(?:choisi|décidé|opté|retenu)|abbiamo (?:deciso|scelto)|escolhemos|we hebben (?:besloten|gekozen)|zdecydowaliśmy|wybraliśmy|(?<!\p{L})(?:решили|выбрали)(?!\p{L})|(?:最后|最终)选了?/iu;

/** Says yes without naming what to. */
const CONSENT =
	/^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|cool|nice|so|and|then|now|alright|good|great)[,.! ]+)*(?:let's|we can|go ahead and) (?:do|go|use|try|keep) (?:it|this|that|for it|ahead|both|all)?[.! ]*$/iu;

/** Work that is announced, not done. */
const ANNOUNCED =
	/(?:^|[.!?:]\s+|\n)((?:next(?:,| I| step| up)|now (?:I(?:'ll| will| am| need| have)|let)|let me(?! know)|I(?:'ll| will| am going to|'m going to| need to| still need)|remaining:|still to do:|to do:|als nächstes|次に|接下来|다음으로|a continuación)[^\n]{4,240}?)(?=[.!?。](?:\s|$)|\n|$)/giu;

/** With its mark, or by the words that open it. */
const QUESTION =
	/[?？]["'”’)\]*_]*$|^(?:(?:and|but|so|ok|okay|hm+|wait|also)[,.]? )*(?:why|how come|what|where|when|who|which|how) (?:is|are|was|were|do|does|did|don't|doesn't|didn't|isn't|aren't|can|can't|could|would|should|has|have|will)\b|^(?:warum|wieso|weshalb|pourquoi|por qué|なぜ|どうして|为什么|为何|왜 )|か。?$/iu;

/** Some write `don’t`. */
function plain(words: string): string {
	return words.replaceAll("’", "'");
}

export function isQuestion(sentence: string): boolean {
	return QUESTION.test(plain(sentence));
}

/** A standing instruction: neither a report of a fault nor an order for the work in hand with its conditions. */
export function setsRule(said: string): boolean {
	const sentence = plain(said);
	if (NO_RULE.test(sentence)) return false;
	if (STANDING.test(sentence)) return RULE.test(sentence) || SHORT_BAN.test(sentence);
	return RULE.test(sentence) && !REPORT.test(sentence) && !sentence.split(CLAUSE_END).some(asksForWork);
}

const CLAUSE_END = /[,;，、；]\s*|\s[—–-]\s|\.{2,}\s*|\.\/\s+/u;

/** Tells what the user saw, or an example of it; a line that ends with a colon leads to what was seen. */
export function reportsFault(sentence: string): boolean {
	return (
		REPORT.test(plain(sentence)) ||
		/[:：]$|^(?:for example|for instance|e\.g\.|zum beispiel|z\.\s?b\.|por ejemplo|par exemple|例えば|たとえば|比如|例如|예를 들어)/iu.test(
			sentence,
		)
	);
}

export function takesBack(sentence: string): boolean {
	return TAKEN_BACK.test(plain(sentence));
}

const SELF_CORRECTION =
	/\b(?:actually|correction|sorry|my bad|oops|i meant|mixed (?:that|it) up|no,|wait,? no|from now on|now,? not|korrektur|ich meinte|verwechselt|nein,|ach nee|perdón|corrección|me equivoqué|quise decir)|訂正|すみません|間違え|いや、|抱歉|更正|弄错|记错|不对|정정|미안|착각|아니다/iu;

/** The user takes back their own earlier words. */
export function correctsItself(sentence: string): boolean {
	return SELF_CORRECTION.test(plain(sentence));
}

const NEGATION =
	/\b(?:no|not|never|without|don't|dont|do not|kein\w*|nicht|nie|ohne|nunca|jamás|sin|nada)\b|(?:^|\s)no\s|ない|ません|せず|さず|禁止|不|别|没|勿|안 |않|말고|말아|하지 ?마|지 말|금지|없이/iu;

const CUES = new RegExp(`${CHANGE.source}|${TAKEN_BACK.source}`, "giu");

/** The sentence without the words that say that something changed. */
export function withoutCues(sentence: string): string {
	return sentence.replace(CUES, (words) =>
		words.length + words.replace(NO_JOINED, "").length * 2 > MAX_CUE_CHARS ? words : " ",
	);
}

/** A longer cue has words of the subject in it. A character of Chinese, Japanese or Korean counts as three letters. */
const MAX_CUE_CHARS = 14;
const NO_JOINED = /[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

export function isNegated(sentence: string): boolean {
	return NEGATION.test(plain(sentence));
}

/** The sentence says that something is other than before. */
export function saysChange(sentence: string): boolean {
	return CHANGE.test(plain(sentence));
}

export function isFinding(sentence: string): boolean {
	return FINDING.test(plain(sentence));
}

/** The user says that what was just done does not work. */
export function saysNotSo(words: string): boolean {
	return NOT_SO.test(plain(words.slice(0, MAX_VERDICT_CHARS)));
}

/** The user says that the agent's changes are no longer in the files. */
export function saysTakenBack(words: string): boolean {
	return plain(words.slice(0, MAX_VERDICT_CHARS))
		.split(/[\n.!?。！？]/)
		.some((sentence) => USER_REVERTED.test(sentence.trim()));
}

/** The verdict on what was done comes first. */
const MAX_VERDICT_CHARS = 160;

export function isPromise(sentence: string): boolean {
	return PROMISE.test(plain(sentence));
}

/** The agent says that something of its work is not done. */
export function isLeftOpen(sentence: string): boolean {
	return LEFT_OPEN.test(plain(sentence));
}

export function isDecision(sentence: string): boolean {
	return DECISION.test(plain(sentence)) && !CONSENT.test(plain(sentence));
}

/** Words that open a sentence and say nothing. */
const LEAD = String.raw`(?:(?:now|ok(?:ay)?|good|great|perfect|excellent|alright|right|so|and|also|then|next|first|finally|actually|wait|hmm+|interesting|got it|yes|sure)[,.!:]*(?: [—–-])? )*`;
const ANNOUNCEMENT = new RegExp(
	[
		`^${LEAD}(?:let me|let['’]?s|i['’]ll|i will|i['’]m going to|i need to|i still need to|i want to|i should|i['’]m (?:now |also |going )*\\w+ing|time to)(?!\\p{L})`,
		`^(?:now|then|next|also|first|finally)[,:]? (?:also )?(?:add|apply|build|check|clean|commit|create|delete|edit|find|fix|format|implement|integrate|look|make|modify|move|pass|push|read|register|remove|rename|replace|rerun|rewrite|run|search|test|update|verify|view|wire|write|the)(?!\\p{L})`,
		String.raw`^(?:jetzt|nun|als nächstes|zuerst|ich (?:werde|prüfe|schaue|sehe|ändere|füge))(?!\p{L})|^(?:ahora|voy a|vamos a|déjame|primero)(?!\p{L})|^(?:maintenant|je vais|d'abord)(?!\p{L})`,
		String.raw`(?:確認し|見|調べ|修正し|追加し|実行し|作成し|更新し|読み|進め|行い|し)(?:ていき)?ます[。:：]?$|(?:ましょう)[。:：]?$|^(?:现在|接下来|让我|我来|我先|我将|首先|先来)|(?:겠습니다|할게요|볼게요|합시다)[.:]?$`,
	].join("|"),
	"iu",
);

/** The sentence only says what comes next. */
export function isAnnouncement(sentence: string): boolean {
	return ANNOUNCEMENT.test(plain(sentence));
}

const RETRACTION = new RegExp(
	[
		String.raw`^(?:(?:oh|ah|hm+|ok(?:ay)?|so|but)[,.!—– ]+)*(?:actually|wait|no,|nope|scratch that|correction|never ?mind|i was wrong|that's (?:wrong|not (?:it|right|true))|my (?:earlier|previous|first))(?!\p{L})`,
		String.raw`\b(?:is|was|are|were)(?:n't| not) (?:actually )?(?:the|a|an|our) (?:\w+ ){0,2}(?:cause|problem|issue|bug|culprit|reason)|\bruled? out\b|\bred herring\b|\bturns out (?:it|that|this)? ?(?:is|was)?(?:n't| not)\b|\bi (?:misread|misunderstood|was mistaken)\b`,
		String.raw`^(?:nein|moment|doch nicht|falsch|eigentlich|no era|en realidad|me equivoqué|いや|違い|実は|間違|不对|其实|等等|弄错|아니|사실|잘못)`,
	].join("|"),
	"iu",
);

/** The agent takes back what it said before. */
export function takesBackFinding(sentence: string): boolean {
	return RETRACTION.test(plain(sentence));
}

const CONCESSION =
	/^(?:(?:oh|ah|ok(?:ay)?|yes|hm+)[,.! ]+)*(?:you(?:'re| are) (?:absolutely |completely |totally |quite )?right\b|good catch|my (?:mistake|bad)\b|i was (?:wrong|mistaken|sloppy)|i (?:misread|misunderstood|overlooked)|du hast recht|mein fehler|tienes (?:toda la )?razón|tu as raison|おっしゃる通り|ご指摘の通り|[你您]说得对|맞습니다\. 제가)/iu;

/** The agent grants that the user is right, against what it said before. */
export function concedes(sentence: string): boolean {
	return CONCESSION.test(plain(sentence));
}

const OFFER =
	/^(?:(?:if (?:you(?:'d| would)? (?:want|like|prefer|wish)|that (?:works|sounds))|want me to|would you like|let me know|shall i|should i|do you want|happy to|say the word|anything else)(?!\p{L})|(?:möchtest du|soll ich|sag bescheid|wenn du (?:willst|möchtest|magst))(?!\p{L})|¿?(?:quieres|te gustaría|si quieres|avísame)(?!\p{L})|(?:souhaites-tu|veux-tu|si tu veux|dis-moi si)(?!\p{L})|必要であれば|よろしければ|ご希望|需要我|要我|如果你(?:想|需要|愿意)|원하시면|원한다면)/iu;

/** The agent offers to do more. */
export function offersMore(sentence: string): boolean {
	return OFFER.test(plain(sentence.replace(/^[\s*_#>-]+/, "")));
}

const REASON =
	/\b(?:because|since|instead of|rather than|so that|to avoid|otherwise)\b|\b(?:weil|statt|damit)\b|porque|en vez de|parce que|ため|ので|代わり|因为|而不是|때문|대신/iu;

/** The sentence says why, or what was chosen instead of what. */
export function givesReason(sentence: string): boolean {
	return REASON.test(plain(sentence));
}

/** The last thing that a text announces. */
export function announcedIn(text: string): string | undefined {
	return [...text.slice(-2_000).matchAll(ANNOUNCED)].at(-1)?.[1]?.trim();
}
