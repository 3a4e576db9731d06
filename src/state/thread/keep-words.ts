/** Words that ask to keep something in mind, or speak of all that comes later, in several languages. */

/** Words between letters of any script, so that Cyrillic and accented words have edges too. */
export function words(...sources: readonly string[]): string {
	return `(?<!\\p{L})(?:${sources.join("|")})(?!\\p{L})`;
}

export const REMEMBER_WORDS = words(
	"remember|memori[sz]e|(?:do not|don'?t|never) forget|(?:keep|bear) in mind|make a note|take note|note(?: for later| that|:)|for the record|for later(?: reference|(?=[:,]))",
	"für später(?=[:,])|merke? (?:dir|euch)|vergiss nicht|nicht vergessen|denke? (?:dran|daran)|behalte? .{0,20}im (?:kopf|hinterkopf)|notiere?(?: dir)?",
	"recuerda|recuerde|acu[eé]rdate|ten(?:lo|ga)? en cuenta|no (?:te )?olvides|ap[uú]nta(?:lo|te)?|an[oó]ta(?:lo)?",
	"retiens|retenez|souviens-toi|rappelle-toi|n'oublie pas|n'oubliez pas|note bien|garde .{0,12}en (?:tête|mémoire)|à retenir",
	"ricorda(?:ti)?|tieni presente|non dimenticare|lembre(?:-se)?|lembra(?:-te)?|não (?:se )?esque[cç]as?|tenha em mente|onthoud|vergeet niet",
	"pamiętaj|zapamiętaj|unutma|aklında tut|запомни|запомните|помни|не забудь|имей в виду|учти",
);

/** The user asks to remember. */
export const REMEMBER = new RegExp(
	`${REMEMBER_WORDS}|覚えて|覚えとい|忘れないで|メモして|留意して|记住|记得|记下|别忘|不要忘|牢记|기억해|기억하|잊지 ?마|메모해|명심`,
	"iu",
);

export const LATER_WORDS = [
	words(
		"from (?:now|here|today) on|from today|in (?:the )?future|going forward|henceforth|as a (?:general )?rule|let'?s agree (?:that|to|on)|let'?s make it a (?:rule|habit)|(?:i|we)(?:'ve| have)? (?:no longer use|stopped using)(?= (?!the|this|that|these|those|it|them)\\p{L})",
		"einigen wir uns(?= (?:darauf|auf))|ab (?:jetzt|sofort|heute)|künftig|in zukunft|grundsätzlich|generell",
		"(?:a partir|de) (?:de )?(?:ahora|aquí|hoy)(?: en adelante)?|en el futuro|ya no (?:uso|usamos|utilizo|utilizamos)(?= (?!el|la|los|las|est[aeo]s?|es[aeo]s?)\\p{L})|(?:acordemos|quedamos en)(?= que)",
		"désormais|dorénavant|à (?:partir de maintenant|l'avenir)|(?:je|on|nous) n'utilis\\p{L}+ plus(?= (?!le|la|les|ce|cette|ces|ça)\\p{L})|(?:mettons-nous d'accord|convenons)(?= (?:que|de|pour|sur))",
		"d'ora in poi|a partir de agora|daqui em diante|vanaf nu|od teraz|artık|bundan sonra|отныне|впредь|с этого момента",
	),
	"今後|これから(?:は|も)|以后|从现在(?:起|开始)|今后|앞으로|이제부터",
].join("|");
/** The sentence speaks of what comes later. */
export const FOR_LATER = new RegExp(LATER_WORDS, "iu");
