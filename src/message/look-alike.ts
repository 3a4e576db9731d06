/**
 * Text as it looks to a model: characters that are not seen are gone, and those that look like a letter or a bracket of ASCII
 * are that letter or bracket. For comparing only: who compares with our marks must not miss `<ZWSP/runtime_context>`.
 */

/** Characters of other scripts and symbols that NFKD does not map to the ASCII character that they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
	...{ а: "a", е: "e", о: "o", р: "p", с: "c", х: "x", у: "y", і: "i", ѕ: "s", ј: "j", ԁ: "d", һ: "h", к: "k" },
	...{ м: "m", т: "t", в: "b", н: "h", г: "r", п: "n", ԛ: "q", ԝ: "w", ӏ: "l", ո: "n", ս: "u", օ: "o", ց: "g" },
	...{ α: "a", ε: "e", ι: "i", κ: "k", ν: "v", ο: "o", ρ: "p", τ: "t", υ: "u", χ: "x", ı: "i", ɡ: "g", ſ: "s" },
	...{ "〈": "<", "⟨": "<", "❮": "<", "❬": "<", "˂": "<", ᐸ: "<", "≺": "<", "〉": ">", "⟩": ">", "❯": ">", "❭": ">" },
	...{ "˃": ">", ᐳ: ">", "≻": ">", "⁄": "/", "∕": "/", "⧸": "/", "╱": "/", "‐": "-", "‑": "-", "‒": "-", "–": "-" },
	...{ "—": "-", "−": "-", "﹍": "_", "＿": "_", "：": ":", "∶": ":", "﹕": ":", "［": "[", "］": "]" },
};
const OTHER = new RegExp(`[${Object.keys(LOOK_ALIKES).join("")}]`, "gu");
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}]|[\p{Cc}--[\n\t\r]]/gv;

export function asItLooks(text: string): string {
	// Most text has nothing to map.
	if (!/[^\n\t\r\x20-\x7e]/.test(text)) return text;
	return text
		.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n")
		.normalize("NFKD")
		.replace(UNSEEN, "")
		.replace(/[\p{Zs}]/gu, " ")
		.toLowerCase()
		.replace(OTHER, (char) => LOOK_ALIKES[char] ?? char);
}
