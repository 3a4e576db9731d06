/**
 * Tokens known by their prefix, beyond those of the maintained rules. One line per issuer: the prefix, then the
 * characters and the least length of the rest.
 */
import { isSecretValue, type SecretRange } from "./value.ts";

const SHAPES: readonly string[] = [
	// Models and their tools
	"sk-or-v1-[0-9a-f]{40,}",
	"sk-(?:ant|proj|svcacct|admin|lf)-[\\w-]{24,}",
	"sk-[A-Za-z0-9]{30,}",
	"csk-[a-z0-9]{40,}",
	"gsk_[A-Za-z0-9]{40,}",
	"xai-[A-Za-z0-9]{60,}",
	"pplx-[A-Za-z0-9]{40,}",
	"nvapi-[\\w-]{60,}",
	"hf_[A-Za-z0-9]{30,}",
	"r8_[A-Za-z0-9]{37}",
	"fw_[A-Za-z0-9]{22,}",
	"tgp_v1_[\\w-]{40,}",
	"lsv2_(?:pt|sk)_[0-9a-f_]{40,}",
	// Clouds
	"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
	"AIza[\\w-]{35}",
	"GOCSPX-[\\w-]{28}",
	"ya29\\.[\\w-]{40,}",
	"1//0[\\w-]{40,}",
	"[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}",
	"do[opr]_v1_[0-9a-f]{64}",
	"fm[12]_[A-Za-z0-9+/=]{50,}",
	"fo1_[\\w-]{40,}",
	"[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}",
	"hv[sbr]\\.[\\w-]{24,}",
	"dp\\.(?:st|pt|ct|sa|scim|audit)\\.[\\w.]{40,}",
	"dapi[0-9a-f]{32}",
	"pul-[0-9a-f]{40}",
	"nfp_[A-Za-z0-9]{36}",
	"pscale_(?:tkn|oauth|pw)_[\\w.-]{32,}",
	"sbp_[0-9a-f]{40}",
	"sb_secret_[\\w-]{20,}",
	"tskey-[a-z]+-[\\w-]{20,}",
	// Code and packages
	"gh[oprsu]_[A-Za-z0-9]{36,}",
	"github_pat_[A-Za-z0-9_]{50,}",
	"gl(?:pat|dt|rt|ptt|ft|imt|agent|soat|cbt|oas)-[\\w-]{20,}",
	"ATBB[A-Za-z0-9]{28,}",
	"ATATT3[\\w=-]{60,}",
	"npm_[A-Za-z0-9]{36}",
	"pypi-[\\w-]{50,}",
	"rubygems_[0-9a-f]{48}",
	"cio[A-Za-z0-9]{32}",
	"dckr_[po]at_[\\w-]{27,}",
	"CCIPAT_[\\w]{30,}",
	// Services
	"xapp-\\d-[A-Z0-9]+-\\d+-[0-9a-f]{30,}",
	"xox[abeoprs]-[\\w-]{20,}",
	"[MNO][A-Za-z0-9_-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}",
	"(?:bot)?\\d{8,10}:AA[\\w-]{32,33}",
	"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{20,}",
	"whsec_[A-Za-z0-9+/=]{24,}",
	"SG\\.[\\w-]{16,}\\.[\\w-]{30,}",
	"key-[0-9a-f]{32}",
	"SK[0-9a-f]{32}",
	"EAAA[\\w-]{50,}",
	"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
	"gls?[ac]_[\\w=]{32,}",
	"NRAK-[A-Z0-9]{27}",
	"sntry[su]_[\\w+/=-]{50,}",
	"lin_api_[A-Za-z0-9]{32,}",
	"ntn_[A-Za-z0-9]{40,}",
	"figd_[\\w-]{38,}",
	"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
	"pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}",
	"sk\\.eyJ[\\w-]{20,}\\.[\\w-]{20,}",
	"ops_eyJ[\\w-]{100,}",
	"AGE-SECRET-KEY-1[0-9A-Z]{58}",
	// Three parts, each base64url: a signed JWT; five: an encrypted one.
	"eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{16,}",
	"eyJ[\\w-]{16,}(?:\\.[\\w-]{8,}){4}",
];

/** No token is shorter, and texts have few runs this long: only these are matched. */
const MIN_CHARS = 20;
const IN_RUN = Uint8Array.from({ length: 65_536 }, (_, code) =>
	code < 128 ? Number(/[\w.~+/=:-]/.test(String.fromCharCode(code))) : 0,
);
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${SHAPES.join("|")})(?![A-Za-z0-9])`, "g");

/** The word before the token of a header. */
const BEARER = /\b(?:bearer|token)[ \t]+$/i;
/** The secret of a webhook is its path. */
const WEBHOOK =
	/(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks|\.webhook\.office\.com\/webhookb2)\/([\w@/-]{20,})/g;

export function* tokens(text: string): Generator<SecretRange> {
	for (const [base, end] of longRuns(text)) {
		const run = text.slice(base, end);
		// Not matchAll: it copies the pattern each time, which costs more than most searches.
		TOKEN.lastIndex = 0;
		for (let match = TOKEN.exec(run); match; match = TOKEN.exec(run)) {
			const after = TOKEN.lastIndex;
			if (isMixed(match[0])) yield [base + match.index, base + after];
			// The consumer may have searched in between.
			TOKEN.lastIndex = after;
		}
		if (BEARER.test(text.slice(Math.max(0, base - 16), base)) && isSecretValue(run, "token", true)) {
			yield [base, base + run.length];
		}
	}
	if (!text.includes("hook")) return;
	for (const { index, 0: whole, 1: path = "" } of text.matchAll(WEBHOOK)) {
		yield [index + whole.length - path.length, index + whole.length];
	}
}

/**
 * By hand: a pattern would check every character once for each character before it. A long enough run contains one of
 * any MIN_CHARS neighbours, so most characters are skipped.
 */
function longRuns(text: string): SecretRange[] {
	const runs: SecretRange[] = [];
	let free = 0;
	for (let at = MIN_CHARS - 1; at < text.length; at += MIN_CHARS) {
		if (IN_RUN[text.charCodeAt(at)] !== 1) continue;
		let start = at;
		while (start > free && IN_RUN[text.charCodeAt(start - 1)] === 1) start--;
		let end = at + 1;
		while (end < text.length && IN_RUN[text.charCodeAt(end)] === 1) end++;
		if (end - start >= MIN_CHARS) runs.push([start, end]);
		free = end;
		at = end;
	}
	return runs;
}

/** Letters and digits: a name in code that begins like a token seldom has both. */
function isMixed(token: string): boolean {
	return /\d/.test(token) && /[A-Za-z]/.test(token);
}
