/**
 * What can happen, written once. Types are derived in `types.ts`; `docs/events.md` is generated from here.
 * It is checked at the door of the log (`check.ts`).
 * A released version of an event is never edited; an unknown type or version is kept, skipped by folds and counted.
 */
import { Type } from "./schema-builder.ts";

const callOf = {
	tool: Type.String({ description: "name of the tool, as the host names it" }),
	callId: Type.String({ description: "the host's id of the call" }),
};
const path = Type.String({ description: "relative to the session's folder with forward slashes, absolute outside it" });
const raw = Type.Unknown({ description: "the host's own entry, verbatim; always the last key" });
const from = Type.Optional(
	Type.String({
		description:
			"the Entry whose raw is the host's own record, verbatim, where raw here is what weft made of it, in Pi's form",
	}),
);
const sha256 = Type.String({ description: "SHA-256, hex" });
/** Numbers that do not fit a double stand as decimal text. */
const stat = Type.Object(
	{
		size: Type.Integer({ description: "bytes" }),
		mtimeNs: Type.String(),
		ctimeNs: Type.String(),
		ino: Type.String(),
		dev: Type.String(),
		at: Type.Integer({ description: "when we looked, ms since the epoch" }),
	},
	{ description: "what the disk said of the file" },
);
/** A file as the disk had it when we looked. */
const look = {
	stat: Type.Optional(stat),
	real: Type.Optional(
		Type.String({
			description: "real path, in lower case where the disk does not tell cases apart: one name for a file",
		}),
	),
	textHash: Type.Optional(
		Type.String({ description: "SHA-256 of the whole file with line ends as \\n, where that is another hash" }),
	),
};

const SessionStarted = Type.Object(
	{
		cwd: Type.String(),
		root: Type.Optional(Type.String({ description: "the project's root, if it is not cwd" })),
		tools: Type.Optional(
			Type.Array(Type.String(), { description: "names of the tools that the model had, where the host tells" }),
		),
		format: Type.Optional(Type.String({ description: "format of the host's session file" })),
		parentSession: Type.Optional(Type.String({ description: "the session this one was forked from" })),
		owner: Type.Optional(
			Type.String({
				description: "whose conversation it is, where the agent talks with several people; absent: the project's",
			}),
		),
		worksFor: Type.Optional(Type.String({ description: "the session whose sub-agent this is" })),
		raw: Type.Optional(raw),
	},
	{ description: "An agent's session began." },
);

const UserIntent = Type.Object(
	{ text: Type.String({ description: "the request, white space folded, at most 500 characters" }) },
	{ description: "What the user asked for. The words themselves are in the Message that caused it." },
);

const ToolCalled = Type.Object(
	{
		...callOf,
		input: Type.Unknown({
			description: "arguments; a text over 200 characters becomes { chars, sha256 }; the message has it whole",
		}),
	},
	{ description: "The model called a tool." },
);

const ToolResult = Type.Object(
	{
		...callOf,
		status: Type.Union([Type.Literal("ok"), Type.Literal("error")]),
		chars: Type.Integer({ description: "length of the text in UTF-16 units" }),
		lines: Type.Integer(),
		blob: Type.Optional(Type.String({ description: "SHA-256 of the text before it was bounded" })),
	},
	{ description: "A tool answered. The text is in the Message that caused it." },
);

const FileRead = Type.Object(
	{
		path,
		from: Type.Integer({ description: "first line, from 1" }),
		to: Type.Union([Type.Integer(), Type.Null()], { description: "last line; null: not known" }),
		sliceHash: Type.String({ description: "SHA-256 of the text that was shown" }),
		fileHash: Type.Optional(Type.String({ description: "SHA-256 of the whole file when it was read" })),
		...look,
		...callOf,
	},
	{ description: "A part of a file was shown to the model." },
);

const FileChanged = Type.Object(
	{
		path,
		kind: Type.Union([Type.Literal("edit"), Type.Literal("write"), Type.Literal("delete")]),
		added: Type.Integer({ description: "lines added" }),
		removed: Type.Union([Type.Integer(), Type.Null()], { description: "lines removed; null: not known" }),
		diff: Type.Optional(Type.String({ description: "unified diff, where it could be computed" })),
		hash: Type.Optional(Type.String({ description: "SHA-256 of the whole file afterwards, where it is known" })),
		actor: Type.Union([Type.Literal("agent"), Type.Literal("shell"), Type.Literal("other")]),
		...look,
		tool: Type.Optional(Type.String()),
		callId: Type.Optional(Type.String()),
	},
	{ description: "A file's bytes changed." },
);

const CommandRun = Type.Object(
	{
		command: Type.String({ description: "at most 2,000 characters; whole in the message" }),
		exit: Type.Union([Type.Integer(), Type.Null()], { description: "exit status; null: not known" }),
		chars: Type.Integer({ description: "length of the output in UTF-16 units" }),
		lines: Type.Integer(),
		by: Type.Union([Type.Literal("agent"), Type.Literal("user")]),
		...callOf,
	},
	{ description: "A shell command ran. Its output is in the Message that caused it." },
);

const TestStatus = Type.Object(
	{
		command: Type.String(),
		status: Type.Union([Type.Literal("pass"), Type.Literal("fail"), Type.Literal("unknown")]),
		failed: Type.Array(Type.String(), { description: "names of failing tests" }),
		firstError: Type.Optional(Type.String()),
	},
	{ description: "What a test run said." },
);

const Decision = Type.Object(
	{
		text: Type.String(),
		rationale: Type.Optional(Type.String()),
		supersedes: Type.Optional(Type.Integer({ description: "seq of the decision that this one replaces" })),
	},
	{ description: "A choice that later work relies on." },
);

const RepoMap = Type.Object(
	{
		head: Type.Union([Type.String(), Type.Null()]),
		files: Type.Integer(),
		folders: Type.Array(Type.Tuple([Type.String(), Type.Integer()])),
		extensions: Type.Array(Type.Tuple([Type.String(), Type.Integer()])),
	},
	{ description: "What the repository holds, as git lists it." },
);

const Custom = Type.Object(
	{
		name: Type.String(),
		data: Type.Optional(Type.Unknown()),
		blob: Type.Optional(Type.String({ description: "SHA-256 of bytes that it keeps" })),
	},
	{ description: "Anything that an extension or a person wants remembered." },
);

const Message = Type.Object(
	{
		role: Type.String({
			description: "user, assistant, toolResult, bashExecution, custom, system, compactionSummary, branchSummary, …",
		}),
		form: Type.Union([Type.Literal("pi"), Type.Literal("anthropic")], {
			description: "how to read raw: a session entry of Pi's, or a line with an Anthropic message",
		}),
		parent: Type.Optional(
			Type.String({ description: "entry of the message or entry before it in the session's tree" }),
		),
		tool: Type.Optional(Type.String({ description: "the tool that answered, for a toolResult" })),
		blob: Type.Optional(Type.String({ description: "SHA-256 of a tool's text before it was bounded" })),
		sender: Type.Optional(Type.String({ description: "who wrote it, in a conversation of several people" })),
		from,
		answer: Type.Optional(
			Type.String({ description: "the same name in every message that holds a part of one answer of the model" }),
		),
		raw,
	},
	{ description: "A message, whole: text, images, thinking with signatures, tool calls, unknown fields." },
);

const Entry = Type.Object(
	{
		kind: Type.String({ description: "the host's name for it: model_change, compaction, label, summary, …" }),
		parent: Type.Optional(Type.String()),
		kept: Type.Optional(
			Type.String({ description: "of a compaction that names the first message it keeps by its place: that entry" }),
		),
		from,
		raw,
	},
	{ description: "Any other entry of a host's session, whole." },
);

const ForeignLine = Type.Object(
	{
		line: Type.Integer({ description: "its number in the file, from 1" }),
		text: Type.String({ description: "as it stood there" }),
		why: Type.Union([Type.Literal("unreadable"), Type.Literal("repeated"), Type.Literal("not-utf8")]),
		base64: Type.Optional(Type.String({ description: "its bytes, where they are not UTF-8" })),
		of: Type.Optional(Type.String({ description: "type and entry of the event that was read from it, for not-utf8" })),
	},
	{
		description:
			"A line of an imported file that is no entry (not readable, or the same as one before), or an entry whose bytes are not UTF-8. Kept as it is.",
	},
);

const Summary = Type.Object(
	{
		node: Type.String({ description: "its handle, s-…, from what it covers" }),
		depth: Type.Integer({ description: "0: covers messages; n: covers nodes of depth n-1" }),
		text: Type.String(),
		topic: Type.String({ description: "one line, at most 80 characters" }),
		sources: Type.Array(Type.String(), {
			description: "handles of the messages or nodes that it covers, oldest first",
		}),
		messages: Type.Object(
			{
				first: Type.Integer({ description: "seq" }),
				last: Type.Integer({ description: "seq" }),
				count: Type.Integer(),
				tokens: Type.Integer({ description: "of the messages themselves" }),
				from: Type.String({ description: "entry of the first one" }),
				to: Type.String({ description: "entry of the last one: the node belongs to every path through it" }),
			},
			{ description: "the stretch of the session's tree that it covers, at whatever depth" },
		),
		tokens: Type.Integer({ description: "of the text" }),
		sourceTokens: Type.Integer({ description: "of what was summarised: messages, or the texts of nodes" }),
		model: Type.String({ description: "who wrote it: provider/id, or deterministic" }),
		durationMs: Type.Integer(),
		tried: Type.Optional(
			Type.Array(Type.Object({ model: Type.String(), reason: Type.String() }), {
				description: "answers that were refused before this one, with the exact reason",
			}),
		),
		usage: Type.Optional(Type.Unknown({ description: "what the model's provider reported" })),
	},
	{ description: "A stretch of a session was summarised. What it covers stays in the log and can be fetched." },
);

const Subagent = Type.Object(
	{
		child: Type.String({ description: "session of the sub-agent" }),
		task: Type.Optional(Type.String()),
		callId: Type.Optional(Type.String()),
	},
	{ description: "A sub-agent worked for this session, in a session of its own." },
);

const Fault = Type.Object(
	{ where: Type.String(), code: Type.String(), message: Type.String() },
	{ description: "A failure of ours. The agent went on without us." },
);

const lineRange = Type.Tuple([Type.Integer(), Type.Union([Type.Integer(), Type.Null()])], {
	description: "first and last line; null: to the end",
});

const Verdict = Type.Object(
	{
		verdict: Type.Union([Type.Literal("block"), Type.Literal("warn"), Type.Literal("refresh")], {
			description:
				"block: the call was refused; warn: it passed, with a remark; refresh: these bytes count as seen from now on",
		}),
		rule: Type.String({
			description:
				"which rule spoke: read-first, read-age, unchanged, lines-shown, keep-first, keep-bytes, discovery-order, edit-order, read-size, loop, skill-tools",
		}),
		mode: Type.Union([Type.Literal("enforce"), Type.Literal("report")], {
			description: "report: recorded only; the call passed unchanged and the model saw nothing of it",
		}),
		reason: Type.String({ description: "the words for the model, bounded" }),
		path: Type.Optional(path),
		...callOf,
		hash: Type.Optional(
			Type.String({ description: "SHA-256 of the whole file as the guard found it, or of a command line that waits" }),
		),
		...look,
		lines: Type.Optional(Type.Integer({ description: "lines of the whole file" })),
		why: Type.Optional(
			Type.Union([Type.Literal("read"), Type.Literal("change"), Type.Literal("same"), Type.Literal("shown")], {
				description:
					"of a refresh: the bytes were read, or changed, by this call, found to be the same as before, or shown by a diff or an output",
			}),
		),
		diffShown: Type.Optional(
			Type.Boolean({ description: "of a block: the reason shows every change since the read, so it counts as a read" }),
		),
		inputHash: Type.Optional(Type.String({ description: "first 16 hex digits of the SHA-256 of the arguments" })),
		shown: Type.Optional(
			Type.Array(lineRange, { description: "of a refresh: the lines that the session has been shown, all of them" }),
		),
		unread: Type.Optional(
			Type.Array(lineRange, { description: "of a refresh: lines that somebody else changed and that were not shown" }),
		),
		blob: Type.Optional(
			Type.String({
				description:
					"of a warning, or of a block in report mode: SHA-256 of the text that the call was about to overwrite",
			}),
		),
	},
	{ description: "What the guard said of a tool call. A call that passes without a remark writes none." },
);

const FilesKept = Type.Object(
	{
		path: Type.String({
			description: "the folder, absolute; the files' paths are relative to it, or absolute outside it",
		}),
		why: Type.Union([Type.Literal("command"), Type.Literal("run"), Type.Literal("rewind")], {
			description: "before a command, before the first change of a run, or before a rewind wrote files",
		}),
		head: Type.Optional(
			Type.Union([Type.String(), Type.Null()], { description: "commit that holds all other files; null: none yet" }),
		),
		trees: Type.Optional(
			Type.Array(Type.Object({ path: Type.String(), head: Type.String(), commits: Type.String() }), {
				description:
					"submodules and linked work trees in the folder, or the folder itself (an empty path): their commit, and where their commits are",
			}),
		),
		full: Type.Optional(
			Type.Boolean({
				description: "true: lists all files that git does not hold; else those that differ since the event before",
			}),
		),
		whole: Type.Optional(
			Type.Boolean({
				description: "true: every file of the folder was looked at; those that are not listed were as before",
			}),
		),
		files: Type.Array(
			Type.Object({
				path: Type.String(),
				hash: Type.Optional(Type.String({ description: "SHA-256 of the bytes, or of a link's target: a blob" })),
				copy: Type.Optional(Type.String({ description: "in place of a hash: the name of a copy of a large file" })),
				size: Type.Integer({ description: "bytes" }),
				mode: Type.Integer({ description: "permission bits" }),
				link: Type.Optional(Type.Boolean({ description: "true: a symbolic link" })),
				tracked: Type.Optional(Type.Boolean({ description: "true: git tracks it, and it differs from HEAD" })),
				absent: Type.Optional(
					Type.Boolean({ description: "true: there was no such file, although HEAD has it or a rewind made it" }),
				),
				at: Type.Integer({ description: "when the file last changed, ms since the epoch" }),
			}),
		),
		staged: Type.Optional(
			Type.Array(
				Type.Object({
					path: Type.String(),
					object: Type.String({ description: "as git names it" }),
					hash: Type.Optional(Type.String({ description: "SHA-256 of the bytes: a blob" })),
					size: Type.Integer({ description: "bytes" }),
					mode: Type.Integer({ description: "permission bits" }),
				}),
				{ description: "all texts that only git's index had; left out: as in the event before" },
			),
		),
		stashes: Type.Optional(
			Type.Array(Type.Object({ commit: Type.String(), what: Type.String() }), {
				description: "all stashes of the repository, newest first; left out: as in the event before",
			}),
		),
		gone: Type.Optional(
			Type.Array(Type.String(), { description: "paths that are not there any more, or that git holds now" }),
		),
		left: Type.Optional(
			Type.Array(Type.Object({ path: Type.String(), size: Type.Integer(), why: Type.String() }), {
				description: "files that could not be kept",
			}),
		),
		command: Type.Optional(Type.String({ description: "at most 500 characters" })),
		tool: Type.Optional(Type.String()),
		callId: Type.Optional(Type.String()),
	},
	{
		description:
			"The bytes of files were kept before something could overwrite or remove them. The oldest leave when they take more than keepBytes.",
	},
);

const Transform = Type.Object(
	{
		schemaVersion: Type.Integer({ description: "version of the patch language: 1" }),
		reason: Type.Union(
			[Type.Literal("before_request"), Type.Literal("turn_end"), Type.Literal("compaction"), Type.Literal("ephemeral")],
			{ description: "the boundary at which it was made; ephemeral: it held for one request and is not replayed" },
		),
		transformerName: Type.String({ description: "who made it" }),
		patch: Type.Array(Type.Unknown(), { description: "the operations, in order; messages are addressed by id" }),
		display: Type.Optional(Type.Unknown({ description: "title, summary and more, for people" })),
		request: Type.Optional(Type.String({ description: "for ephemeral: the request that it belongs to" })),
	},
	{ description: "What the model sees was changed by a patch. Replaying the patches yields the bytes that were sent." },
);

const tokenCounts = { read: Type.Integer(), write: Type.Integer(), input: Type.Integer() };

const Request = Type.Object(
	{
		request: Type.String({ description: "id of the request, unique in its session" }),
		model: Type.Optional(Type.String({ description: "as provider/model, or the model alone" })),
		mode: Type.Optional(
			Type.String({
				description: "woven, warp, lossless, off; host: the host made it without weft, and wrote it down",
			}),
		),
		thinking: Type.Optional(
			Type.String({ description: "the rule for thinking that the request follows: keep, bound, manual, off" }),
		),
		segments: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer(), tokens: Type.Integer(), sha256 }), {
			description: "tools, system, options, seed, tail, uncached: what was sent, in this order",
		}),
		kept: Type.Integer({ description: "how many leading messages are those of the session's request before" }),
		items: Type.Array(
			Type.Object({
				id: Type.String(),
				bytes: Type.Integer(),
				tokens: Type.Integer(),
				hash: Type.String({ description: "SHA-256[:16] of its bytes" }),
			}),
			{ description: "the other messages, in order" },
		),
		reasons: Type.Array(Type.String(), { description: "why bytes already sent were changed" }),
		difference: Type.Union(
			[
				Type.Null(),
				Type.Object({
					segment: Type.String(),
					byte: Type.Integer({ description: "in the whole request, from 0" }),
					tokens: Type.Integer({ description: "tokens sent before that must be written again" }),
				}),
			],
			{
				description:
					"the first byte that differs from the request before; null: that one was extended, or there is none",
			},
		),
		head: Type.Optional(
			Type.Object(
				{ weft: Type.String(), agent: Type.String() },
				{ description: "SHA-256[:16] of weft's own part of tools and system, and of the agent's part" },
			),
		),
		predicted: Type.Object(tokenCounts, { description: "tokens read from and written to the cache, and plain input" }),
		usage: Type.Optional(
			Type.Object(
				{ ...tokenCounts, output: Type.Integer() },
				{ description: "as the provider reported, where it was known; else the answer's Message has it" },
			),
		),
		autoSeal: Type.Optional(
			Type.Union([Type.Literal("no-compaction"), Type.Literal("local"), Type.Literal("flat")], {
				description: "what the host says that decides the policy of seals where the setting is auto",
			}),
		),
		base: Type.Optional(
			Type.String({ description: "SHA-256 of a blob: the host's own system parts, tools and options, as JSON" }),
		),
	},
	{ description: "A request left for the model: what it held, and how it differs from the one before." },
);

const Pruned = Type.Object(
	{
		count: Type.Integer(),
		first: Type.Integer({ description: "lowest seq that left" }),
		last: Type.Integer({ description: "highest seq that left" }),
		archive: Type.String({ description: "file name in the project's archive folder, or an absolute path" }),
		archiveHash: sha256,
		gaps: Type.String({ description: "SHA-256 over the chain hashes that stay in the gaps" }),
	},
	{ description: "Old events left the log for an archive." },
);

const Seal = Type.Object(
	{
		from: Type.String({ description: "entry of the first message that stays raw" }),
		why: Type.String({ description: "regret, ceiling, step, cold-cache, run, asked, host-threshold or overflow" }),
		arithmetic: Type.Object(
			{
				regret: Type.Number(),
				price: Type.Number(),
				floor: Type.Number(),
				stepSaved: Type.Optional(Type.Number()),
			},
			{
				description:
					"in tokens of plain input; stepSaved: what the next request would have cost more, had it crossed the step of the model's price",
			},
		),
		tokensBefore: Type.Integer(),
		tokensAfter: Type.Integer(),
		left: Type.Integer({ description: "messages that left the context; all of them are in the log" }),
		sections: Type.Array(
			Type.Object({
				name: Type.String(),
				tokens: Type.Integer(),
				left: Type.Integer(),
				handle: Type.Optional(Type.String()),
			}),
			{ description: "what the seed holds, and how many items of each kind did not fit" },
		),
		mode: Type.Optional(Type.String({ description: "woven, warp or lossless" })),
		transform: Type.Optional(
			Type.String({ description: "entry of the Transform that holds the seal itself; its patch has the seed's text" }),
		),
	},
	{ description: "An epoch ended. This is the account: why, at what price, what left." },
);

const MemoryWrite = Type.Object(
	{
		file: Type.Union([Type.Literal("session"), Type.Literal("memory"), Type.Literal("history")], {
			description: "SESSION.md of this session, or MEMORY.md or HISTORY.md of the project",
		}),
		isOwn: Type.Optional(
			Type.Boolean({ description: "true: MEMORY.md or HISTORY.md of this session alone, because it has an owner" }),
		),
		revision: Type.Integer({ description: "of the file, from 1" }),
		why: Type.String({
			description:
				"begin, turn, seal, compaction, new-session, end, consolidation, clean-up, folding, recall, command, import or edit",
		}),
		ops: Type.Array(
			Type.Object({
				op: Type.Union(
					[Type.Literal("add"), Type.Literal("supersede"), Type.Literal("invalidate"), Type.Literal("confirm")],
					{ description: "confirm: it was on probation, and proved useful" },
				),
				id: Type.String({ description: "of the bullet, f-…" }),
				section: Type.String(),
				by: Type.String({ description: "user, state, import, or the model as provider/id" }),
				text: Type.Optional(Type.String({ description: "of add and supersede" })),
				replaces: Type.Optional(Type.String({ description: "of supersede: the id of the bullet that it replaces" })),
				source: Type.Optional(Type.String({ description: "handle of the message or event that it comes from" })),
				origin: Type.Optional(Type.String({ description: "of an import: the file that it comes from" })),
				until: Type.Optional(
					Type.Integer({
						description: "on probation: it leaves then, ms since the epoch, unless it is recalled before",
					}),
				),
				isForgotten: Type.Optional(Type.Boolean({ description: "of invalidate: the same words do not come back" })),
				reason: Type.Optional(Type.String({ description: "why, in the writer's words" })),
			}),
		),
		before: Type.Union([Type.Null(), sha256], {
			description: "SHA-256 of the file as it was found; null: there was none",
		}),
		after: sha256,
		job: Type.Optional(Type.String({ description: "entry of the Job that wrote it, where a model did" })),
	},
	{ description: "A memory file was written. The bullets themselves are in here: the file can be made again." },
);

const Job = Type.Object(
	{
		job: Type.String({ description: "session-update, consolidate, clean-up, fold, rerank, …" }),
		outcome: Type.Union(
			[Type.Literal("done"), Type.Literal("refused"), Type.Literal("failed"), Type.Literal("cancelled")],
			{ description: "refused: models answered, and no answer could be used; failed: none answered" },
		),
		model: Type.Optional(Type.String({ description: "whose answer was taken: provider/id" })),
		durationMs: Type.Integer(),
		calls: Type.Integer({ description: "of models" }),
		tried: Type.Optional(
			Type.Array(Type.Object({ model: Type.String(), reason: Type.String() }), {
				description: "answers that were refused and calls that failed, with the exact reason",
			}),
		),
		usage: Type.Optional(Type.Unknown({ description: "what the model's provider reported of the answer taken" })),
		answer: Type.Optional(
			Type.Unknown({ description: "of consolidate: the answer taken, for a process that dies before it is written" }),
		),
		upTo: Type.Optional(Type.Integer({ description: "seq of the newest message that the model read for the answer" })),
	},
	{ description: "A small job for a model of ours ended: what it cost, and what came of it." },
);

const Consolidation = Type.Object(
	{
		state: Type.Union([Type.Literal("owed"), Type.Literal("done")]),
		why: Type.String({ description: "of owed: compaction, new-session, end, rest or killed" }),
		upTo: Type.Integer({ description: "seq of the newest message that it covers" }),
		by: Type.Optional(Type.String({ description: "of done: state, or the model as provider/id" })),
	},
	{
		description:
			"What lasts of a session is to be written to MEMORY.md and HISTORY.md, or was. It is owed until it is done.",
	},
);

const Given = Type.Object(
	{
		opens: Type.Optional(
			Type.Boolean({
				description: "it holds the rules, preferences and decisions of MEMORY.md that open a session",
			}),
		),
		text: Type.Optional(Type.String({ description: "the text, where no other event of the session holds it" })),
	},
	{
		description:
			"weft gave the model a text of its own: recalled memory beside the user's words, or a seed beside the agent's compaction.",
	},
);

const ResolvedElsewhere = Type.Object(
	{
		failure: Type.String({ description: "name of the failure that is open here" }),
		hash: Type.String({ description: "its fingerprint" }),
		person: Type.String({ description: "who resolved it: a role of the fleet's server" }),
		machine: Type.String(),
		session: Type.String({ description: "the session there" }),
		at: Type.Integer({ description: "when its run was green again, ms since the epoch" }),
		handle: Type.String({ description: "of the change, or of the green run: 'weft fleet show' takes it" }),
		paths: Type.Array(Type.String(), {
			description: "files that were changed between the last red run and the green one",
		}),
	},
	{
		description:
			"A failure that is open here was resolved before on another machine of the fleet. The model sees it once.",
	},
);

const UsageRaised = Type.Object(
	{
		answer: Type.String({ description: "the provider's id of the answer" }),
		tokens: Type.Integer({ description: "how many more than the provider reported, given as read from the cache" }),
		why: Type.String({ description: "why a seal was due" }),
	},
	{
		description:
			"weft once reported more tokens to an agent than an answer used, so that the agent compacts and our seed replaces the messages that leave. The event comes before the answer in the log; sums leave these tokens out.",
	},
);

const ThreadMark = Type.Object(
	{
		item: Type.String({ description: "the item's id, as `weft thread` lists it" }),
		mark: Type.Union([Type.Literal("pin"), Type.Literal("strike"), Type.Literal("clear")]),
		by: Type.Union([Type.Literal("user"), Type.Literal("model")]),
	},
	{ description: "An item of the thread was pinned, struck out, or freed of its mark. Marks beat what the log says." },
);

const ThreadOps = Type.Object(
	{
		ops: Type.Array(
			Type.Object({
				op: Type.Union([Type.Literal("add"), Type.Literal("supersede"), Type.Literal("close")]),
				kind: Type.Optional(Type.String({ description: "of add and supersede: the kind of the item" })),
				text: Type.Optional(Type.String({ description: "of add and supersede" })),
				item: Type.Optional(Type.String({ description: "of supersede and close: the item's id" })),
				source: Type.String({ description: "handle of the message that says so" }),
			}),
		),
		note: Type.Optional(Type.String({ description: "what the session's own model wrote at a seal, to itself" })),
		refused: Type.Optional(
			Type.Array(Type.Object({ op: Type.String(), why: Type.String() }), {
				description: "operations that were not taken, in short",
			}),
		),
		by: Type.String({ description: "the model as provider/id" }),
		job: Type.Optional(Type.String({ description: "entry of the Job that it comes from" })),
	},
	{
		description:
			"A model changed items of the thread. Each operation was checked against the message that it names; the user's own items are never changed.",
	},
);

export const EVENT_SCHEMAS = {
	SessionStarted,
	UserIntent,
	ToolCalled,
	ToolResult,
	FileRead,
	FileChanged,
	CommandRun,
	TestStatus,
	Decision,
	ThreadMark,
	ThreadOps,
	RepoMap,
	Custom,
	Message,
	Entry,
	ForeignLine,
	Summary,
	Transform,
	Request,
	Subagent,
	Verdict,
	FilesKept,
	Fault,
	Pruned,
	Seal,
	MemoryWrite,
	Job,
	Consolidation,
	Given,
	ResolvedElsewhere,
	UsageRaised,
} as const;
