/** The same six languages, said in passing: no form in these words was made for a recogniser. */
import { CHINESE_IN_PASSING } from "./chinese.ts";
import { ENGLISH_IN_PASSING } from "./english.ts";
import { GERMAN_IN_PASSING } from "./german.ts";
import { JAPANESE_IN_PASSING } from "./japanese.ts";
import { KOREAN_IN_PASSING } from "./korean.ts";
import { SPANISH_IN_PASSING } from "./spanish.ts";

export const SCENES_IN_PASSING = [
	ENGLISH_IN_PASSING,
	GERMAN_IN_PASSING,
	SPANISH_IN_PASSING,
	JAPANESE_IN_PASSING,
	CHINESE_IN_PASSING,
	KOREAN_IN_PASSING,
];
