/**
 * Tokens cut off after their beginning, known by their prefix. Only looked for at the end of a text and before an
 * ellipsis; anywhere else so short a match could be anything.
 */
import type { SecretRange } from "./range.ts";

const BEGINNINGS =
	"sk-|csk-|gsk_|xai-|pplx-|nvapi-|hf_|tgp_v1_|AKIA|ASIA|AIza|GOCSPX-|ya29\\.|do[opr]_v1_|hv[sbr]\\.|dapi|sbp_|sb_secret_|tskey-|gh[oprsu]_|github_pat_|glpat-|ATATT3|npm_|pypi-|dckr_[po]at_|xapp-|xox[abeoprs]-|[sr]k_(?:live|test|prod)_|whsec_|SG\\.|shp(?:at|ca|pa|ss)_|NRAK-|sntry[su]_|lin_api_|ntn_|figd_|PMAK-|eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.";
const CUT = new RegExp(`(?<![A-Za-z0-9])(?:${BEGINNINGS})(?=[\\w.~+/=-]*\\d)[\\w.~+/=-]{4,}$`);
/** Where a text may have been cut. Texts checked together have a zero between them. */
const ENDS = /…|\.\.\.|\n\0|$/g;
const TOKEN_CHAR = /[\w.~+/=-]/;
const [MIN_CHARS, MAX_CHARS] = [6, 300];

export function* cutTokens(text: string): Generator<SecretRange> {
	for (const match of text.matchAll(ENDS)) {
		let { index } = match;
		// The full stop of a sentence is no part of a token.
		while (index > 0 && text[index - 1] === ".") index--;
		let start = index;
		while (start > 0 && index - start < MAX_CHARS && TOKEN_CHAR.test(text.charAt(start - 1))) start--;
		const found = index - start < MIN_CHARS ? undefined : CUT.exec(text.slice(start, index));
		if (found) yield [start + found.index, index];
	}
}
