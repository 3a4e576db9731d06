/**
 * What the planner sends of a session, from a real log:
 *
 * ```ts
 * await given(user("Which port?"), assistant("7443."))
 * 	.when({ mode: "off" }, ({ messages }) => messages.map(({ role }) => role))
 * 	.then(["user", "assistant"]);
 * ```
 *
 * Files of the project and settings of the environment come with `inProject`.
 */

import type { Assembled, RequestInput } from "../../src/context/request.ts";
import { type Engine, type EngineOptions, openEngine } from "../../src/engine.ts";
import { eventsOf, OF, type SessionWords } from "./events.ts";
import { assertSame, Expectation } from "./expectation.ts";
import { TemporaryProject } from "./temporary-folder.ts";

type RequestSettings = Omit<RequestInput, "session" | "host">;
type PlannedProject = Pick<EngineOptions, "env" | "trusted"> & { readonly files?: Readonly<Record<string, string>> };

interface PlannerSpecification {
	/** `ask`: what the test wants to know of the request and of the log behind it. */
	when<Answer>(
		settings: RequestSettings,
		ask: (request: Assembled, engine: Engine) => Answer,
	): Expectation<[expected: unknown], Promise<void>>;
}

export function given(...words: SessionWords): PlannerSpecification {
	return inProject({}).given(...words);
}

export function inProject({ files, ...options }: PlannedProject): { given: typeof given } {
	return {
		given: (...words) => ({
			when: (settings, ask) =>
				new Expectation(async (expected: unknown) => {
					using project = new TemporaryProject(files);
					const { folder: cwd, home } = project;
					const engine = openEngine({ cwd, home, host: OF.host, env: {}, now: () => 1_000, ...options });
					try {
						engine.record(eventsOf(words, cwd));
						const request = await engine.assemble({ ...OF, ...settings });
						assertSame(
							await ask(request, engine),
							expected,
							`given ${words.flat().length} words, when ${JSON.stringify(settings)}:`,
						);
					} finally {
						engine.close();
					}
				}),
		}),
	};
}
