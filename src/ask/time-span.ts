/** The time that a question is about: "yesterday", "last week", "since Monday", "on 3 March", "in the last two hours". */

export interface TimeSpan {
	/** ms since the epoch; `since` included, `until` not. */
	readonly since: number;
	readonly until: number;
	/** As the question says it. */
	readonly words: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const NUMBERS = [
	"zero",
	"one",
	"two",
	"three",
	"four",
	"five",
	"six",
	"seven",
	"eight",
	"nine",
	"ten",
	"eleven",
	"twelve",
];
const UNIT_MS: Readonly<Record<string, number>> = {
	minute: 60_000,
	hour: HOUR_MS,
	day: DAY_MS,
	week: 7 * DAY_MS,
	month: 30 * DAY_MS,
	year: 365 * DAY_MS,
};

type SpanReader = (match: RegExpExecArray, now: number) => readonly [since: number, until: number] | undefined;

const MONTH = `(?:${MONTHS.map((name) => `${name}[a-z]*`).join("|")})`;

/** Days are local, as the timeline shows them. The first that fits counts. */
const READERS: readonly (readonly [RegExp, SpanReader])[] = [
	[
		/\bday before yesterday\b|\bvorgestern\b|\bavant-hier\b|\banteayer\b|前天|一昨日|おととい|그저께/iu,
		(_, now) => day(now, -2),
	],
	[/\byesterday\b|\bgestern\b|\bhier\b(?!archy)(?= |\?|$)|\bayer\b|昨天|昨日|きのう|어제/iu, (_, now) => day(now, -1)],
	[/\btoday\b|\bthis morning\b|\bheute\b|\baujourd'hui\b|\bhoy\b|今天|今日|오늘/iu, (_, now) => day(now, 0)],
	[
		/\b(?:in |within |over |during )?the (?:last|past) (?:(\d{1,4}|[a-z]+) )?(minute|hour|day|week|month|year)s?\b/iu,
		(match, now) => back(now, match[1] ?? "one", match[2]),
	],
	[/\b(\d{1,4}|[a-z]+) (minute|hour|day|week|month|year)s? ago\b/iu, ago],
	[
		/\blast week\b|\bletzte woche\b|\bla semaine dernière\b|\bla semana pasada\b|上周|先週|지난주/iu,
		(_, now) => week(now, -1),
	],
	[
		/\bthis week\b|\bdiese woche\b|\bcette semaine\b|\besta semana\b|本周|这周|今週|이번 주/iu,
		(_, now) => week(now, 0),
	],
	[
		/\blast month\b|\bletzten monat\b|\ble mois dernier\b|\bel mes pasado\b|上个月|先月|지난달/iu,
		(_, now) => month(now, -1),
	],
	[/\bthis month\b/iu, (_, now) => month(now, 0)],
	[/\b(\d{4})-(\d{2})-(\d{2})(?: (?:to|until|and|-) |\.\.)(\d{4})-(\d{2})-(\d{2})\b/u, range],
	[/\b(since |after |before |until )?(\d{4})-(\d{2})-(\d{2})\b/iu, isoDay],
	[
		new RegExp(
			`\\b(since |after |before |until )?(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${MONTH})\\b(?:,? (\\d{4}))?`,
			"iu",
		),
		dayMonth,
	],
	[
		new RegExp(`\\b(since |after |before |until )?(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4}))?`, "iu"),
		([whole, side, name, date, year], now) =>
			dayMonth([whole, side, date, name, year] as unknown as RegExpExecArray, now),
	],
	[new RegExp(`\\b(?:in|during) (${MONTH})\\b(?: (\\d{4}))?`, "iu"), namedMonth],
	[new RegExp(`\\b(since |last |on |after )(${WEEKDAYS.join("|")})\\b`, "iu"), weekday],
];

/** Undefined: the question names no time. */
export function readTimeSpan(text: string, now: number): TimeSpan | undefined {
	for (const [pattern, read] of READERS) {
		const match = pattern.exec(text);
		const span = match && read(match, now);
		if (!match || !span) continue;
		const whole = { since: span[0], until: span[1], words: match[0].trim() };
		return atClock(whole, CLOCK.exec(text.slice(match.index + match[0].length))) ?? whole;
	}
	return undefined;
}

const CLOCK = /^,? (after|since|from|before|until) (\d{1,2}):([0-5]\d)\b/iu;
/** A day on which clocks change may have an hour more. */
const MAX_DAY_MS = DAY_MS + HOUR_MS;

/** "yesterday after 15:00" */
function atClock({ since, until, words }: TimeSpan, match: RegExpExecArray | null): TimeSpan | undefined {
	if (!match || until - since > MAX_DAY_MS || Number(match[2]) > 23) return undefined;
	const at = new Date(since).setHours(Number(match[2]), Number(match[3]));
	const isEnd = /^(?:before|until)$/i.test(match[1] ?? "");
	const narrowed = isEnd ? { since, until: at } : { since: at, until };
	return narrowed.since < narrowed.until ? { ...narrowed, words: `${words}${match[0]}` } : undefined;
}

function day(now: number, offset: number): readonly [number, number] {
	return [midnight(now, offset), midnight(now, offset + 1)];
}

function midnight(now: number, offset: number): number {
	const at = new Date(now);
	return new Date(at.getFullYear(), at.getMonth(), at.getDate() + offset).getTime();
}

/** From Monday to Monday. */
function week(now: number, offset: number): readonly [number, number] {
	const back = (new Date(now).getDay() + 6) % 7;
	return [midnight(now, offset * 7 - back), midnight(now, (offset + 1) * 7 - back)];
}

function month(now: number, offset: number): readonly [number, number] {
	const at = new Date(now);
	const start = (n: number) => new Date(at.getFullYear(), at.getMonth() + n, 1).getTime();
	return [start(offset), start(offset + 1)];
}

function countOf(word: string): number {
	const known = NUMBERS.indexOf(word.toLowerCase());
	return known >= 0
		? known
		: /^\d+$/.test(word)
			? Number(word)
			: /^(?:a|an)$/i.test(word)
				? 1
				: /^few$/i.test(word)
					? 3
					: 0;
}

function back(now: number, count: string, unit = ""): readonly [number, number] | undefined {
	const ms = countOf(count) * (UNIT_MS[unit.toLowerCase()] ?? 0);
	return ms > 0 ? [now - ms, now + 1] : undefined;
}

/** The day of it; for shorter units the hour around it. */
function ago([, count = "", unit = ""]: RegExpExecArray, now: number): readonly [number, number] | undefined {
	const size = UNIT_MS[unit.toLowerCase()] ?? 0;
	const at = now - countOf(count) * size;
	if (at === now) return undefined;
	if (size < DAY_MS) return [at - Math.max(size, HOUR_MS / 2), at + Math.max(size, HOUR_MS / 2)];
	return size === DAY_MS ? day(at, 0) : [at - size, at + size / 2];
}

function sided(side: string | undefined, start: number, end: number, now: number): readonly [number, number] {
	switch (side?.trim().toLowerCase()) {
		case "since":
			return [start, now + 1];
		case "after":
			return [end, now + 1];
		case "before":
			return [0, start];
		case "until":
			return [0, end];
		default:
			return [start, end];
	}
}

function isoDay([, side, year, month, date]: RegExpExecArray, now: number): readonly [number, number] {
	const start = new Date(Number(year), Number(month) - 1, Number(date));
	return sided(side, start.getTime(), midnight(start.getTime(), 1), now);
}

function range([, y1, m1, d1, y2, m2, d2]: RegExpExecArray): readonly [number, number] {
	const from = new Date(Number(y1), Number(m1) - 1, Number(d1)).getTime();
	return [from, midnight(new Date(Number(y2), Number(m2) - 1, Number(d2)).getTime(), 1)];
}

function monthNumber(name = ""): number {
	return MONTHS.indexOf(name.slice(0, 3).toLowerCase());
}

/** Without a year: the last such day. */
function dayMonth([, side, date, name, year]: RegExpExecArray, now: number): readonly [number, number] | undefined {
	const number = monthNumber(name);
	if (number < 0 || Number(date) < 1 || Number(date) > 31) return undefined;
	let start = new Date(year === undefined ? new Date(now).getFullYear() : Number(year), number, Number(date));
	if (year === undefined && start.getTime() > now) start = new Date(start.getFullYear() - 1, number, Number(date));
	return sided(side, start.getTime(), midnight(start.getTime(), 1), now);
}

function namedMonth([, name, year]: RegExpExecArray, now: number): readonly [number, number] | undefined {
	const number = monthNumber(name);
	if (number < 0) return undefined;
	let start = new Date(year === undefined ? new Date(now).getFullYear() : Number(year), number, 1);
	if (year === undefined && start.getTime() > now) start = new Date(start.getFullYear() - 1, number, 1);
	return month(start.getTime(), 0);
}

/** The last such day before today. */
function weekday([, side = "", name = ""]: RegExpExecArray, now: number): readonly [number, number] {
	const back = (new Date(now).getDay() - WEEKDAYS.indexOf(name.toLowerCase()) + 7) % 7 || 7;
	return sided(
		side.trim() === "last" || side.trim() === "on" ? undefined : side,
		midnight(now, -back),
		midnight(now, 1 - back),
		now,
	);
}
