/** What is remembered, where it came from, and what entered which request. */
import type { JSX } from "preact";
import type { MemoryFact, MemoryPage } from "../../../../view/memory-page.ts";
import { href } from "../address.ts";
import { dataPath, useNow, usePageData } from "../data.ts";
import { ago, count, day, many } from "../format.ts";
import { Head, Waiting } from "../parts.tsx";
import { Table, type TableRow } from "../table.tsx";
import { Diff, Handle, Text } from "../text.tsx";
import type { PageProps } from "./page.ts";

const NAMES: Readonly<Record<string, readonly [name: string, what: string]>> = {
	session: ["SESSION.md", "hot state of this session"],
	memory: ["MEMORY.md", "durable facts"],
	history: ["HISTORY.md", "older narrative"],
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
						<b>Nothing is remembered of this project yet.</b>
					</p>
					<p>
						Memory is written when an agent runs here with weft: what holds beyond a session, with the message that it
						was learnt from. <code>weft memory add TEXT</code> adds a fact by hand.
					</p>
				</div>
			</div>
		</div>
	);
}

function Body({ view, chosen }: { view: MemoryPage; chosen: string | undefined }): JSX.Element {
	const now = useNow();
	const file =
		view.files.find((each) => each.file === chosen) ??
		view.files.find((each) => each.file === "memory") ??
		view.files[0]!;
	const sections = [...Map.groupBy(file.bullets, ({ section }) => section)];
	const columns = [
		{ title: "Fact", wrap: true },
		{ title: "Section", width: 130, hide: "m" },
		{ title: "Origin", width: 132 },
		{ title: "Learnt", width: 92, hide: "m" },
	] as const;
	return (
		<div class="scroll">
			<div class="mem">
				<div>
					<div class="sec flush">
						<header>
							<h2>Files</h2>
							<span class="dim r">tokens</span>
						</header>
						<Table
							label="Files"
							columns={[{ title: "File" }, { title: "Tokens", width: 76, num: true }]}
							rows={view.files.map(
								(each): TableRow => ({
									key: each.file,
									href: href({ set: { file: each.file } }),
									selected: each === file,
									cells: [
										<span key="n" title={each.path}>
											<b class="mono">{NAMES[each.file]?.[0] ?? each.file}</b>{" "}
											<span class="dim">{NAMES[each.file]?.[1]}</span>
										</span>,
										count(each.tokens),
									],
								}),
							)}
						/>
						{sections.map(([name, facts]) => (
							<p
								key={name}
								class="hp mid"
								style={{ margin: "4px 0", display: "flex", justifyContent: "space-between" }}
							>
								<span>
									<Text>{name || "(no section)"}</Text>
								</span>
								<span class="dim">{facts.length}</span>
							</p>
						))}
					</div>
					<div class="sec">
						<div class="note">
							Written atomically, never by hand here. Secrets are masked before a fact is kept.{" "}
							<code>weft memory edit</code> changes one.
						</div>
					</div>
				</div>
				<div>
					<div class="sec flush">
						<header>
							<h2>
								Facts <span class="n">{file.bullets.length}</span>
							</h2>
							<span class="dim">
								{NAMES[file.file]?.[0]}, revision {file.revision}
							</span>
						</header>
						<Table label="Facts" columns={columns} rows={file.bullets.map((fact): TableRow => factRow(fact, now))} />
						{file.bullets.length === 0 && <p class="dim hp">This file holds no fact.</p>}
					</div>
					{view.writes.slice(0, 5).map((write) => (
						<div key={write.handle} class="sec">
							<header>
								<h2>{write === view.writes[0] ? "Last write" : "Before it"}</h2>
								<span class="dim">
									{NAMES[write.file]?.[0] ?? write.file}, revision {write.revision}, {write.why}, {ago(write.ts, now)}
								</span>
								<span class="r">
									<Handle of={write.handle} />
								</span>
							</header>
							<Diff
								lines={write.ops.flatMap(({ op, section, text, id }) => [
									`@@ ${section} @@ ${op} ${id}`,
									...(text === "" ? [`- ${id}`] : text.split("\n").map((line) => `+ ${line}`)),
								])}
							/>
						</div>
					))}
				</div>
				<div>
					<div class="sec">
						<header>
							<h2>Recalled, and why</h2>
							<span class="dim">newest first</span>
						</header>
						{view.recalls.length === 0 && (
							<p class="dim" style={{ margin: 0 }}>
								Nothing was put before a message of this session. <code>weft memory search WORDS</code> says what would
								be, and why not.
							</p>
						)}
						{view.recalls.map((recall) => (
							<div key={recall.handle} style={{ marginBottom: "12px" }}>
								<p style={{ margin: "0 0 4px", display: "flex", gap: "8px", flexWrap: "wrap" }}>
									<span class="mid">before</span>
									<Handle of={recall.before} />
									<span class="dim">
										{count(recall.tokens)} tokens, {day(recall.ts)}
									</span>
									<Handle of={recall.handle} />
								</p>
								<div
									class="txt"
									tabIndex={0}
									role="group"
									aria-label="what was recalled"
									style={{ maxHeight: "160px" }}
								>
									<pre>
										<Text links>{recall.text}</Text>
									</pre>
								</div>
							</div>
						))}
					</div>
				</div>
			</div>
		</div>
	);
}

function factRow(fact: MemoryFact, now: number): TableRow {
	return {
		key: fact.id,
		...(fact.written ? { href: href({ set: { peek: fact.source ?? fact.written } }) } : {}),
		cells: [
			<span key="f" title={fact.text}>
				<Text>{fact.text}</Text>
				{fact.until !== undefined && <span class="dim"> (on probation)</span>}
			</span>,
			<span key="s" class="mid">
				<Text>{fact.section}</Text>
			</span>,
			(fact.source ?? fact.written) ? (
				<Handle key="o" of={fact.source ?? fact.written} />
			) : (
				<span key="o" class="dim">
					by hand
				</span>
			),
			<span key="d" class="dim">
				{fact.ts === null ? "–" : ago(fact.ts, now)}
			</span>,
		],
	};
}
