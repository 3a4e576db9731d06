/**
 * Text as it looks to a model: characters that are not seen are gone, and those that look like a letter or a bracket of ASCII
 * are that letter or bracket. For comparing only: who compares with our marks must not miss `<ZWSP/runtime_context>`.
 */

/** Characters of other scripts and symbols that NFKD does not map to the ASCII character that they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
	...listed("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz"),
	...listed("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "abcdefghijklmnoprstuvwxyz"),
	...listed("❰⧼⦑⋖❱⧽⦒⋗⟋Ⳇ㇓〳ノ丿˗⁃➖Ⲻⲻ―ˍ", "<<<<>>>>//////------_"),
	...{ а: "a", е: "e", о: "o", р: "p", с: "c", х: "x", у: "y", і: "i", ѕ: "s", ј: "j", ԁ: "d", һ: "h", к: "k" },
	...{ м: "m", т: "t", в: "b", н: "h", г: "r", п: "n", ԛ: "q", ԝ: "w", ӏ: "l", ո: "n", ս: "u", օ: "o", ց: "g" },
	...{ α: "a", ε: "e", ι: "i", κ: "k", ν: "v", ο: "o", ρ: "p", τ: "t", υ: "u", χ: "x", ı: "i", ɡ: "g", ſ: "s" },
	...{ "〈": "<", "⟨": "<", "❮": "<", "❬": "<", "˂": "<", ᐸ: "<", "≺": "<", "〉": ">", "⟩": ">", "❯": ">", "❭": ">" },
	...{ "˃": ">", ᐳ: ">", "≻": ">", "⁄": "/", "∕": "/", "⧸": "/", "╱": "/", "‐": "-", "‑": "-", "‒": "-", "–": "-" },
	...{ "—": "-", "−": "-", "﹍": "_", "＿": "_", "：": ":", "∶": ":", "﹕": ":", "［": "[", "］": "]" },
};
/** Before they are made small: the small ones look otherwise, or like nothing of ASCII. */
const CAPITALS: Readonly<Record<string, string>> = {
	...{ Β: "b", Η: "h", Ζ: "z", Μ: "m", Ν: "n", Υ: "y", Ү: "y", Ꭰ: "d", Ꭱ: "r", Ꭲ: "t", Ꭵ: "i", Ꭹ: "y" },
	...{ Ꭺ: "a", Ꭻ: "j", Ꭼ: "e", Ꮃ: "w", Ꮇ: "m", Ꮋ: "h", Ꮍ: "y", Ꮐ: "g", Ꮓ: "z", Ꮢ: "r", Ꮤ: "w", Ꮥ: "s", Ꮩ: "v" },
	...{ Ꮪ: "s", Ꮮ: "l", Ꮯ: "c", Ꮲ: "p", Ꮶ: "k", Ꮷ: "d", Ᏼ: "b" },
	...lettersFrom(0x1f150),
	...lettersFrom(0x1f170),
	...lettersFrom(0x1f1e6),
};
const CAPITAL = new RegExp(`[${Object.keys(CAPITALS).join("")}]`, "gu");
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
		.replace(CAPITAL, (char) => CAPITALS[char] ?? char)
		.toLowerCase()
		.replace(OTHER, (char) => LOOK_ALIKES[char] ?? char);
}

/** Text in which the characters of tags, which nobody sees and a model may read, are the ASCII characters that they stand for. */
export function withTagsRead(text: string): string {
	return text.replace(TAG_CHARACTER, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) - 0xe0000));
}

/** Emoji of flags consist of them too. */
export function withoutTags(text: string): string {
	return text.replace(TAG_CHARACTER, "");
}

const TAG_CHARACTER = /[\u{e0020}-\u{e007e}]/gu;

/** The letters of two alphabets, one by one. */
function listed(alike: string, letters: string): Record<string, string> {
	return Object.fromEntries(Array.from(alike, (char, at) => [char, letters[at] ?? char]));
}

/** An alphabet of symbols, from A. */
function lettersFrom(first: number): Record<string, string> {
	return Object.fromEntries(
		Array.from({ length: 26 }, (_, at) => [String.fromCodePoint(first + at), String.fromCodePoint(0x61 + at)]),
	);
}
