/** A reporter for `node --test` that lists the files with a failed test, one per line. `scripts/test.ts` runs them again. */
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	const seen = new Set<string>();
	for await (const event of source) {
		if (event.type !== "test:fail" || event.data.todo || !event.data.file || seen.has(event.data.file)) continue;
		seen.add(event.data.file);
		yield `${event.data.file}\n`;
	}
}
