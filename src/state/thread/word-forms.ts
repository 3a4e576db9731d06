/** Words of several languages as patterns, and those by which people name themselves and those who belong to them. */

/** Words between letters of any script. */
export function words(...sources: readonly string[]): string {
	return `(?<!\\p{L})(?:${sources.join("|")})(?!\\p{L})`;
}

export const form = (...sources: readonly string[]) => new RegExp(sources.join("|"), "iu");

const KIN_WORDS = [
	"(?:mum|mom|mother|dad|father|grand(?:ma|pa|mother|father|parents|dad|mum)|sister|brother|wife|husband|son|daughter|aunt|uncle|cousin|niece|nephew|fianc[eé]e?|(?:girl|boy)friend|flatmate|roommate|landlord|landlady|boss)['’]?s?",
	"mama|mutter|papa|vater|oma|opa|schwester|bruder|frau|mann|sohn|tochter|chef(?:in)?|vermieter(?:in)?",
	"mamá|papá|abuel[oa]|herman[oa]|espos[oa]|hij[oa]|jef[ea]",
	"maman|grand-(?:mère|père)|sœur|frère|femme|mari|fils|fille|patronne?",
	"sorella|fratello|moglie|marito|irm[ãa]o?|broer",
	"мам[аеуы]|пап[аеуы]|сестр[аеуы]|брат[аеу]?|жен[аеуы]|муж[аеу]?|сын[аеу]?|доч[ьк]\\p{L}*",
] as const;
const KIN_SIGNS =
	"うち|[父母兄姉弟妹妻夫]|息子|娘|爸|妈|哥|姐|老婆|老公|儿子|女儿|엄마|아빠|동생|언니|오빠|누나|아내|남편";

/** Those who belong to the user. */
export const KIN = form(words(...KIN_WORDS), KIN_SIGNS);

/** The user, and those who belong to them. */
export const OWN = form(
	words(
		"i|i['’]?(?:m|ve)|i['’](?:ll|d)|me|my|mine|we|we['’](?:re|ve|ll)|us|our",
		"ich|mir|mich|mein\\p{L}*|wir|uns|unser\\p{L}*",
		"yo|mí|mis?|me|nosotros|nuestr\\p{L}+",
		"je|moi|mon|ma|mes|nous|notre|nos",
		"io|mi[oaei]i?|noi|nostr\\p{L}+|eu|meus?|minhas?|nós|noss\\p{L}+|ik|mij|mijn|wij|onze?|zus",
		"я|мне|меня|мо[йяиё]|мы|нас|нам|наш\\p{L}*",
		...KIN_WORDS,
	),
	"(?<!\\p{L})j['’]|私|僕|俺|我们|咱们|我|나는|저는|내가|제가|우리|[내제] ",
	KIN_SIGNS,
);
