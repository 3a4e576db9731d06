import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import { toolContext } from "../../src/agent/live/tool-context.ts";
import type { SideModel } from "../../src/base/sidecar/ask.ts";
import { renderThreadAlone } from "../../src/context/section/seed.ts";
import type { Engine } from "../../src/engine.ts";
import { MemoryStore } from "../../src/state/memory/store.ts";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { viewMemory } from "../../src/view/memory.ts";
import { memoryStory, renderStory } from "../../src/view/memory-story.ts";
import { PLAIN } from "../../src/view/text-style.ts";
import { MemoryScene } from "./scene.ts";

const bullets = (engine: Engine, file: string) =>
	new MemoryStore(engine.log).bullets(file).map(({ text, by, section }) => ({ text, by, section }));
const consolidations = (engine: Engine) =>
	[...engine.log.read({ types: ["Consolidation"] })].map(
		({ session, payload }) => `${session} ${payload["state"]} ${payload["by"] ?? payload["why"]}`,
	);

test("a session that was killed is consolidated when an agent next runs, once, under its own day", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	await scene.session(async (session) => session.tell("Count the gannets of berth twelve.", "Twelve."), {
		isKilled: true,
	});
	for (let n = 0; n < 2; n++) {
		await scene.session(async ({ engine }) => {
			assert.deepEqual(consolidations(engine), ["s1 owed rest", "s1 done state"]);
			assert.deepEqual(
				bullets(engine, "history").map(({ text, section }) => `${section} ${text}`),
				["2026-11-03 Asked: Count the gannets of berth twelve. (session s1)"],
			);
			assert.deepEqual(
				viewMemory(engine).owed.filter(({ by }) => by === "state"),
				[],
			);
		});
	}
});

test("killed sessions of other people stay theirs: an owner's next session consolidates the owner's, into their own files", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const killed = { isKilled: true };
	await scene.session(async (session) => session.tell("Count the gannets of berth twelve.", "Twelve."), killed);
	for (const owner of ["alice", "mallory"]) {
		const words = `Count the ${owner} herons. From now on never wake the ${owner} herons.`;
		await scene.session(async (session) => session.tell(words, "Ten."), { ...killed, owner });
	}
	const files = (engine: Engine) =>
		["memory", "history", "memory claude-code s2", "history claude-code s2", "memory claude-code s3"].map((file) =>
			bullets(engine, file).map(({ text }) => text),
		);
	const wake = (owner: string) => `From now on never wake the ${owner} herons.`;
	await scene.session(
		async ({ engine }) => {
			assert.deepEqual(consolidations(engine), ["s2 owed rest", "s2 done state"]);
			const line = `Asked: Count the alice herons. ${wake("alice")} (session s2)`;
			assert.deepEqual(files(engine), [[], [], [wake("alice")], [line], [wake("mallory")]]);
		},
		{ owner: "alice" },
	);
	await scene.session(async ({ engine }) => {
		assert.deepEqual(consolidations(engine).slice(2), ["s1 owed rest", "s1 done state"]);
		assert.deepEqual(files(engine).slice(0, 2), [[], ["Asked: Count the gannets of berth twelve. (session s1)"]]);
	});
});

test("words to remember are kept although the process dies right after the answer", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	await scene.session(async (session) => session.tell("Please remember that vessel ids have seven digits."), {
		isKilled: true,
	});
	await scene.session(async ({ engine }) => {
		assert.deepEqual(bullets(engine, "memory"), [
			{ text: "Vessel ids have seven digits.", by: "user", section: "Facts" },
		]);
	});
});

test("a model that was not there at the end consolidates the session at the next start, and only once", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const prompts: string[] = [];
	const model: SideModel = {
		name: "a/b",
		complete: async (prompt) => {
			prompts.push(prompt);
			if (!prompt.includes("long memory")) return { text: "no" };
			const memory = [
				{ op: "add", section: "Facts", text: "There are twelve gannets.", confidence: 1, necessity: "high" },
			];
			return {
				text: JSON.stringify({ memory, history: ["The gannets were counted."] }),
				usage: { cost: { total: 0.01 } },
			};
		},
	};
	await scene.session(async (session) => session.tell("Count the gannets of berth twelve.", "Twelve."));
	const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
	for (let n = 0; n < 2; n++) await scene.session(settled as () => Promise<void>, { models: [model] });
	await scene.session(async ({ engine }) => {
		assert.equal(prompts.filter((prompt) => prompt.includes("long memory")).length, 1);
		assert.deepEqual(consolidations(engine), ["s1 owed end", "s1 done state", "s1 done a/b"]);
		assert.deepEqual(bullets(engine, "memory"), [{ text: "There are twelve gannets.", by: "a/b", section: "Facts" }]);
		assert.deepEqual(
			bullets(engine, "history").map(({ text, by }) => `${by}: ${text}`),
			["a/b: The gannets were counted. (session s1)"],
			"a model's line takes the place of the state's, on the day of the session",
		);
		const { jobs } = viewMemory(engine);
		assert.deepEqual([jobs.count, jobs.dollars], [1, 0.01]);
	});
});

test("of two choices the newer one is remembered", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	await scene.session(async (session) => session.tell("Use bun, not npm."));
	await scene.session(async (session) => session.tell("Use npm, not bun."));
	await scene.session(async ({ engine }) => {
		assert.deepEqual(bullets(engine, "memory"), [{ text: "Use npm, not bun.", by: "user", section: "Constraints" }]);
		const id = viewMemory(engine).files.find(({ file }) => file === "memory")?.bullets[0]?.id ?? "";
		const story = renderStory(memoryStory(engine, id), PLAIN).join("\n");
		assert.match(story, /^said {8}[\d-]+ [\d:]+ in claude-code: "Use npm, not bun\."$/m);
		assert.match(story, /^replaces {4}Use bun, not npm\.$/m);
	});
});

/** The user's words, the same fact later, and what a model makes of the first alone. */
const CORRECTED = [
	["The relay listens on 7443.", "The relay listens on 8443 now, not 7443.", "The relay uses port 7443.", "7443"],
	[
		"The staging server is called otter.",
		"From today on the staging server is called marder.",
		"The staging server is called otter.",
		"otter",
	],
	[
		"Die Cache-TTL beträgt 300 Sekunden.",
		"Die Cache-TTL beträgt jetzt 900 Sekunden, nicht mehr 300.",
		"Cache-TTL: 300 Sekunden",
		"300",
	],
	["La base de datos es MySQL.", "Pasamos de MySQL a PostgreSQL.", "La base de datos del proyecto es MySQL.", "MySQL"],
	[
		"Deploys go to eu-west-1.",
		"Deploys go to us-east-2 instead of eu-west-1.",
		"The project is deployed to eu-west-1.",
		"eu-west-1",
	],
	["部署用的是 jenkins-01。", "部署从 jenkins-01 改成 drone-02。", "部署使用 jenkins-01。", "jenkins-01"],
] as const;

test("a model does not bring back what the user corrected, neither late nor after it read both", async () => {
	for (const [said, correction, stale, old] of CORRECTED) {
		using scene = new MemoryScene(CLAUDE_CODE_PORT);
		await scene.session(async (session) => session.tell(said));
		let correct = () => {};
		const certain = { op: "add", section: "Facts", confidence: 1, necessity: "high" };
		const model: SideModel = {
			name: "a/b",
			complete: async (prompt) => {
				if (!prompt.includes("long memory")) return { text: JSON.stringify({ currentState: [stale] }) };
				correct();
				const memory = [
					{ ...certain, text: stale },
					{ ...certain, text: "There are twelve gannets." },
				];
				return { text: JSON.stringify({ memory, history: [stale, "The gannets were counted."] }) };
			},
		};
		await scene.session(
			async (session) => {
				correct = () => session.tell(correction);
				await session.settled();
				await session.settled();
				// Now the model has read both.
				correct = () => {};
				session.live.left();
				await session.settled();
			},
			{ models: [model] },
		);
		await scene.session(async ({ engine }) => {
			const files = ["memory", "history", "session claude-code s2"].flatMap((file) => bullets(engine, file));
			const texts = files
				.filter(({ text }) => text !== correction && !text.includes(correction))
				.map(({ text }) => text);
			assert.deepEqual(
				texts.filter((text) => text.includes(old) && !text.startsWith("Asked:")),
				[],
				said,
			);
			assert.ok(files.some(({ text }) => text === "There are twelve gannets."));
			assert.ok(files.some(({ text }) => text.startsWith("The gannets were counted.")));
		});
	}
});

test("a model's answer is written whole and once wherever the process is killed, and no model is asked again", async () => {
	for (let nth = 1; nth <= 4; nth++) {
		using scene = new MemoryScene(CLAUDE_CODE_PORT, { sessions: 2 });
		const child = spawnSync(process.execPath, [join(import.meta.dirname, "killed-job.ts"), scene.root, String(nth)]);
		assert.equal(child.signal, "SIGKILL", String(child.stderr));
		for (let n = 0; n < 2; n++) {
			const models = [{ name: "a/b", complete: async () => assert.fail("asked again") }];
			await scene.session(async (session) => session.settled(), { models });
		}
		await scene.session(async ({ engine }) => {
			const jobs = [...engine.log.read({ types: ["Job"] })].length;
			const done = consolidations(engine).filter((each) => each.endsWith("done a/b"));
			assert.deepEqual([jobs, done], [1, ["s1 done a/b"]], `killed after event ${nth}`);
			assert.deepEqual(bullets(engine, "memory"), [{ text: "There are twelve gannets.", by: "a/b", section: "Facts" }]);
			assert.deepEqual(
				bullets(engine, "history").map(({ text }) => text),
				["The gannets were counted. (session s1)"],
			);
		});
	}
});

/** Said in one session, corrected in another of the same project, with what must not stay in the first one's next seed as true. */
const CORRECTED_ELSEWHERE = [
	["Start the relay; it listens on port 7443.", "The relay listens on 8443 now, not 7443.", "port 7443", "8443"],
	[
		"Die Cache-TTL beträgt 300 Sekunden.",
		"Die Cache-TTL beträgt jetzt 900 Sekunden, nicht mehr 300.",
		"300 Sekunden.",
		"900",
	],
	["Deploys always go to eu-west-1.", "Deploys go to us-east-2 instead of eu-west-1.", "go to eu-west-1.", "us-east-2"],
] as const;

test("a correction in another session of the project reaches the seed of an open one; one of another owner does not", async () => {
	for (const [said, correction, old, right] of CORRECTED_ELSEWHERE) {
		for (const owner of [undefined, "mallory"]) {
			using scene = new MemoryScene(CLAUDE_CODE_PORT);
			await scene.session(async (session) => {
				session.tell(said, `Noted: ${said}`);
				session.tell("Count the gannets of berth twelve.", "Twelve.");
			});
			await scene.session(async (session) => session.tell(correction), { owner });
			await scene.session(async ({ engine }) => {
				const of = { session: "s1", host: CLAUDE_CODE_PORT.name };
				const { state } = engine.stateFor(of);
				const { text } = renderThreadAlone({ ...of, state, raw: "", budget: 4_000 });
				const isStale = text.replaceAll(`${old} [but see m-`, "").includes(old);
				const isTrue = text.includes(right);
				assert.deepEqual([isStale, isTrue], owner === undefined ? [false, true] : [true, false], `${said}\n${text}`);
			});
		}
	}
});

test("a correction about something else leaves a session as it is, and so does one from before it", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	await scene.session(async (session) => session.tell("The tide table listens on 8443 now, not 7443."));
	await scene.session(async (session) => session.tell("Start the mock server with port 7443."));
	await scene.session(async (session) => session.tell("The relay listens on 8443 now, not 7443."));
	await scene.session(async ({ engine }) => {
		const of = { session: "s2", host: CLAUDE_CODE_PORT.name };
		const { state } = engine.stateFor(of);
		const { text } = renderThreadAlone({ ...of, state, raw: "", budget: 4_000 });
		assert.match(text, /Start the mock server with port 7443\./);
	});
});

test("a correction that names the old value replaces the bullet, in languages beside the first five", async () => {
	for (const [said, corrected, stale] of [
		[
			"la base s'appelle marée et tourne sur le serveur orme",
			"la base a déménagé : elle tourne maintenant sur le serveur hêtre, plus sur orme",
			"orme",
		],
		["La base corre en el servidor roble.", "La base corre ahora en el servidor olmo, ya no en roble.", "roble"],
		["Il servizio gira sul server olmo.", "Il servizio gira adesso sul server faggio, non più su olmo.", "olmo"],
		["Сервис работает на порту 8000.", "Сервис теперь работает на порту 9000, больше не на 8000.", "8000"],
	] as const) {
		using scene = new MemoryScene(CLAUDE_CODE_PORT);
		await scene.session(async (session) => session.tell(said));
		await scene.session(async (session) => session.tell(corrected));
		await scene.session(async ({ engine }) => {
			const bullets = new MemoryStore(engine.log).bullets("memory").map(({ text }) => text);
			assert.deepEqual(bullets, [corrected], stale);
		});
	}
});

test("where were we: the line of the newest session's work, in several languages", async () => {
	for (const question of ["where did we leave off?", "où en était-on ?", "dónde lo dejamos?", "上次做到哪了？"]) {
		using scene = new MemoryScene(CLAUDE_CODE_PORT);
		await scene.session(async (session) => {
			session.tell("Count the gannets of berth twelve.", "Twelve.");
			session.tell("oh never mind that", "Fine.");
		});
		await scene.session(async (session) => {
			assert.match(await session.ask(question), /Asked: Count the gannets of berth twelve/, question);
		});
	}
});

test("an order to forget removes the rule and does not become one; a change names its value across languages", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const said = [
		"Never log the passport numbers of guests.",
		"Schreib Commit-Nachrichten ab jetzt immer auf Englisch.",
		"Nunca uses console.log en producción.",
		"覚えておいて：テストは vitest で書く。",
		"Les horaires d'été commencent le 3 mai.",
		"The cook is on leave, so from today no meals on board.",
	];
	await scene.session(async (session) => {
		for (const words of said) session.tell(words);
	});
	const texts = (engine: Engine) => bullets(engine, "memory").map(({ text }) => text);
	await scene.session(async (session) => {
		assert.deepEqual(texts(session.engine).toSorted(), [...said.with(3, "テストは vitest で書く。")].toSorted());
		for (const words of [
			"Forget about the passport rule, legal says we may log them.",
			"Vergiss die Regel mit den englischen Commit-Nachrichten.",
			"Olvida la regla de console.log.",
			"We switched from vitest to node:test last week.",
			"Die Sommerfahrpläne beginnen erst am 10. Mai statt am 3. Mai.",
		])
			session.tell(words);
	});
	await scene.session(async ({ engine }) => {
		assert.deepEqual(texts(engine).toSorted(), [
			"Die Sommerfahrpläne beginnen erst am 10. Mai statt am 3. Mai.",
			"The cook is on leave, so from today no meals on board.",
			"We switched from vitest to node:test last week.",
		]);
		const tool = TOOLS.find(({ name }) => name === "ask") ?? assert.fail();
		const context = toolContext(engine, { session: "s3", host: CLAUDE_CODE_PORT.name });
		const { text } = await tool.run(context, { question: "May I log passport numbers?" });
		assert.match(text, /Forget about the passport rule/);
		assert.doesNotMatch(text, /^- .*(?:Never log|memory: *\[)/m);
	});
});
