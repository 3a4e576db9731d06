/** What the agents read: six letters, twelve files each, every fifth longer than the host shows of a result. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const WORDS = "alpha bridge candle delta ember forest garden harbor island jacket kettle ladder marble needle".split(
	" ",
);
const SHORT_BYTES = 9_000;
const LONG_BYTES = 30_000;
/** The line with the fact. */
const FACT_LINE = 60;

/** Each file has a fact in its middle. The same bytes every time. */
export function writeData(folder: string): void {
	let seed = 7;
	const random = () => {
		seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
		return seed / 0x7fffffff;
	};
	const number = () => Math.floor(random() * 10_000);
	const word = () => WORDS[Math.floor(random() * WORDS.length)]!;
	for (const letter of "abcdef") {
		for (let nth = 1; nth <= 12; nth++) {
			const lines = [`file ${letter}-${nth}`];
			const bytes = nth % 5 === 0 ? LONG_BYTES : SHORT_BYTES;
			for (let size = 0; size < bytes; size += lines.at(-1)!.length + 1) {
				lines.push(`${Array.from({ length: 12 }, word).join(" ")} ${number()}`);
			}
			lines.splice(FACT_LINE, 0, `FACT-${letter}-${nth}: ${word()}-${word()}-${number()}`);
			writeFileSync(join(folder, `${letter}-${String(nth).padStart(2, "0")}.txt`), `${lines.join("\n")}\n`);
		}
	}
}
