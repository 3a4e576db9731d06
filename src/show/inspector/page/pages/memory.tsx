/** The facts in memory, where each came from, and which request recalled them. */
import type { JSX } from "preact";
import type { MemoryFact, MemoryPage } from "../../../../view/memory.ts";
import { href } from "../address.ts";
import { dataPath, useNow, usePageData } from "../data.ts";
import { ago, count, day, many } from "../format.ts";
import { Head, Waiting } from "../parts.tsx";
import { Table, type TableRow } from "../table.tsx";
import { Diff, Handle, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

const FILES: Readonly<Record<string, { readonly name: string; readonly what: string }>> = {
	session: { name: "SESSION.md", what: "hot state of this session" },
	memory: { name: "MEMORY.md", what: "durable facts" },
	history: { name: "HISTORY.md", what: "older narrative" },
};

export function Memory({ address }: PageProps): JSX.Element {
	const path = dataPath("memory");
	const loaded = usePageData<MemoryPage>(path);
	const view = loaded.data;
	const facts = view?.files.reduce((sum, file) => sum + file.bullets.length, 0) ?? 0;
	return (
		<>
			<Head
				title="Memory"
				sub={view ? `${many(view.files.length, "file")}, ${many(facts, "fact")}` : ""}
				cli="weft memory"
				json={path}
			/>
			{!view ? (
				<Waiting of={loaded} />
			) : view.files.length === 0 ? (
				<Nothing />
			) : (
				<Body view={view} chosen={address.query["file"]} />
			)}
		</>
	);
}

function Nothing(): JSX.Element {
	return (
		<div class="scroll">
			<div class="sec">
				<div class="note">
					<p>
						<b>This project has no memory yet.</b>
					</p>
					<p>
						While an agent runs here with weft, weft remembers facts that hold beyond the session, each with the message
						that it came from. <code>weft memory add TEXT</code> adds a fact by hand.
					</p>
				</div>
			</div>
		</div>
	);
}

type MemoryPageFile = MemoryPage["files"][number];

function Body({ view, chosen }: { view: MemoryPage; chosen: string | undefined }): JSX.Element {
	const now = useNow();
	const file =
		view.files.find((each) => each.file === chosen) ??
		view.files.find((each) => each.file === "memory") ??
		view.files[0];
	return (
		<div class="scroll">
			<div class="mem">
				<div>
					<Files files={view.files} selected={file} />
					<div class="sec">
						<div class="note">
							weft writes these files atomically and masks secrets first. Change a fact with{" "}
							<code>weft memory edit</code>.
						</div>
					</div>
				</div>
				<div>
					{file && <Facts file={file} now={now} />}
					{view.writes.slice(0, 5).map((write, at) => (
						<Write key={write.handle} write={write} title={at === 0 ? "Last write" : "Before it"} now={now} />
					))}
				</div>
				<div>
					<Recalls recalls={view.recalls} />
				</div>
			</div>
		</div>
	);
}

function Files({
	files,
	selected,
}: {
	files: readonly MemoryPageFile[];
	selected: MemoryPageFile | undefined;
}): JSX.Element {
	const sections = [...Map.groupBy(selected?.bullets ?? [], ({ section }) => section)];
	return (
		<div class="sec flush">
			<header>
				<h2>Files</h2>
				<span class="dim r">tokens</span>
			</header>
			<Table
				label="Files"
				columns={[{ title: "File" }, { title: "Tokens", width: 76, num: true }]}
				rows={files.map(
					(each): TableRow => ({
						key: each.file,
						href: href({ set: { file: each.file } }),
						selected: each === selected,
						cells: [
							<span key="n" title={each.path}>
								<b class="mono">{FILES[each.file]?.name ?? each.file}</b>{" "}
								<span class="dim">{FILES[each.file]?.what}</span>
							</span>,
							count(each.tokens),
						],
					}),
				)}
			/>
			{sections.map(([name, facts]) => (
				<p key={name} class="hp mid" style={{ margin: "4px 0", display: "flex", justifyContent: "space-between" }}>
					<span>
						<Text>{name || "(no section)"}</Text>
					</span>
					<span class="dim">{facts.length}</span>
				</p>
			))}
		</div>
	);
}

const FACT_COLUMNS = [
	{ title: "Fact", wrap: true },
	{ title: "Section", width: 130, hide: "m" },
	{ title: "Origin", width: 132 },
	{ title: "Learnt", width: 92, hide: "m" },
] as const;

function Facts({ file: { file, bullets, revision }, now }: { file: MemoryPageFile; now: number }): JSX.Element {
	return (
		<div class="sec flush">
			<header>
				<h2>
					Facts <span class="n">{bullets.length}</span>
				</h2>
				<span class="dim">
					{FILES[file]?.name}, revision {revision}
				</span>
			</header>
			<Table label="Facts" columns={FACT_COLUMNS} rows={bullets.map((fact) => factRow(fact, now))} />
			{bullets.length === 0 && <p class="dim hp">This file has no facts.</p>}
		</div>
	);
}

function Write({
	write: { handle, file, revision, why, ts, ops },
	title,
	now,
}: {
	write: MemoryPage["writes"][number];
	title: string;
	now: number;
}): JSX.Element {
	return (
		<div class="sec">
			<header>
				<h2>{title}</h2>
				<span class="dim">
					{FILES[file]?.name ?? file}, revision {revision}, {why}, {ago(ts, now)}
				</span>
				<span class="r">
					<Handle of={handle} />
				</span>
			</header>
			<Diff
				lines={ops.flatMap(({ op, section, text, id }) => [
					`@@ ${section} @@ ${op} ${id}`,
					...(text === "" ? [`- ${id}`] : text.split("\n").map((line) => `+ ${line}`)),
				])}
			/>
		</div>
	);
}

function Recalls({ recalls }: Pick<MemoryPage, "recalls">): JSX.Element {
	return (
		<div class="sec">
			<header>
				<h2>Recalled, and why</h2>
				<span class="dim">newest first</span>
			</header>
			{recalls.length === 0 && (
				<p class="dim" style={{ margin: 0 }}>
					Nothing was recalled in this session. <code>weft memory search WORDS</code> shows what would be recalled, and
					why not.
				</p>
			)}
			{recalls.map(({ handle, before, tokens, ts, text }) => (
				<div key={handle} style={{ marginBottom: "12px" }}>
					<p style={{ margin: "0 0 4px", display: "flex", gap: "8px", flexWrap: "wrap" }}>
						<span class="mid">before</span>
						<Handle of={before} />
						<span class="dim">
							{count(tokens)} tokens, {day(ts)}
						</span>
						<Handle of={handle} />
					</p>
					<div class="txt" tabIndex={0} role="group" aria-label="recalled text" style={{ maxHeight: "160px" }}>
						<pre>
							<Text links>{text}</Text>
						</pre>
					</div>
				</div>
			))}
		</div>
	);
}

function factRow({ id, text, section, source, written, until, ts }: MemoryFact, now: number): TableRow {
	const origin = source ?? written;
	return {
		key: id,
		...(written ? { href: href({ set: { peek: source ?? written } }) } : {}),
		cells: [
			<span key="f" title={text}>
				<Text>{text}</Text>
				{until !== undefined && <span class="dim"> (on probation)</span>}
			</span>,
			<span key="s" class="mid">
				<Text>{section}</Text>
			</span>,
			origin ? (
				<Handle key="o" of={origin} />
			) : (
				<span key="o" class="dim">
					by hand
				</span>
			),
			<span key="d" class="dim">
				{ts === null ? "–" : ago(ts, now)}
			</span>,
		],
	};
}
