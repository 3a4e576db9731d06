/** The six languages of the scenes. */
import { CHINESE } from "./chinese.ts";
import { ENGLISH } from "./english.ts";
import { GERMAN } from "./german.ts";
import { JAPANESE } from "./japanese.ts";
import { KOREAN } from "./korean.ts";
import type { SceneWords } from "./scene-words.ts";
import { SPANISH } from "./spanish.ts";

export const SCENES: readonly SceneWords[] = [ENGLISH, GERMAN, SPANISH, JAPANESE, CHINESE, KOREAN];
