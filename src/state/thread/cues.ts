/**
 * Words that show what a sentence is for: a rule, a decision, a finding, a promise. They only raise a sentence: one in another
 * language, or in other words, stays in the thread with the rest of what the user said.
 */

/** The user sets a rule. */
const RULE = new RegExp(
	[
		String.raw`\b(?:never|always|must(?:n't| not)?|do not|don't|dont|only ever|from now on|in (?:the )?future|going forward|remember|under no circumstances|make sure|no need to|prefer|avoid|stop \w+ing|without (?:touching|changing|asking)|leave .{1,40} alone|ask (?:me )?(?:first|before)|by default|the rules? (?:is|are)|rule:|every time|keep .{1,60} (?:as|un)|no new dependenc\w+)\b`,
		String.raw`\b(?:nie(?:mals)?|immer|nicht ohne|muss|müssen|darf(?:st)? nicht|ab jetzt|künftig|merk dir|bitte nicht|achte darauf)\b`,
		String.raw`\b(?:nunca|siempre|no (?:uses|hagas|toques|cambies|subas|borres|añadas)|debes?|a partir de ahora|recuerda|evita)\b`,
		String.raw`\b(?:jamais|toujours|ne \w+ pas|il faut|désormais|souviens)\b`,
		String.raw`必ず|絶対|常に|しないで|するな|禁止|今後|覚えて|ルール|してください。?$`,
		String.raw`必须|总是|永远|不要|不能|禁止|别再|以后|记住|务必|规则`,
		String.raw`항상|절대|하지\s?마|마세요|말아|반드시|금지|앞으로|기억|규칙`,
		String.raw`(?:никогда|всегда|не надо|нельзя|обязательно|запомни)`,
	].join("|"),
	"iu",
);

/** The same words in a question or an aside. */
const NO_RULE =
	/[?？]\s*$|\bnever ?mind\b|\b(?:do not|don't|dont) (?:really |even |actually )?(?:know|think|worry|care|understand|mind|bother|see|have|remember)\b|\b(?:it|this|that|they|there|which|who|these|those) (?:never|always|do not|don't|doesn't|must)\b|\bmust (?:be|have been) (?:a|an|the|because)\b/iu;

/** The user takes a rule back. */
const TAKEN_BACK = new RegExp(
	[
		String.raw`\b(?:forget (?:about |the rule|what i said)?|no longer (?:need|have|apply|necessary)|(?:you can|you may|it'?s (?:ok|okay|fine) to) .{1,60}(?:again|now)|scrap|drop (?:the|that) rule|ignore (?:the|that|my) (?:rule|earlier)|lift(?:ed)? (?:the|that)|doesn't apply any ?more|rule (?:is )?(?:gone|off)|take (?:that|it) back|never ?mind)\b`,
		String.raw`\b(?:vergiss|gilt nicht mehr|nicht mehr nötig|(?:darfst|kannst) .{1,60} wieder|doch wieder)\b`,
		String.raw`\b(?:olvida|ya no (?:hace falta|es necesari|aplica|vale)|(?:puedes|ya puedes) .{1,60}(?:otra vez|de nuevo|ya))\b`,
		String.raw`\b(?:oublie|n'est plus (?:nécessaire|valable)|tu peux .{1,60} de nouveau)\b`,
		String.raw`もう.{0,20}(?:不要|必要ない|いらない|しなくていい|してもいい)|取り消し|忘れて|撤回`,
		String.raw`不再需要|不用再|可以再|取消.{0,10}规则|忘掉|作废|收回`,
		String.raw`더 이상.{0,20}(?:필요|않아도)|이제.{0,20}(?:해도|괜찮)|취소|잊어`,
	].join("|"),
	"iu",
);

/** The agent found a cause, or how things are. */
const FINDING =
	/\b(?:root cause|the (?:real |actual )?(?:bug|issue|problem|cause|reason|culprit|fix)\b|because|turns out|found (?:it|that|the)|confirmed|so that's why|this means|caused by|it fails|fails (?:with|because)|doesn't work|does not work|won't work|can't|cannot|works (?:now|with|only)|verified)\b|原因|根本|理由|問題は|判明|발견|원인|때문|문제는|发现|因为|问题是|Ursache|Grund|liegt (?:an|daran)|weil\b|causa|porque/iu;

/** Work is put off. */
const PROMISE =
	/\b(?:later|afterwards|follow[- ]?up|still (?:need|have) to|remains? to|left to do|to ?do\b|not yet|remaining|next step|once (?:this|that|it)|temporar(?:y|ily)|workaround|revert (?:this|it|later)|clean ?up|remove (?:this|it) (?:later|again))\b|後で|あとで|まだ|残り|나중|아직|남은|稍后|之后|还没|剩下|später|noch (?:nicht|zu)|pendiente|después/iu;

/** A choice was made. */
const DECISION =
	/\b(?:decided|decision|let's (?:go with|use|do|keep|stick|not)|go with|we(?:'ll| will)? (?:use|keep|go|switch|stay)|stick (?:to|with)|rather than|instead of|agreed|approved?|chose|opt(?:ed)? for|I (?:want|prefer)|option [A-D1-9])\b|決定|にする|にします|にしましょう|ことにした|使います|结论|决定|采用|改用|결정|하기로|사용합니다|entschieden|nehmen wir|wir (?:nehmen|bleiben|verwenden|nutzen)|decidimos|mejor|usamos|vamos con/iu;

/** Says yes without naming what to. */
const CONSENT =
	/^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|cool|nice|so|and|then|now|alright|good|great)[,.! ]+)*(?:let's|we can|go ahead and) (?:do|go|use|try|keep) (?:it|this|that|for it|ahead|both|all)?[.! ]*$/iu;

/** Work that is announced, not done. */
const ANNOUNCED =
	/(?:^|[.!?:]\s+|\n)((?:next(?:,| I| step| up)|now (?:I|let)|let me|I(?:'ll| will| am going to|'m going to| need to| still need)|remaining:|still to do:|to do:|als nächstes|次に|接下来|다음으로|a continuación)[^\n]{4,240}?)(?=[.!?。](?:\s|$)|\n|$)/giu;

export function setsRule(sentence: string): boolean {
	return RULE.test(sentence) && !NO_RULE.test(sentence);
}

export function takesBack(sentence: string): boolean {
	return TAKEN_BACK.test(sentence);
}

export function isFinding(sentence: string): boolean {
	return FINDING.test(sentence);
}

export function isPromise(sentence: string): boolean {
	return PROMISE.test(sentence);
}

export function isDecision(sentence: string): boolean {
	return DECISION.test(sentence) && !CONSENT.test(sentence);
}

/** The sentence only says what comes next. */
export function isAnnouncement(sentence: string): boolean {
	return /^(?:now,? |ok(?:ay)?[,.]? |good[,.]? |great[,.]? |next,? )*(?:let me|let's|i'll|i will|i'm going to|i need to)\b/iu.test(
		sentence,
	);
}

/** The last thing that a text announces. */
export function announcedIn(text: string): string | undefined {
	return [...text.slice(-2_000).matchAll(ANNOUNCED)].at(-1)?.[1]?.trim();
}
