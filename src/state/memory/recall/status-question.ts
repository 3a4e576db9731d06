/** Questions about the work itself ("where were we?"): they share no word with their answers. */
import type { RecallItem, RecallKind } from "./item.ts";

interface StatusQuestion {
	readonly asked: RegExp;
	readonly kinds: readonly RecallKind[];
}

const WHERE_WE_WERE: readonly RecallKind[] = ["state", "next"];
const WHAT_IS_NEXT: readonly RecallKind[] = ["next", "state"];

const INTENTS: readonly StatusQuestion[] = [
	{
		asked:
			/\bwhere (?:were|are) we\b|\bwhere did (?:we|i|you) (?:leave|stop)|\bleft off\b|\bwhat (?:were|was|are) (?:we|i|you) (?:doing|working)|\bpick (?:it )?up where\b|\bcatch me up\b|\bwhat(?:'s| is) the (?:current )?(?:state|status)\b|\bwo waren wir\b|\bworan (?:waren|arbeiten) wir\b|\bwie weit sind wir\b|\boù en (?:étions|sommes|étais)|\bpor dónde íbamos|\bonde (?:paramos|estávamos)|做到哪|进展到|上次.{0,6}(?:哪|做|停)|どこまで|前回の続き|어디까지/iu,
		kinds: WHERE_WE_WERE,
	},
	{
		asked:
			/\bwhat(?:'s| is| comes| should come) next\b|\bnext steps?\b|\bwhat(?:'s| is| remains) (?:left|still open)\b|\bremains to (?:be )?do|\bwas kommt als nächstes\b|\bnächste[nr]? schritte?\b|\bwas ist noch (?:offen|zu tun)\b|\bprochaines? étapes?\b|\bsiguientes? pasos?\b|\bpróximos passos\b|下一步|还剩|次は何|次のステップ|다음 (?:단계|작업)/iu,
		kinds: WHAT_IS_NEXT,
	},
];

/** Longer texts name their subject. */
const MAX_CHARS = 160;

/** The kinds of items that a question asks for without naming them. */
export function kindsAsked(text: string): readonly RecallKind[] {
	if (text.length > MAX_CHARS) return [];
	return [...new Set(INTENTS.filter(({ asked }) => asked.test(text)).flatMap(({ kinds }) => kinds))];
}

/** The place of an item's kind among those asked for. -1: it was not asked for. */
export function rankOfKind({ source, kind }: RecallItem, kinds: readonly RecallKind[]): number {
	return source === "session" && kind !== undefined ? kinds.indexOf(kind) : -1;
}
