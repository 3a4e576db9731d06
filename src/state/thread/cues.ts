/**
 * Words that show what a sentence is for: a rule, a correction, a finding, a promise. They only raise a sentence that would be
 * quoted anyway: a sentence in another language, or in other words, is kept as well, with the rest of what the user said.
 */

/** The user sets a rule. */
const RULE = new RegExp(
	[
		String.raw`\b(?:never|always|must(?:n't| not)?|do not|don't|dont|only ever|from now on|in (?:the )?future|going forward|remember|under no circumstances|make sure|no need to|instead of|prefer|avoid|stop \w+ing|without (?:touching|changing|asking)|leave .{1,40} alone|ask (?:me )?(?:first|before)|by default|the rules? (?:is|are)|rule:|every time)\b`,
		String.raw`\b(?:nie(?:mals)?|immer|nicht ohne|kein(?:e|en)?|muss|müssen|darf(?:st)? nicht|ab jetzt|künftig|merk dir|bitte nicht|statt)\b`,
		String.raw`\b(?:nunca|siempre|no (?:uses|hagas|toques|cambies)|debes?|a partir de ahora|recuerda|en vez de|evita)\b`,
		String.raw`\b(?:jamais|toujours|ne \w+ pas|il faut|désormais|souviens|au lieu de)\b`,
		String.raw`必ず|絶対|常に|しないで|するな|禁止|ではなく|今後|覚えて|ルール|なら必ず`,
		String.raw`必须|总是|永远|不要|不能|禁止|别再|以后|记住|务必|规则|而不是`,
		String.raw`항상|절대|하지\s?마|반드시|금지|앞으로|기억|규칙|대신`,
		String.raw`(?:никогда|всегда|не надо|нельзя|обязательно|запомни)`,
	].join("|"),
	"iu",
);

/** The same words in a question or an aside. */
const NO_RULE =
	/[?？]\s*$|\bnever ?mind\b|\b(?:do not|don't) (?:know|think|worry|care|understand|mind|bother|see)\b|\b(?:it|this|that|they|there) (?:never|always)\b/iu;

/** The agent found a cause, or how things are. */
const FINDING =
	/\b(?:root cause|the (?:real |actual )?(?:bug|issue|problem|cause|reason|culprit|fix)\b|because|turns out|found (?:it|that|the)|confirmed|so that's why|this means|caused by|it fails|fails (?:with|because)|doesn't work|does not work|won't work|can't|cannot|works (?:now|with|only)|verified)\b|原因|根本|理由|問題は|判明|발견|원인|때문|문제는|发现|因为|问题是|Ursache|Grund|liegt (?:an|daran)|weil\b|causa|porque/iu;

/** Work is put off. */
const PROMISE =
	/\b(?:later|afterwards|follow[- ]?up|still (?:need|have) to|remains? to|left to do|to ?do\b|not yet|remaining|next step|once (?:this|that|it)|temporar(?:y|ily)|workaround|revert (?:this|it|later)|clean ?up|remove (?:this|it) (?:later|again))\b|後で|あとで|まだ|残り|나중|아직|남은|稍后|之后|还没|剩下|später|noch (?:nicht|zu)|pendiente|después/iu;

/** A choice was made. */
const DECISION =
	/\b(?:decided|decision|let's (?:go with|use|do|keep|stick|not)|go with|we'll (?:use|keep|go)|stick (?:to|with)|rather than|instead of|agreed|approved?|chose|opt(?:ed)? for|I (?:want|prefer)|option [A-D1-9])\b|決定|にする|にしましょう|ことにした|结论|决定|采用|결정|하기로|entschieden|nehmen wir|decidimos|mejor/iu;

export function setsRule(sentence: string): boolean {
	return RULE.test(sentence) && !NO_RULE.test(sentence);
}

export function isFinding(sentence: string): boolean {
	return FINDING.test(sentence);
}

export function isPromise(sentence: string): boolean {
	return PROMISE.test(sentence);
}

export function isDecision(sentence: string): boolean {
	return DECISION.test(sentence);
}
