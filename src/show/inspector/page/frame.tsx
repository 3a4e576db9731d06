/** What stands around every page: the session, search, the four vitals, the pages, and the keys. */
import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { shortSession } from "../../../view/short-session.ts";
import type { Vitals } from "../../../view/vitals.ts";
import { go, href, type PageAddress, readAddress, useAddress } from "./address.ts";
import { dataPath, followLog, load, useConnected, useNow, usePageData } from "./data.ts";
import { ago, clock, count, dollars, kilo, many, percent } from "./format.ts";
import { History } from "./pages/history.tsx";
import { Memory } from "./pages/memory.tsx";
import { PAGE_NAMES } from "./pages/names.ts";
import { Now } from "./pages/now.tsx";
import { Replay } from "./pages/replay.tsx";
import { Request } from "./pages/request.tsx";
import { Sessions } from "./pages/sessions.tsx";
import { Timeline } from "./pages/timeline.tsx";
import { Work } from "./pages/work.tsx";
import { Palette } from "./palette.tsx";
import { COLOUR, Copy, State, Trouble } from "./parts.tsx";
import { Peek } from "./peek.tsx";
import { savedFile } from "./saved-file.ts";
import { Keys } from "./shortcuts.tsx";
import { Text } from "./text.tsx";
import { currentTheme, switchTheme } from "./theme.ts";

const VIEWS = {
	now: Now,
	request: Request,
	timeline: Timeline,
	history: History,
	work: Work,
	memory: Memory,
	replay: Replay,
	sessions: Sessions,
} as const;

interface Project {
	readonly key: string;
	readonly name: string;
	readonly root: string;
}

interface MenuSession {
	readonly session: string;
	readonly host: string;
	readonly title: string | null;
	readonly last: number;
}

export interface Launch {
	readonly version: string;
	readonly unmasked: boolean;
	readonly projects: readonly Project[];
	readonly sessions: readonly MenuSession[];
}

export function Frame(): JSX.Element | null {
	const address = useAddress();
	const [launch, setLaunch] = useState<Launch | undefined>();
	const [gone, setGone] = useState(false);
	useEffect(() => {
		if (savedFile) {
			const { version, unmasked, project, session } = savedFile;
			setLaunch({ version, unmasked, projects: [project], sessions: [{ session, host: "", title: null, last: 0 }] });
			return;
		}
		load<Launch>("/launch.json").then(setLaunch, () => setGone(true));
	}, []);
	useEffect(() => {
		if (!launch || address.project !== "") return;
		const project = launch.projects[0]?.key ?? "";
		const session = launch.sessions[0]?.session ?? "-";
		go(href({ project, session, page: "now", fresh: true }), { replace: true });
	}, [launch, address.project]);
	useEffect(() => followLog(address.project), [address.project]);
	useTheme(address);
	if (gone) return <Trouble problem={{ code: "gone", message: "" }} />;
	if (!launch || address.project === "") return null;
	return <Inside address={address} launch={launch} />;
}

function Inside({ address, launch }: { address: PageAddress; launch: Launch }): JSX.Element {
	const [palette, setPalette] = useState(false);
	const [keys, setKeys] = useState(false);
	const openPalette = useCallback(() => setPalette(true), []);
	const openKeys = useCallback(() => setKeys(true), []);
	useKeys({ openPalette, openKeys });
	const vitals = usePageData<Vitals>(dataPath("vitals", { window: address.query["window"] }));
	const found = PAGE_NAMES.find(([name]) => name === address.page) ?? PAGE_NAMES[0];
	const [, title] = found;
	const Page = VIEWS[found[0]];
	const project = launch.projects.find(({ key }) => key === address.project);
	useEffect(() => {
		document.title = `${title} · ${project?.name ?? ""} · weft`;
	}, [title, project?.name]);
	const isEmpty = vitals.problem?.code === "not-found" && address.page !== "sessions" && address.page !== "replay";
	return (
		<div class="frame">
			<Top address={address} launch={launch} vitals={vitals.data} openPalette={openPalette} openKeys={openKeys} />
			<VitalsRow vitals={vitals.data} />
			<nav class="rail" aria-label="Pages">
				{PAGE_NAMES.filter(([name]) => !savedFile || (name !== "replay" && name !== "sessions")).map(
					([name, label, key]) => (
						<a
							key={name}
							href={href({ page: name, fresh: true })}
							aria-current={name === found[0] ? "page" : undefined}
						>
							{label}
							<span class="key" aria-hidden="true">
								g {key}
							</span>
						</a>
					),
				)}
				<Foot address={address} launch={launch} vitals={vitals.data} root={project?.root ?? ""} />
			</nav>
			<main key={found[0]}>
				<Banner vitals={vitals.data} />
				{isEmpty ? (
					<Empty launch={launch} root={project?.root ?? ""} address={address} />
				) : (
					<Page address={address} vitals={vitals.data} />
				)}
			</main>
			{palette && <Palette close={() => setPalette(false)} openKeys={openKeys} />}
			{keys && <Keys close={() => setKeys(false)} />}
			{address.query["peek"] !== undefined && <Peek of={address.query["peek"]} />}
		</div>
	);
}

function Top({
	address,
	launch,
	vitals,
	openPalette,
	openKeys,
}: {
	address: PageAddress;
	launch: Launch;
	vitals: Vitals | undefined;
	openPalette: () => void;
	openKeys: () => void;
}): JSX.Element {
	const project = launch.projects.find(({ key }) => key === address.project);
	const menu = usePageData<{ sessions: readonly MenuSession[] }>(
		savedFile ? undefined : `/p/${address.project}/menu.json`,
	);
	const sessions = menu.data?.sessions ?? launch.sessions;
	const listed = sessions.some(({ session }) => session === address.session)
		? sessions
		: [{ session: address.session, host: "", title: null, last: 0 }, ...sessions];
	const connected = useConnected();
	const theme = currentTheme(address);
	return (
		<header class="top">
			<a class="brand" href={href({ page: "now", fresh: true })}>
				weft
			</a>
			<span class="crumb">
				<select
					aria-label="Session"
					value={address.session}
					onChange={(event) => go(href({ session: event.currentTarget.value, page: "now", fresh: true }))}
				>
					{listed.map(({ session, host }) => (
						<option key={session} value={session}>
							{project?.name ?? ""} / {shortSession(session)}
							{host ? ` · ${host}` : ""}
						</option>
					))}
				</select>
				<span class="mid hide-m">{vitals ? `${vitals.host}, ${vitals.mode}, ${vitals.profile}` : ""}</span>
			</span>
			{launch.unmasked && <span class="warn-mark">unmasked</span>}
			{savedFile ? (
				<span class="live push-r">
					saved {ago(savedFile.made, savedFile.made).replace(/^0 s ago$/, "")}
					{clock(savedFile.made)}
				</span>
			) : (
				<>
					<button type="button" class="search" aria-label="Search handles, files, text" onClick={openPalette}>
						<span>Search handles, files, text</span>
						<kbd>/</kbd>
					</button>
					<span class="live" role="status" title="events arrive as they are written">
						<i class={connected ? "dot on" : "dot off"} />
						<span>
							{connected ? "live" : "stopped"}
							{vitals ? `, #${vitals.newest.seq}` : ""}
						</span>
					</span>
				</>
			)}
			<button type="button" aria-label="Switch between light and dark" onClick={() => switchTheme(theme)}>
				{theme === "dark" ? "Light" : "Dark"}
			</button>
			<button type="button" class="hide-s" aria-label="Keys" onClick={openKeys}>
				?
			</button>
		</header>
	);
}

function VitalsRow({ vitals }: { vitals: Vitals | undefined }): JSX.Element {
	const now = useNow();
	const { full, fresh, cost, cache } = vitals ?? {};
	return (
		<nav class="vit" aria-label="How the session stands">
			<a href={href({ page: "now", fresh: true })} data-vital="full">
				<span class="k">Full</span>
				<span class="v">
					{full ? (
						<>
							{count(full.tokens)}{" "}
							<small>
								of <span class="hide-s">{count(full.ceiling)} tokens</span>
								<span class="only-s">{kilo(full.ceiling)}</span>, {percent(full.tokens / full.ceiling, 0)}
								<span class="x hide-s"> · window {kilo(full.window)}</span>
							</small>
						</>
					) : (
						"–"
					)}
				</span>
				<span class="w">
					<span class="minibar">
						{full?.segments.map(({ name, tokens }) => (
							<i key={name} style={{ width: `${(100 * tokens) / full.ceiling}%`, "--c": COLOUR[name] }} />
						))}
					</span>
				</span>
			</a>
			<a href={href({ page: "work", fresh: true })} data-vital="fresh">
				<span class="k">Fresh</span>
				<span class="v">
					{fresh ? (
						fresh.onDisk ? (
							<State is={fresh.stale.length > 0 ? "stale" : "fresh"}>
								<span style={{ color: "var(--ink)" }}>
									{fresh.fresh} of {many(fresh.files, "file")} fresh
								</span>
							</State>
						) : (
							<State is="none">{fresh.files === 0 ? "no files yet" : "files not on this disk"}</State>
						)
					) : (
						"–"
					)}
				</span>
				<span class="w">
					{vitals && (
						<>
							<span class="x">
								log #{vitals.newest.seq}
								{vitals.newest.ts === null ? "" : `, ${ago(vitals.newest.ts, now)}`} ·{" "}
							</span>
							{cache?.warm ? <State is="fresh">cache warm</State> : <State is="cold">cache cold</State>}
						</>
					)}
				</span>
			</a>
			<a href={href({ page: "timeline", fresh: true })} data-vital="cost">
				<span class="k">Cost</span>
				<span class="v">
					{cost ? (
						<>
							{dollars(cost.dollars, 2)}{" "}
							<small>
								reported<span class="x">, {many(cost.requests, "request")}</span>
							</small>
						</>
					) : (
						"–"
					)}
				</span>
				<span class="w">
					{cost &&
						(cost.saved === null
							? "weft did not run here"
							: cost.saved >= 0
								? `saves ${percent(cost.saved, 0)} beside the host`
								: `${percent(-cost.saved, 0)} more than the host, so far`)}
					{cost?.hit != null && <span class="x"> · hit {percent(cost.hit)}</span>}
				</span>
			</a>
			<Wrong vitals={vitals} />
		</nav>
	);
}

/** Names the worst thing only. */
function Wrong({ vitals }: { vitals: Vitals | undefined }): JSX.Element {
	const wrong = vitals?.wrong;
	const [is, text] = !wrong
		? (["none", ""] as const)
		: wrong.damaged > 0
			? (["blocked", `${many(wrong.damaged, "event")} damaged`] as const)
			: wrong.unexplained > 0
				? (["blocked", `${many(wrong.unexplained, "unexplained break")}`] as const)
				: wrong.faults > 0
					? (["blocked", `${many(wrong.faults, "fault")} of weft`] as const)
					: wrong.failures > 0
						? (["blocked", `${many(wrong.failures, "failure")} open`] as const)
						: wrong.blocks > 0
							? (["stale", `${many(wrong.blocks, "call")} blocked`] as const)
							: wrong.stale > 0
								? (["stale", `${many(wrong.stale, "stale file")}`] as const)
								: (["fresh", "nothing wrong"] as const);
	return (
		<a href={href({ page: "work", fresh: true })} data-vital="wrong">
			<span class="k">Wrong</span>
			<span class="v">{wrong ? <State is={is}>{text}</State> : "–"}</span>
			<span class="w">
				{wrong && (
					<>
						{many(wrong.failures, "failure")} open<span class="x"> · {wrong.blocks} blocked</span> ·{" "}
						{many(wrong.faults, "fault")}
					</>
				)}
			</span>
		</a>
	);
}

function Foot({
	address,
	launch,
	vitals,
	root,
}: {
	address: PageAddress;
	launch: Launch;
	vitals: Vitals | undefined;
	root: string;
}): JSX.Element {
	return (
		<div class="foot">
			<span title={root}>{launch.projects.find(({ key }) => key === address.project)?.name}</span>
			<br />
			{vitals ? `${count(vitals.newest.seq)} events` : ""}
			<br />
			read only · {savedFile ? "a saved file" : "127.0.0.1"}
			<br />
			weft {launch.version}
			<br />
			{!savedFile && address.session !== "-" && (
				<a href={`/p/${address.project}/s/${encodeURIComponent(address.session)}/export.html`} download>
					save this session
				</a>
			)}
		</div>
	);
}

function Banner({ vitals }: { vitals: Vitals | undefined }): JSX.Element | null {
	const connected = useConnected();
	const damaged = vitals?.wrong.damaged ?? 0;
	if (!connected && !savedFile)
		return (
			<div class="banner" role="alert">
				<b>The inspector has stopped.</b> This page shows the log up to #{vitals?.newest.seq ?? 0}. Start it again with{" "}
				<code>weft inspect</code>.
			</div>
		);
	if (damaged > 0)
		return (
			<div class="banner bad" role="alert">
				<b>{many(damaged, "event")} of this log cannot be read.</b> Everything else is shown.{" "}
				<Copy text="weft repair">weft repair</Copy> looks for a copy; <code>weft verify</code> names them.
			</div>
		);
	return null;
}

function Empty({ launch, root, address }: { launch: Launch; root: string; address: PageAddress }): JSX.Element {
	const others = launch.projects.filter(({ key }) => key !== address.project);
	return (
		<div class="scroll">
			<div class="sec cmds" style={{ maxWidth: "640px" }}>
				<h1 class="wrap">Nothing has been recorded here yet</h1>
				<p class="mid">
					No agent has written to the log of{" "}
					<code>
						<Text>{root}</Text>
					</code>
					. Start one, or bring in what you have.
				</p>
				<p>
					<Copy text="pi install npm:weft-context">
						<code>pi install npm:weft-context</code>
					</Copy>
				</p>
				<p>
					<Copy text="weft import ~/.pi/agent/sessions">
						<code>weft import ~/.pi/agent/sessions</code>
					</Copy>
				</p>
				<p>
					<Copy text="weft import ~/.claude/projects">
						<code>weft import ~/.claude/projects</code>
					</Copy>
				</p>
				{others.length > 0 && (
					<p class="dim">
						Other projects have logs:{" "}
						<a class="b" href={href({ page: "sessions", set: { scope: "all" } })}>
							see them all
						</a>
						.
					</p>
				)}
				<p class="dim">
					A single session file needs no import:{" "}
					<a class="b" href={href({ page: "replay", fresh: true })}>
						replay it
					</a>
					.
				</p>
			</div>
		</div>
	);
}

function useTheme(address: PageAddress): void {
	const theme = currentTheme(address);
	useEffect(() => {
		document.documentElement.dataset["theme"] = theme;
	}, [theme]);
}

function useKeys({ openPalette, openKeys }: { openPalette: () => void; openKeys: () => void }): void {
	useEffect(() => {
		let leader = false;
		const press = (event: KeyboardEvent) => {
			if ((event.ctrlKey || event.metaKey) && event.key === "k") {
				event.preventDefault();
				return openPalette();
			}
			const target = event.target as Element;
			if (
				target.matches?.("input,select,textarea") ||
				event.ctrlKey ||
				event.metaKey ||
				event.altKey ||
				document.querySelector("dialog[open]")
			)
				return;
			const { key } = event;
			if (leader) {
				leader = false;
				const found = PAGE_NAMES.find(([, , letter]) => letter === key);
				if (found) return go(href({ page: found[0], fresh: true }));
			}
			if (key === "g") leader = true;
			else if (key === "/") {
				event.preventDefault();
				openPalette();
			} else if (key === "?") openKeys();
			else if (key === "t") switchTheme();
			else if (key === "b") history.back();
			else if (key === "y") void navigator.clipboard?.writeText(location.href).catch(() => {});
			else if (key === "[" || key === "]") document.querySelector<HTMLElement>(`[data-step="${key}"]`)?.click();
			else if (key === "d" && readAddress().page === "request")
				go(href({ set: { same: readAddress().query["same"] === "0" ? null : "0" } }), { replace: true });
			else if (key === "j" || key === "k" || key === "Enter") moveRow(event);
		};
		document.addEventListener("keydown", press);
		return () => document.removeEventListener("keydown", press);
	}, [openPalette, openKeys]);
}

function moveRow(event: KeyboardEvent): void {
	const rows = [...document.querySelectorAll<HTMLElement>("main tr[data-row]")];
	const at = rows.indexOf(document.activeElement as HTMLElement);
	if (event.key === "Enter") {
		const to = rows[at]?.dataset["row"];
		if (to) go(to);
		return;
	}
	const from = at >= 0 ? at : rows.findIndex((row) => row.classList.contains("on")) - (event.key === "j" ? 1 : -1);
	const next = rows[Math.max(0, Math.min(rows.length - 1, from + (event.key === "j" ? 1 : -1)))];
	next?.focus();
	next?.scrollIntoView({ block: "nearest" });
}
