/** `ask` does not quote as current what the user replaced later, in the same session or in another one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toolContext } from "../../src/agent/live/tool-context.ts";
import { openEngine } from "../../src/engine.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import type { SessionRef } from "../../src/log/session-ref.ts";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { assistant, eventsOf, type SessionWords, sessionStarted, user } from "../rig/events.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const NOW = new Date(2026, 4, 20, 12).getTime();
const HOUR_MS = 3_600_000;
const [FIRST, SECOND, ASKING]: readonly [SessionRef, SessionRef, SessionRef] = [
	{ session: "first", host: "pi" },
	{ session: "second", host: "claude-code" },
	{ session: "asking", host: "pi" },
];

interface ChangedValue {
	readonly language: string;
	readonly said: string;
	readonly agent: string;
	readonly changed: string;
	readonly question: string;
	readonly old: RegExp;
	readonly current: RegExp;
	/** The same, about the past. */
	readonly past: string;
}

const CHANGES: readonly ChangedValue[] = [
	{
		language: "English",
		said: "The thumbnail worker reads from the bucket shutter-raw.",
		agent: "Noted: the thumbnail worker reads from the bucket shutter-raw.",
		changed: "Correction: the thumbnail worker reads from shutter-proof, not from shutter-raw.",
		question: "Which bucket does the thumbnail worker read from?",
		old: /shutter-raw/,
		current: /shutter-proof/,
		past: "Which bucket did the thumbnail worker read from previously?",
	},
	{
		language: "German",
		said: "Die Rechnungen gehen nachts um 23:40 raus.",
		agent: "Verstanden: Die Rechnungen gehen nachts um 23:40 raus.",
		changed: "Die Rechnungen gehen jetzt nachts um 04:15 raus, nicht mehr um 23:40.",
		question: "Wann gehen die Rechnungen nachts raus?",
		old: /23:40/,
		current: /04:15/,
		past: "Wann gingen die Rechnungen früher nachts raus?",
	},
	{
		language: "Spanish",
		said: "El panel de turnos usa la tabla turnos_2024.",
		agent: "Entendido: el panel de turnos usa la tabla turnos_2024.",
		changed: "El panel de turnos ahora usa la tabla turnos_vivos en vez de turnos_2024.",
		question: "¿Qué tabla usa el panel de turnos?",
		old: /turnos_2024/,
		current: /turnos_vivos/,
		past: "¿Qué tabla usaba originalmente el panel de turnos?",
	},
	{
		language: "Japanese",
		said: "在庫同期の間隔は45秒にする。",
		agent: "了解しました。在庫同期の間隔は45秒にする。",
		changed: "在庫同期の間隔は45秒ではなく90秒に変更する。",
		question: "在庫同期の間隔は何秒？",
		old: /45秒/,
		current: /90秒/,
		past: "在庫同期の間隔は以前は何秒だった？",
	},
	{
		language: "Chinese",
		said: "导出任务写到 exports-a 目录。",
		agent: "好的：导出任务写到 exports-a 目录。",
		changed: "导出任务现在写到 exports-b 目录，不是 exports-a。",
		question: "导出任务写到哪个目录？",
		old: /exports-a/,
		current: /exports-b/,
		past: "导出任务之前写到哪个目录？",
	},
	{
		language: "Korean",
		said: "알림 서버 포트는 6120이다.",
		agent: "알겠습니다: 알림 서버 포트는 6120이다.",
		changed: "알림 서버 포트는 6120이 아니라 6240이다.",
		question: "알림 서버 포트는 몇 번이야?",
		old: /6120/,
		current: /6240/,
		past: "알림 서버 포트는 원래 몇 번이었어?",
	},
];

async function answersTo(
	sessions: readonly (readonly [SessionRef, SessionWords])[],
	...questions: readonly string[]
): Promise<string[]> {
	using project = new TemporaryProject();
	const { folder: cwd, home } = project;
	const engine = openEngine({ cwd, home, host: "pi", env: {}, now: () => NOW });
	try {
		for (const [n, [of, words]] of sessions.entries()) {
			const events = eventsOf([sessionStarted(cwd), ...words], cwd);
			const at = NOW - (sessions.length - n) * HOUR_MS;
			engine.record(events.map((event, place): NewEvent => ({ ...event, ...of, ts: at + place * 1_000 }) as NewEvent));
		}
		const tool = TOOLS.find(({ name }) => name === "ask") ?? assert.fail();
		const answers: string[] = [];
		for (const question of questions) {
			const { text } = await tool.run(toolContext(engine, ASKING, { now: NOW }), { question });
			answers.push(text.replace(/^Sessions: .*$|^Searched .*$/gm, ""));
		}
		return answers;
	} finally {
		engine.close();
	}
}

/** Lines that show the old value without saying that it is old or what it became. */
function staleLines(answer: string, { old, current }: ChangedValue): string[] {
	return answer.split("\n").filter((line) => old.test(line) && !current.test(line) && !/no longer/.test(line));
}

for (const change of CHANGES) {
	const { language, said, agent, changed, question, old, current, past } = change;
	test(`${language}: a value that was corrected is quoted only where the question is about the past`, async () => {
		const talk = [user("Hello."), assistant("Hello.")];
		const inOne: SessionWords = [user(said), assistant(agent), user("Continue."), assistant("Done."), user(changed)];
		const inTwo: readonly (readonly [SessionRef, SessionWords])[] = [
			[FIRST, [user(said), assistant(agent)]],
			[SECOND, [user(changed), assistant("OK.")]],
			[ASKING, talk],
		];
		for (const sessions of [
			[
				[FIRST, inOne],
				[ASKING, talk],
			] as const,
			inTwo,
		]) {
			const [now = "", before = ""] = await answersTo(sessions, question, past);
			assert.match(now, current);
			assert.deepEqual(staleLines(now, change), []);
			assert.match(before, old);
		}
	});
}

test("a value that the user returned to is quoted again", async () => {
	const [answer = ""] = await answersTo(
		[
			[FIRST, [user("The crawler waits 700 ms between pages."), assistant("Noted.")]],
			[SECOND, [user("Correction: the crawler waits 900 ms between pages, not 700 ms."), assistant("OK.")]],
			[ASKING, [user("The crawler waits 700 ms between pages again, not 900 ms."), assistant("OK.")]],
		],
		"How long does the crawler wait between pages?",
	);
	assert.match(answer, /700 ms/);
	assert.doesNotMatch(answer, /see[^\n]*\]: .*700/);
});

test("an older value is old also where the words that replaced it were replaced in words of their own", async () => {
	const [answer = ""] = await answersTo(
		[
			[FIRST, [user("The crawler keeps pages in depot-one."), assistant("Noted.")]],
			[SECOND, [user("The crawler keeps pages in depot-two now, not in depot-one."), assistant("OK.")]],
			[ASKING, [user("Sorry, not depot-two but depot-six."), assistant("OK.")]],
		],
		"Where does the crawler keep pages?",
	);
	const stale = answer.split("\n").filter((line) => /depot-one/.test(line) && !/depot-two|no longer/.test(line));
	assert.deepEqual(stale, []);
	assert.match(answer, /depot-six/);
});

test("other words of a quote stay where one of its sentences was replaced", async () => {
	const [answer = ""] = await answersTo(
		[
			[
				FIRST,
				[user("The billing sandbox is at pay-17.internal. Its mail is caught by mailtrap."), assistant("Noted.")],
			],
			[SECOND, [user("The billing sandbox is at pay-22.internal, not at pay-17.internal."), assistant("OK.")]],
			[ASKING, [user("Hello."), assistant("Hello.")]],
		],
		"billing sandbox mail",
	);
	assert.match(answer, /\[no longer true: see m-[0-9a-f]{12}\] Its mail is caught by mailtrap/);
	assert.match(answer, /pay-22\.internal/);
});

test("what an agent announced is not old because the user spoke of the same things later", async () => {
	const [answer = ""] = await answersTo(
		[
			[
				FIRST,
				[
					user("Cover the ferry timetable."),
					assistant("Now let me add the timetable tests. Run `ferry-plan install`:\n- ferry-plan install"),
					user("Run the ferry-plan lint and fix the timetable tests, then push."),
					assistant("Pushed."),
					user("2. Build and install the ferry-plan binary (one-time on the machine)"),
					assistant("Installed."),
					user("the timetable tests are wrong then, sorry, now they must be run against ferry-stage"),
				],
			],
			[ASKING, [user("Hello."), assistant("Hello.")]],
		],
		"What did we do for the ferry timetable tests with ferry-plan install?",
	);
	assert.match(answer, /Now let me add the timetable tests/);
	assert.doesNotMatch(answer, /no longer true/);
});

test("an answer quotes no bare acknowledgement and no other question beside what was said", async () => {
	const words: SessionWords = [
		user("The staging box is called pelican and answers on port 6120."),
		assistant("Understood."),
		user("When does the ticket office close?"),
		assistant("Noted."),
	];
	const [answer = ""] = await answersTo([[FIRST, words]], "Which port does the staging box use?");
	const said = answer.slice(answer.indexOf("Said:")).split("\n\n")[0];
	assert.match(said ?? "", /pelican/);
	assert.doesNotMatch(said ?? "", /Understood|Noted|ticket office/);
});
