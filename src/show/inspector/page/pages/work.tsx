/** The state of the work: which files are fresh, what fails, what was decided, what the guard blocked. */
import type { JSX } from "preact";
import type { Failure } from "../../../../state/work/failure/types.ts";
import type { BlockView, WorkView } from "../../../../view/state.ts";
import { go, href } from "../address.ts";
import { dataPath, usePageData } from "../data.ts";
import { clock, count, many, shorten, span } from "../format.ts";
import { Bar, Head, State, type StateKind, Switch, Waiting } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";
import { Table, type TableRow } from "../table.tsx";
import { Diff, Handle, Path, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

export function Work({ address }: PageProps): JSX.Element {
	const isProjects = address.query["of"] === "project";
	const path = dataPath("work", { all: isProjects ? 1 : undefined });
	const loaded = usePageData<WorkView>(path);
	const view = loaded.data;
	const intent = view?.intent?.current;
	return (
		<>
			<Head
				title="Work"
				sub={
					intent ? (
						<>
							intent: “<Text>{shorten(intent.text, 200)}</Text>”
						</>
					) : (
						""
					)
				}
				cli={isProjects ? "weft state --all" : "weft state"}
				session={!isProjects}
				json={path}
			>
				{!savedFile && (
					<Switch
						label="Of"
						name="of"
						value={isProjects ? "project" : ""}
						options={[
							["", "This session"],
							["project", "The project"],
						]}
					/>
				)}
			</Head>
			{view ? (
				<div class="scroll">
					<div class="cols2">
						<div>
							<WorkingSet view={view} file={address.query["file"]} />
							<Guard blocks={view.blocks} kind={address.query["verdict"] ?? "block"} />
						</div>
						<div>
							<Failures view={view} all={address.query["all"] === "1"} />
							<Decisions view={view} />
							<Progress view={view} />
						</div>
					</div>
				</div>
			) : (
				<Waiting of={loaded} />
			)}
		</>
	);
}

const FILE_STATES: Readonly<Record<string, readonly [StateKind, string]>> = {
	fresh: ["fresh", "fresh"],
	stale: ["stale", "stale"],
	deleted: ["stale", "deleted"],
	recorded: ["none", "recorded"],
	unverified: ["none", "unverified"],
	unavailable: ["none", "not on this disk"],
};

function WorkingSet({ view, file }: { view: WorkView; file: string | undefined }): JSX.Element {
	const files = new Map(view.files.map((each) => [each.path, each]));
	const fresh = new Map(view.freshness.map((each) => [each.path, each]));
	const maxScore = Math.max(1e-9, ...view.workingSet.map(({ score }) => score));
	const rows = view.workingSet.flatMap(({ path, score }): TableRow[] => {
		const look = fresh.get(path);
		const isSelected = file === path;
		const row = fileRow({ path, score, look, isSelected, maxScore, known: files.get(path) });
		const isOpen = isSelected || look?.status === "stale";
		return isOpen && look ? [row, { key: `${path} more`, wide: <Freshness look={look} /> }] : [row];
	});
	return (
		<div class="sec flush">
			<header>
				<h2>
					Working set{" "}
					<span class="n">
						{view.workingSet.length} of {many(view.files.length, "file")}
					</span>
				</h2>
				<span class="dim">compared with the disk</span>
			</header>
			{rows.length > 0 ? (
				<Table label="Working set" columns={FILE_COLUMNS} rows={rows} />
			) : (
				<p class="dim hp">No file has been read or changed yet.</p>
			)}
		</div>
	);
}

const FILE_COLUMNS = [
	{ title: "File" },
	{ title: "State", width: 130 },
	{ title: "Score", width: 60, hide: "m", tip: "how much the work turns on this file" },
	{ title: "Reads", width: 52, num: true },
	{ title: "Changes", width: 78, num: true, hide: "s" },
	{ title: "Lines", width: 84, num: true, hide: "m" },
	{ title: "Last", width: 70, num: true, hide: "m" },
] as const;

type FileFreshness = WorkView["freshness"][number];

function fileRow({
	path,
	score,
	known,
	look,
	isSelected,
	maxScore,
}: {
	path: string;
	score: number;
	known: WorkView["files"][number] | undefined;
	look: FileFreshness | undefined;
	isSelected: boolean;
	maxScore: number;
}): TableRow {
	const [is, word] = FILE_STATES[look?.status ?? ""] ?? ["none", "unknown"];
	const last = Math.max(known?.lastReadSeq ?? 0, known?.lastChangeSeq ?? 0);
	return {
		key: path,
		href: href({ set: { file: isSelected ? null : path } }),
		selected: isSelected,
		cells: [
			<Path key="p" of={path} />,
			<State key="s" is={is}>
				{word}
			</State>,
			<span key="b" title={score.toFixed(2)}>
				<Bar width={(42 * score) / maxScore} />
			</span>,
			known?.reads ?? "",
			known?.changes || "",
			known?.changes ? `+${known.added} −${known.removed}` : "",
			last > 0 ? (
				<a key="l" class="mono dim" href={href({ set: { peek: String(last) } })}>
					#{last}
				</a>
			) : (
				""
			),
		],
	};
}

function Freshness({ look: { path, status, remark, diff } }: { look: FileFreshness }): JSX.Element {
	const usual =
		status === "fresh" ? "The file on disk has the text that the log knows." : "The project is not on this machine.";
	return (
		<div class={status === "stale" ? "note stale" : "note"}>
			<p>
				<Text>{remark ?? usual}</Text>{" "}
				<a class="b" href={href({ page: "timeline", set: { file: path } })}>
					Its events
				</a>
			</p>
			{diff.length > 0 && <Diff lines={diff.slice(0, 80)} />}
		</div>
	);
}

function Guard({ blocks, kind }: { blocks: readonly BlockView[]; kind: string }): JSX.Element {
	const of = (verdict: string) => blocks.filter((each) => each.verdict === verdict);
	const shown = of(kind === "warn" ? "warn" : "block");
	return (
		<div class="sec">
			<header>
				<h2>
					Guard <span class="n">{many(blocks.length, "recent verdict")}</span>
				</h2>
				<span class="r chips">
					<button type="button" aria-pressed={kind !== "warn"} onClick={() => go(href({ set: { verdict: null } }))}>
						Blocked <span class="n">{of("block").length}</span>
					</button>
					<button type="button" aria-pressed={kind === "warn"} onClick={() => go(href({ set: { verdict: "warn" } }))}>
						Warned <span class="n">{of("warn").length}</span>
					</button>
				</span>
			</header>
			{shown.length === 0 && (
				<p class="dim" style={{ margin: 0 }}>
					{kind === "warn" ? "No call passed with a warning." : "Nothing was blocked in this session."}
				</p>
			)}
			{shown.map((block) => (
				<Block key={block.handle} block={block} />
			))}
		</div>
	);
}

/** A reason may contain a diff, which starts at its first `---` or `@@` line. */
function Block({ block }: { block: BlockView }): JSX.Element {
	const lines = block.reason.split("\n");
	const from = lines.findIndex((line) => /^(---|@@) /.test(line));
	const to = lines.findLastIndex((line) => /^[-+@ ]/.test(line));
	const [before, after] = from < 0 ? [lines, []] : [lines.slice(0, from), lines.slice(to + 1)];
	return (
		<div class={block.verdict === "block" ? "note bad" : "note warn"}>
			<p class="line">
				<State is={block.verdict === "block" ? "blocked" : "stale"}>
					{block.verdict === "block" ? "blocked" : "warned"}
				</State>
				<b>
					<Text>{block.tool}</Text>{" "}
					<span class="mono">
						<Text>{block.path ?? ""}</Text>
					</span>
				</b>
				<span class="dim">
					rule {block.rule}, {clock(block.ts)}
				</span>
				<span class="r">
					<Handle of={block.handle} />
				</span>
			</p>
			<p class="mid">
				<Text>{before.join("\n").trim()}</Text>
			</p>
			{from >= 0 && <Diff lines={lines.slice(from, to + 1)} />}
			{after.length > 0 && (
				<p class="mid">
					<Text>{after.join("\n").trim()}</Text>
				</p>
			)}
			<p class="mid" style={{ marginTop: "6px" }}>
				Outcome:{" "}
				{block.outcome ? (
					<>
						<Text>{block.outcome.what}</Text> <Handle of={block.outcome.handle} />
					</>
				) : (
					"nothing yet."
				)}
			</p>
		</div>
	);
}

const FIRST_FAILURES = 6;

function Failures({ view, all }: { view: WorkView; all: boolean }): JSX.Element {
	const { open, resolved } = view.failures;
	const shown = all ? open : open.slice(-FIRST_FAILURES);
	return (
		<div class="sec flush">
			<header>
				<h2>
					Failures{" "}
					<span class="n">
						{open.length} open, {resolved.length} resolved
					</span>
				</h2>
				<span class="r">
					<a class="dim" href={href({ page: "timeline", set: { type: "TestStatus" } })}>
						test runs
					</a>
				</span>
			</header>
			{open.length === 0 && (
				<p class="hp" style={{ margin: "0 0 8px" }}>
					<State is="fresh">nothing is failing</State>
				</p>
			)}
			{shown.toReversed().map((failure) => (
				<OneFailure key={failure.id + failure.hash} failure={failure} />
			))}
			{open.length > shown.length && (
				<p class="hp">
					<a class="b" href={href({ set: { all: "1" } })}>
						Show {open.length - shown.length} more
					</a>
				</p>
			)}
			{resolved
				.slice(-FIRST_FAILURES)
				.toReversed()
				.map((failure) => (
					<OneFailure key={`r ${failure.id}${failure.hash}`} failure={failure} />
				))}
		</div>
	);
}

function OneFailure({ failure }: { failure: Failure }): JSX.Element {
	const isOpen = failure.state === "open";
	return (
		<div class="fail">
			<div class="h">
				<span>
					<State is={isOpen ? "blocked" : "fresh"}>{failure.state}</State>&ensp;
					<b>
						<Text>{failure.name ?? failure.class ?? failure.command}</Text>
					</b>
				</span>
				<span class="nw dim">{many(failure.attempts, "attempt")}</span>
			</div>
			<div class="m">
				<Text>{failure.message.slice(0, 300)}</Text>
			</div>
			<div class="f">
				<span class="att">
					{failure.history.map(({ seq, what }, at) => (
						<span key={seq} class="nw">
							{at > 0 && <i style={{ display: "inline-block", verticalAlign: "middle" }} />}
							<a class={what === "resolved" ? "o" : "x"} href={href({ set: { peek: String(seq) } })} title={what}>
								{what === "resolved" ? "●" : "✕"} {seq}
							</a>
						</span>
					))}
				</span>
				<span class="mono dim">
					<Text>{failure.file ?? ""}</Text>
				</span>
				<span class="mono dim">
					<Text>{failure.command.slice(0, 120)}</Text>
				</span>
			</div>
		</div>
	);
}

function Decisions({ view }: { view: WorkView }): JSX.Element {
	const { active } = view.decisions;
	return (
		<div class="sec">
			<header>
				<h2>
					Decisions <span class="n">{active.length} active</span>
				</h2>
			</header>
			{active.length === 0 && (
				<p class="dim" style={{ margin: 0 }}>
					No decision was recorded. The model records one with the tool <code>decide</code>; it stays in every seed.
				</p>
			)}
			{active
				.slice(-20)
				.toReversed()
				.map(({ handle, text, rationale }) => (
					<div key={handle} style={{ display: "flex", gap: "10px", alignItems: "baseline", marginBottom: "6px" }}>
						<span style={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
							<b>
								<Text>{text}</Text>
							</b>
							{rationale ? (
								<>
									<br />
									<span class="mid">
										because <Text>{rationale}</Text>
									</span>
								</>
							) : null}
						</span>
						<Handle of={handle} />
					</div>
				))}
		</div>
	);
}

function Progress({ view }: { view: WorkView }): JSX.Element | null {
	if (view.latency.length === 0) return null;
	const columns = [
		{ title: "Tool" },
		{ title: "Calls", width: 70, num: true },
		{ title: "Typical", width: 80, num: true },
		{ title: "Longest", width: 84, num: true },
	] as const;
	return (
		<div class="sec flush">
			<header>
				<h2>Progress</h2>
				<span class="dim">how long tools take</span>
			</header>
			<Table
				label="Tools"
				columns={columns}
				rows={view.latency.slice(0, 8).map(
					({ tool, typicalMs, ...known }): TableRow => ({
						key: tool,
						cells: [
							<span key="t" class="mono">
								<Text>{tool}</Text>
							</span>,
							count("calls" in known ? Number(known.calls) : 0),
							span(typicalMs),
							span("maxMs" in known ? Number(known.maxMs) : 0),
						],
					}),
				)}
			/>
		</div>
	);
}
