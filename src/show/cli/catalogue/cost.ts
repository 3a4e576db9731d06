/** Cost: tokens, money and the cache, as they were and as they would have been. */

import { SEAL_POLICIES } from "../../../context/seal/policy.ts";
import { PROFILES, type Profile } from "../../../context/seal/rule.ts";
import { COST_GROUPS } from "../../../view/cost-words.ts";
import { REPLAYED_SESSIONS } from "../../../view/replayed-sessions.ts";
import { flag, oneOf, text, wholeNumber } from "../options.ts";
import { ALL, type CommandGroup, SESSION, SINCE, UNTIL } from "./spec.ts";

export const COST = {
	cost: {
		opens: "nothing",
		summary: "show tokens and money by day, week, month, session, model or agent, with the provider's cache apart",
		description:
			"Uses what the agents recorded for each request. Where an agent gave no price, input and output are counted at your prices setting or at list prices ('weft prices'), and marked with ~; a model that no list has is marked with ? too.",
		options: {
			by: oneOf(
				"--by <group>",
				"day (default), week, month, session, model, agent, or with --all project",
				COST_GROUPS,
				"day",
			),
			why: flag("--why", "say where the money went: new input, cached reads, what was paid again and why, output"),
			session: SESSION,
			since: SINCE,
			until: UNTIL,
			all: ALL,
		},
		examples: [
			"weft cost",
			"weft cost --why",
			"weft cost --why --session 0199",
			"weft cost --by model",
			"weft cost --by month --all",
			"weft cost --by session --since 7d",
			"weft cost --all --by agent",
			"weft cost --json",
		],
	},
	report: {
		opens: "nothing",
		summary: "report what all projects cost, what weft would have saved, and the three largest findings",
		description:
			"Over all projects and agents of this machine. The dearest sessions that ran without weft are replayed for what weft would have saved; the answers are kept. Each finding comes with the command that shows more of it. The inspector's page Report shows the same.",
		options: {
			since: SINCE,
			replay: wholeNumber("--replay <n>", "replay at most this many sessions, the dearest (default 10; 0: none)", {
				fallback: REPLAYED_SESSIONS,
			}),
		},
		examples: ["weft report", "weft report --since 30d", "weft report --replay 0", "weft report --json"],
	},
	trial: {
		opens: "nothing",
		args: [
			["[agent]", "claude, codex, opencode or pi"],
			["[args...]", "for the agent, such as its permissions; weft's own options come before the agent"],
		],
		passesOn: true,
		summary: "let an agent do the same task with and without weft, several times, and compare the cost",
		description:
			"Costs money: the agent works with your own login or key. It says before it starts what that may cost, and asks. Each run gets a copy of the project's folder and an empty log, both removed afterwards; the agent keeps its own session files. --report needs no run: it compares your own sessions after 'weft config set controlShare 0.1', with which one session in ten is not shortened.",
		options: {
			task: text("--task <text>", "what the agent is to do"),
			check: text("--check <command>", "run this in the copy afterwards; the task is done if it exits with 0"),
			repeat: wholeNumber("--repeat <n>", "run it this often with and this often without weft (default 3)", {
				min: 1,
				max: 50,
				fallback: 3,
			}),
			yes: flag("--yes", "do not ask"),
			report: flag("--report", "compare your sessions with the setting controlShare"),
			since: SINCE,
		},
		examples: [
			"weft trial --task 'Repair the failing test' --check 'npm test' claude --permission-mode acceptEdits",
			"weft trial --task 'Describe the build' --repeat 5 pi",
			"weft trial --report --since 30d",
		],
	},
	cache: {
		opens: "log",
		summary: "show how well the provider's cache held: hit share, breaks with their causes and price",
		options: {
			session: SESSION,
			limit: wholeNumber("--limit <n>", "show at most this many breaks, the newest (default 20; 0: all)", {
				fallback: 20,
			}),
		},
		examples: ["weft cache", "weft cache --session 0199", "weft cache --json"],
	},
	replay: {
		opens: "nothing",
		args: [["[file...]", "recorded sessions of any agent, or folders of them; several are summed up, by agent"]],
		summary: "compute what a recorded session would have cost, and kept, in each mode",
		description:
			"Runs the session request by request through the live planner, and compares it with what the agent would have sent by itself and what was billed. Nothing is stored, and no model is called. docs/replay.md explains each number.",
		options: {
			session: text(
				"--session <id>",
				"a session of this project's log instead of a file, or one of several in a file; the beginning of its id is enough",
			),
			mode: text(
				"--mode <modes>",
				"only these, separated by commas: woven, plain (woven without the entry rules), warp, lossless, host, tail (the newest messages alone, as many tokens as woven), sent (what weft really sent)",
			),
			model: text("--model <id>", "at the prices of this model (default: the one that answered most often)"),
			window: wholeNumber("--window <tokens>", "the model's window (default 200000, or the largest recorded prompt)", {
				min: 20_000,
			}),
			profile: oneOf(
				"--profile <profile>",
				"thrifty, balanced, roomy or full (default: the profile setting)",
				Object.keys(PROFILES) as Profile[],
			),
			seal: oneOf(
				"--seal <policy>",
				"seal by this policy: thrift, window, late or host (default: the seal setting; auto counts as thrift)",
				SEAL_POLICIES,
			),
			table: flag("--table", "all modes, and the tables behind the answer"),
			sweep: flag("--sweep", "compare the seal rule with all fixed thresholds"),
			exam: text(
				"--exam <path>",
				"ask each row what an agent must know to continue: a file of questions, or a folder with NAME.json for NAME.jsonl",
			),
			dump: text("--dump <file>", "write every request as it would go out, one JSON line each; replaces the file"),
		},
		examples: [
			"weft replay session.jsonl",
			"weft replay session.jsonl --table",
			"weft replay --session 0199",
			"weft replay --mode woven,tail,host sessions/",
			"weft replay session.jsonl --mode woven,host --json",
			"weft replay session.jsonl --mode woven --seal late",
			"weft replay session.jsonl --mode woven --sweep",
			"weft replay session.jsonl --exam questions.json",
		],
	},
	prices: {
		opens: "nothing",
		args: [
			["[file]", "take over this list: api.json of models.dev, or LiteLLM's model_prices_and_context_window.json"],
		],
		summary: "show the prices in use, or take over a list of prices",
		description:
			"Dollars per million tokens: input, output, and what the cache costs to read and to write for five minutes and for an hour. An agent's own prices win over all of these. A file is copied to weft's data folder and named in the prices setting; models that it does not have keep the prices of weft's own table.",
		options: {
			model: text("--model <text>", "only models whose name contains this; also those of a list that was taken over"),
			default: flag("--default", "drop the list that was taken over"),
		},
		examples: ["weft prices", "weft prices --model opus", "weft prices api.json", "weft prices --default"],
	},
	stats: {
		opens: "log",
		summary: "count events by type, sessions, tokens and disk space, and how far sessions are summarised",
		examples: ["weft stats", "weft stats --json"],
	},
} satisfies CommandGroup;
