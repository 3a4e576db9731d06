/**
 * Which tool printed this, and what does it say? Recognises tools by their output; the command is a hint that decides
 * between several. Works without the head or the tail. Every pattern looks at one bounded line.
 */
import { memoize } from "../../../../base/text/memo.ts";
import { diagnostic } from "./diagnostic.ts";
import { dotnetTest } from "./dotnet-test.ts";
import { goTest } from "./go-test.ts";
import { eslint, tsc } from "./javascript-checks.ts";
import { jest, nodeTest, vitest } from "./javascript-tests.ts";
import { maven } from "./maven.ts";
import { pytest, traceback } from "./python.ts";
import { rspec } from "./rspec.ts";
import { cargoTest, rustc } from "./rust.ts";
import { stack } from "./stack.ts";
import type { Recognised, Recogniser } from "./types.ts";

/** The most certain first. */
export const RECOGNISERS: readonly Recogniser[] = [
	pytest,
	vitest,
	jest,
	maven,
	cargoTest,
	dotnetTest,
	rspec,
	goTest,
	nodeTest,
	tsc,
	eslint,
	rustc,
	diagnostic,
	traceback,
	stack,
];

export function recognise(lines: readonly string[], command: string): Recognised | null {
	const { hinted, order } = orderFor(command);
	const text = lines.join("\n");
	let best: Recognised | null = null;
	for (const recogniser of order) {
		const answer = recogniser.sign.test(text) ? recogniser.recognise(lines) : null;
		if (answer === null) continue;
		if (answer.status === "fail" && answer.errors.length > 0) return answer;
		if (best === null || (answer.status !== "unknown" && best.status === "unknown")) best = answer;
		if (hinted.has(recogniser) && answer.status === "pass") return answer;
	}
	return best;
}

interface Order {
	readonly hinted: ReadonlySet<Recogniser>;
	/** Recognisers that the command hints at come first. */
	readonly order: readonly Recogniser[];
}

const MAX_ORDERS = 64;

const orderFor = memoize(MAX_ORDERS, (command): Order => {
	const hinted = new Set(RECOGNISERS.filter((one) => one.hint.test(command)));
	return { hinted, order: [...hinted, ...RECOGNISERS.filter((one) => !hinted.has(one))] };
});
