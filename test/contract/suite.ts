/** The conformance cases as tests of one engine. `docs/conformance.md` says how to run them on another. */
import { type TestContext, test } from "node:test";
import { CASES } from "../../src/agent/openclaw/conformance/cases.ts";
import type { MakeEngine } from "../../src/agent/openclaw/conformance/host-model.ts";

export { askSixtyTimes, results, unpaired, WINDOWS } from "../../src/agent/openclaw/conformance/cases.ts";

export interface TestSubject {
	readonly name: string;
	/** A store of its own for each test; what it gives makes an engine over it, as often as it is asked. */
	readonly open: (t: TestContext) => MakeEngine;
	readonly tools: readonly string[];
}

export function contractSuite({ name, tools, open }: TestSubject): void {
	for (const { title, run } of CASES) test(`${name}: ${title}`, (t) => run({ name, tools, make: open(t) }));
}
