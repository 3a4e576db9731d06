/**
 * In talk: words of somebody else inside a message. "Mum wrote: I am in hospital" tells of Mum, and what she asks for is no wish of the
 * user. A line that opens with ">" has words of nobody that we know.
 */
import { form, words } from "../thread/word-forms.ts";

export interface SpokenLine {
	readonly text: string;
	/** The words before the colon, for words of somebody else. */
	readonly by?: string | undefined;
}

const SAID = words(
	"wrote|writes|writing|said|says|texted|texts|replied|answered|asked",
	"schrieb|schreibt|geschrieben|sagt|sagte|gesagt|meint|meinte|antwortet|antwortete|fragt|fragte",
	"escribió|escribe|escrito|dice|dijo|contestó|pregunta|écrit|écrivait|dit|répond|répondu|demande|scrive|scritto|detto|risponde|escreveu|disse|schreef|zegt|zei|написал[аи]?|пишет|сказал[аи]?|говорит",
);
/** At most two words follow the verb: "wrote me yesterday:". */
const INTRODUCED = new RegExp(
	`^((?:[^.!?…]|(?<=(?<!\\p{L})(?:dr|mr|mrs|ms|prof|hr|fr|st|sra?|mme))\\.){1,50}?(?:${SAID}(?: \\p{L}+){0,2}|(?:から|より|が(?:言って|言ってい)?た|曰く)|(?:说|写道)|(?:가|이)? ?(?:말했어|썼어))) ?[:：]\\s*(?=\\S)`,
	"iu",
);
/** "I said: never" is the user's own. */
const BY_ONESELF = new RegExp(
	`${words("i|we|ich|wir|yo|je|io|eu|ik|я|he dicho|he escrito|ho detto|ho scritto")}|(?<!\\p{L})j['’]|^(?:私|僕|俺|我|나는|제가)`,
	"iu",
);
/** From the pronoun to the colon: "I have already said:". In "as I told you, Mum wrote:" it is too far away. */
const MAX_SUBJECT_WORDS = 4;
/** Their own words on themselves: a rule or a note to keep. */
const OWN_NOTE = form(
	words("remember|note|rule|reminder|merke?|notiz|regel|recuerda|nota|regla|rappel|règle|ricorda|regola"),
);
const QUOTED_LINE = /^\s*>/;
const MARKS: Readonly<Record<string, string>> = {
	'"': '"',
	"“": "”",
	"„": "“",
	"«": "»",
	"»": "«",
	"'": "'",
	"‘": "’",
	"「": "」",
	"『": "』",
};

/** Copied from a messenger: `[19.11.26, 14:20] Tom: words`, `19/11/2026, 14:20 - Tom: words`, and `Tom, [19.11.2026 14:20]` alone. */
const COPIED =
	/^(?:\u200e?\[\d[\d./-]*,? [\d:]+(?: ?[AaPp][Mm])?\] |\d[\d./-]*,? [\d:]+(?: ?[AaPp][Mm])? - )([^:\n]{1,40}): (?=\S)/;
const COPIED_HEAD = /^([^,:[\]\n]{1,40}), \[\d[\d./-]* [\d:]+\]:?$/;

/** The lines of a message, with words of somebody else apart. Without lines that quote. */
export function spokenLines(text: string): SpokenLine[] {
	let by: string | undefined;
	return text.split("\n").flatMap((line): SpokenLine[] => {
		// What was introduced ends with an empty line.
		if (line.trim() === "") by = undefined;
		if (QUOTED_LINE.test(line)) return [];
		const head = COPIED_HEAD.exec(line.trim());
		if (head) {
			by = head[1];
			return [];
		}
		if (by !== undefined) return [{ text: line, by }];
		const copied = COPIED.exec(line);
		if (copied) return [{ text: line.slice(copied[0].length), by: copied[1] }];
		by = speakerOf(/[:：]\s*$/.test(line) ? `${line} …` : "")?.by;
		return by === undefined ? splitLine(line) : [];
	});
}

/** The user's own lines alone. */
export function ownSpeech(text: string): string {
	const own = spokenLines(text).filter(({ by }) => by === undefined);
	return own.map((line) => line.text).join("\n");
}

function speakerOf(words: string): { readonly by: string; readonly chars: number } | undefined {
	const [introduced, lead = ""] = INTRODUCED.exec(words) ?? [];
	const end = lead.split(" ").slice(-MAX_SUBJECT_WORDS).join(" ");
	if (introduced === undefined || BY_ONESELF.test(end) || OWN_NOTE.test(lead)) return undefined;
	return { by: lead.trim(), chars: introduced.length };
}

function splitLine(line: string): SpokenLine[] {
	// A sentence of the user's own may come first.
	const starts = [
		0,
		...[...line.matchAll(/(?<=[.!?…。])\s+(?=\S)/gu)].map(({ index, 0: space }) => index + space.length),
	];
	for (const start of starts) {
		const rest = line.slice(start);
		const speaker = speakerOf(rest);
		if (!speaker) continue;
		const said = rest.slice(speaker.chars);
		const close = MARKS[said.charAt(0)];
		const end = close === undefined ? -1 : said.indexOf(close, 1);
		const [theirs, own] = end > 0 ? [said.slice(1, end), said.slice(end + 1)] : [said, ""];
		return [{ text: line.slice(0, start) }, { text: theirs, by: speaker.by }, { text: own }].filter(({ text }) =>
			/[\p{L}\p{N}]/u.test(text),
		);
	}
	return [{ text: line }];
}
