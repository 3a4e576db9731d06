/** Runs the conformance cases on an engine, one after another, each over a store of its own. */
import { errorText } from "../../../base/error/error-text.ts";
import { CASES, type ConformanceCase, type Subject } from "./cases.ts";
import { loadEngineModule, subjectOf } from "./module-subject.ts";

export interface CaseResult {
	readonly title: string;
	/** Undefined: the host's own engine need not do it. */
	readonly passed: boolean | undefined;
	/** Why it failed. */
	readonly reason?: string | undefined;
	readonly ms: number;
}

/** The id of the host's own engine. */
const HOST_ENGINE = "legacy";
/** An engine that never answers must not hold up the others. */
const CASE_MS = 120_000;

/** `only`: a part of the titles of the cases to run. */
export async function* runConformance(
	specifier: string,
	{ cwd, only = "" }: { readonly cwd: string; readonly only?: string | undefined },
): AsyncGenerator<CaseResult> {
	const module = await loadEngineModule(specifier, cwd);
	for (const each of CASES.filter(({ title }) => title.toLowerCase().includes(only.toLowerCase()))) {
		using subject = subjectOf(module, specifier);
		yield await judge(each, subject);
	}
}

export async function judge(each: ConformanceCase, subject: Subject): Promise<CaseResult> {
	const { title } = each;
	const start = performance.now();
	const ms = () => Math.round(performance.now() - start);
	let timer: NodeJS.Timeout | undefined;
	try {
		if (!each.isForHost && (await isHostEngine(subject))) return { title, passed: undefined, ms: ms() };
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new Error(`no answer within ${CASE_MS / 1_000} s`)), CASE_MS);
		});
		await Promise.race([each.run(subject), late]);
		return { title, passed: true, ms: ms() };
	} catch (error) {
		return { title, passed: false, reason: errorText(error), ms: ms() };
	} finally {
		clearTimeout(timer);
	}
}

async function isHostEngine({ make, tools }: Subject): Promise<boolean> {
	const { HostModel } = await import("./host-model.ts");
	const engine = await make(new HostModel({ make, tools }));
	await engine.dispose();
	return engine.info.id === HOST_ENGINE;
}
