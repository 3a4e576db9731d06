/**
 * What of a message are the user's own words: neither the lines of programs, nor a mail, a ticket or a log that the user hands on. Those
 * give no orders.
 */
import { FOR_LATER, REMEMBER, words } from "./keep-words.ts";
import { ownLines } from "./user-prose.ts";

/** The user's own lines, without all that follows words that introduce what somebody else wrote, and without letters. */
export function linesOfUser(text: string): string[] {
	const lines = ownLines(text).filter((line) => !isLogged(line.trim()));
	const all = text.split("\n");
	const from = lines.findIndex(
		(line, at) => introducesOthersWords(line) && !isFollowedByPaste(all, line, lines.slice(at + 1)),
	);
	return withoutLetters(from === -1 ? lines : lines.slice(0, from + 1));
}

/** What was introduced are lines of a program, which are left out already. */
function isFollowedByPaste(all: readonly string[], line: string, rest: readonly string[]): boolean {
	const next = all.slice(all.indexOf(line) + 1).find(isWritten);
	return next !== undefined && next !== rest.find(isWritten);
}

function isWritten(line: string): boolean {
	return line.trim() !== "";
}

/** `Hi Ann,` alone on its line, and two or three words alone at the end. */
const GREETS = /^\s*\p{L}[\p{L}.' -]{1,38}[,，、]\s*$/u;
const SIGNS = /^\s*[\p{L}–—-][\p{L}.' –—-]{0,30}[,，、.!]?\s*$/u;
const MAX_NAME_WORDS = 4;
/** `From: ann@example.org`: lines in a row with labels, one of which has an address, a time or a number. */
const LABELLED = /^\s*\p{L}[\p{L} -]{0,24}[:：]\s+\S/u;
const HEADER_VALUE = /\S@\S+\.\p{L}|\d{1,2}[:.]\d\d|\d{4}-\d\d|[A-Z]{2,}-\d+|#\d+/u;
const MIN_HEADER_LINES = 3;

/** Without a letter from its greeting to its signature, and without a header of mail or of a ticket with its body. */
function withoutLetters(lines: readonly string[]): string[] {
	const header = lines.findIndex((_, at) => isHeader(lines.slice(at, at + MIN_HEADER_LINES)));
	const left = header === -1 ? [...lines] : lines.slice(0, header);
	// A message that opens with a greeting is the user's own.
	const first = left.findIndex(isWritten);
	const greets = left.findIndex((line, at) => at > first && isShort(line) && GREETS.test(line));
	const end = left.findLastIndex(isWritten);
	const isSigned = greets !== -1 && end > greets + 1 && isShort(left[end] ?? "") && SIGNS.test(left[end] ?? "");
	return isSigned ? left.slice(0, greets) : left;
}

function isHeader(lines: readonly string[]): boolean {
	return (
		lines.length === MIN_HEADER_LINES &&
		lines.every((line) => LABELLED.test(line)) &&
		lines.some((line) => HEADER_VALUE.test(line))
	);
}

function isShort(line: string): boolean {
	return line.trim().split(/\s+/).length <= MAX_NAME_WORDS;
}

/** Words of somebody else, by what they are or by who said them. */
const FOREIGN = new RegExp(
	[
		words(
			"e-?mails?|mail|messages?|letters?|tickets?|issues?|logs?|outputs?|errors?|docs?|documentation|readme|reviews?|feedback|comments?|texts?|posts?|tweets?|specs?|slack|reports?|articles?|transcripts?|prompts?|repl(?:y|ies)|descriptions?|says?|said|wrote|writes|got this|following|below",
			"nachricht|meldung|ausgabe|kommentare?|rückmeldung|folgende[rsnm]?|schreibt|schrieb|sagt|sagte|fehler",
			"correo|mensaje|texto|comentarios?|siguientes?|dice|dijo|escribi[óo]|registro|courriel|message|texte|commentaires?|suivante?s?|dit|écrit|journal|messaggio|testo|mensagem|bericht|wiadomość|письмо|сообщение|лог",
		),
		"邮件|消息|日志|报错|以下|下面|说|写道|メール|メッセージ|ログ|次の|エラー|메일|메시지|로그|다음|오류",
	].join("|"),
	"iu",
);
/** The user's own list. */
const OWN_LIST = new RegExp(
	`${words("rules?|facts?|conventions?|preferences?|decisions?|regeln?|fakten|vorgaben|règles?|reglas?|regole|regras?|zasady|правила")}|规则|规矩|約定|ルール|規則|규칙`,
	"iu",
);

/** "Here is the mail from our customer:": what follows is not the user's own. */
function introducesOthersWords(line: string): boolean {
	if (!/[:：]\s*$/u.test(line)) return false;
	const last = line.split(/[.!?。！？]\s*/u).at(-1) ?? line;
	return FOREIGN.test(last) && ![OWN_LIST, REMEMBER, FOR_LATER].some((own) => own.test(last));
}

/** A line of a log, by its time. */
const LOGGED = /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

function isLogged(line: string): boolean {
	return LOGGED.test(line);
}
