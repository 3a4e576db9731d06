/** The frame around every page: the session menu, search, the vitals, the list of pages, the shortcuts. */
import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Vitals } from "../../../view/vitals.ts";
import type { MenuSession } from "../server/page-data.ts";
import type { ProjectName } from "../server/projects.ts";
import { rememberTokens } from "./access.ts";
import { go, href, type PageAddress, useAddress } from "./address.ts";
import { dataPath, followLog, load, type PageProblem, useConnected, useNow, usePageData } from "./data.ts";
import { ago, clock, count, many } from "./format.ts";
import { nameOfSession, useMenuSessions } from "./menu-sessions.ts";
import { Changes } from "./pages/changes.tsx";
import { Conversation } from "./pages/conversation.tsx";
import { History } from "./pages/history.tsx";
import { Memory } from "./pages/memory.tsx";
import { Now } from "./pages/now.tsx";
import { FIRST_PAGES, PAGES } from "./pages/page.ts";
import { Replay } from "./pages/replay.tsx";
import { Report } from "./pages/report.tsx";
import { Request } from "./pages/request.tsx";
import { Sessions } from "./pages/sessions.tsx";
import { Thread } from "./pages/thread.tsx";
import { Timeline } from "./pages/timeline.tsx";
import { Work } from "./pages/work.tsx";
import { Palette } from "./palette.tsx";
import { Copy, Trouble } from "./parts.tsx";
import { Peek } from "./peek.tsx";
import { savedFile } from "./saved-file.ts";
import { type DialogOpeners, ShortcutList, useShortcuts } from "./shortcuts.tsx";
import { Text } from "./text.tsx";
import { currentTheme, switchTheme } from "./theme.ts";
import { VitalsRow } from "./vitals-row.tsx";

const VIEWS = {
	now: Now,
	conversation: Conversation,
	request: Request,
	timeline: Timeline,
	history: History,
	thread: Thread,
	work: Work,
	changes: Changes,
	memory: Memory,
	replay: Replay,
	sessions: Sessions,
	report: Report,
} as const;

/** A saved file has only the data of one session. */
const SERVER_PAGES: ReadonlySet<string> = new Set(["replay", "sessions", "report"]);

interface Launch {
	readonly version: string;
	readonly unmasked: boolean;
	readonly projects: readonly (ProjectName & { readonly token?: string })[];
	readonly sessions: readonly MenuSession[];
}

export function Frame(): JSX.Element | null {
	const address = useAddress();
	const [launch, setLaunch] = useState<Launch | undefined>();
	const [problem, setProblem] = useState<PageProblem | undefined>();
	useEffect(() => {
		if (savedFile) {
			const { version, unmasked, project, session } = savedFile;
			setLaunch({ version, unmasked, projects: [project], sessions: [{ session, host: "", title: null, last: 0 }] });
			return;
		}
		load<Launch>("/launch.json").then((loaded) => {
			rememberTokens(loaded.projects);
			setLaunch(loaded);
		}, setProblem);
	}, []);
	useEffect(() => {
		if (!launch || address.project !== "") return;
		const [own, other] = launch.projects;
		const newest = launch.sessions[0]?.session;
		// Who starts it in a folder without sessions wants to see those of the others.
		const start =
			newest === undefined && other
				? { project: other.key, session: "-", page: "report" }
				: { project: own?.key ?? "", session: newest ?? "-", page: "now" };
		go(href({ ...start, fresh: true }), { replace: true });
	}, [launch, address.project]);
	useEffect(() => followLog(address.project), [address.project]);
	useTheme(address);
	if (problem) return <Trouble problem={problem} />;
	if (!launch || address.project === "") return null;
	return <Inside address={address} launch={launch} />;
}

function Inside({ address, launch }: { address: PageAddress; launch: Launch }): JSX.Element {
	const [palette, setPalette] = useState(false);
	const [shortcuts, setShortcuts] = useState(false);
	const openPalette = useCallback(() => setPalette(true), []);
	const openShortcuts = useCallback(() => setShortcuts(true), []);
	useShortcuts({ openPalette, openShortcuts });
	const [isReady, setReady] = useState(!FIRST_PAGES.has(address.page));
	const onReady = useCallback(() => setReady(true), []);
	const mayAsk = isReady || !FIRST_PAGES.has(address.page);
	const vitals = usePageData<Vitals>(mayAsk ? dataPath("vitals", { window: address.query["window"] }) : undefined);
	const { name: shown, title } = PAGES.find(({ name }) => name === address.page) ?? PAGES[0];
	const Page = VIEWS[shown];
	const project = launch.projects.find(({ key }) => key === address.project);
	useEffect(() => {
		document.title = `${title} · ${project?.name ?? ""} · weft`;
	}, [title, project?.name]);
	useEffect(() => {
		// On a narrow screen the list of pages is a row that scrolls.
		document.querySelector(".rail [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
	}, [shown]);
	const isEmpty = vitals.problem?.code === "not-found" && !SERVER_PAGES.has(address.page);
	return (
		<div class="frame">
			{/* Seen once Tab reaches it. */}
			<button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("main")?.focus()}>
				Skip to the page
			</button>
			<Top
				address={address}
				launch={launch}
				vitals={vitals.data}
				openPalette={openPalette}
				openShortcuts={openShortcuts}
			/>
			<VitalsRow vitals={vitals.data} isSlow={vitals.slow} />
			<nav class="rail" aria-label="Pages">
				{PAGES.filter(({ name }) => !savedFile || !SERVER_PAGES.has(name)).map(({ name, title, key }) => (
					<a key={name} href={href({ page: name, fresh: true })} aria-current={name === shown ? "page" : undefined}>
						{title}
						<span class="key" aria-hidden="true">
							g {key}
						</span>
					</a>
				))}
				<Foot address={address} launch={launch} vitals={vitals.data} root={project?.root ?? ""} />
			</nav>
			<main key={shown} tabIndex={-1}>
				<Banner vitals={vitals.data} />
				{isEmpty ? (
					<Empty launch={launch} root={project?.root ?? ""} address={address} />
				) : (
					<Page address={address} vitals={vitals.data} onReady={onReady} />
				)}
			</main>
			{palette && <Palette close={() => setPalette(false)} openShortcuts={openShortcuts} />}
			{shortcuts && <ShortcutList close={() => setShortcuts(false)} />}
			{address.query["peek"] !== undefined && <Peek of={address.query["peek"]} />}
		</div>
	);
}

function Top({
	address,
	launch,
	vitals,
	openPalette,
	openShortcuts,
}: DialogOpeners & {
	address: PageAddress;
	launch: Launch;
	vitals: Vitals | undefined;
}): JSX.Element {
	const project = launch.projects.find(({ key }) => key === address.project);
	const sessions = useMenuSessions(address.project) ?? launch.sessions;
	// An address may have the beginning of an id, or `-` for the newest session.
	const current = vitals?.session ?? address.session;
	const listed = sessions.some(({ session }) => session === current)
		? sessions
		: [{ session: current, host: vitals?.host ?? "", title: null, last: 0 }, ...sessions];
	const theme = currentTheme(address);
	return (
		<header class="top">
			<a class="brand" href={href({ page: "now", fresh: true })}>
				weft
			</a>
			<span class="crumb">
				<span class="project hide-m">
					<Text>{project?.name ?? ""}</Text> /
				</span>
				<select
					aria-label="Session"
					value={current}
					onChange={(event) => go(href({ session: event.currentTarget.value, page: "now", fresh: true }))}
				>
					{listed.map((listing) => (
						<option key={listing.session} value={listing.session} title={listing.session}>
							{nameOfSession(listing)}
						</option>
					))}
				</select>
				<span class="mid hide-m">
					{vitals
						? vitals.isHosts
							? `${vitals.host}, without weft`
							: `${vitals.host}, ${vitals.mode}, ${vitals.profile}, seal ${vitals.seal}`
						: ""}
				</span>
			</span>
			{launch.unmasked && <span class="warn-mark">unmasked</span>}
			{savedFile ? (
				<span class="live push-r">saved {clock(savedFile.made)}</span>
			) : (
				<>
					<button type="button" class="search" aria-label="Search handles, files, text" onClick={openPalette}>
						<span>Search handles, files, text</span>
						<kbd>/</kbd>
					</button>
					<Activity vitals={vitals} />
				</>
			)}
			<button type="button" aria-label="Switch between light and dark" onClick={() => switchTheme(theme)}>
				{theme === "dark" ? "Light" : "Dark"}
			</button>
			<button type="button" class="hide-s" aria-label="Keyboard shortcuts" onClick={openShortcuts}>
				?
			</button>
		</header>
	);
}

/** A session that did something this recently may still be at work: no event says that it has ended. */
const LIVE_MS = 600_000;

/** When the session was at work last, and whether it was imported. */
function Activity({ vitals }: { vitals: Vitals | undefined }): JSX.Element {
	const connected = useConnected();
	const now = useNow();
	const isLive = vitals !== undefined && now - vitals.lastActive < LIVE_MS;
	const title = isLive ? "events arrive as they are written" : "the time of the session's last event";
	const words = isLive ? "active" : vitals?.isImported ? "imported," : "last active";
	return (
		<span class="live" role="status" title={title}>
			<i class={!connected ? "dot off" : isLive ? "dot on" : "dot idle"} />
			<span>
				{!connected ? "stopped" : vitals && vitals.lastActive > 0 ? `${words} ${ago(vitals.lastActive, now)}` : ""}
			</span>
		</span>
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
				<b>{many(damaged, "event")} of this log cannot be read.</b> The rest is shown.{" "}
				<Copy text="weft repair">weft repair</Copy> looks for a copy; <code>weft verify</code> lists them.
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
					. Start one, or import sessions that you already have.
				</p>
				<p>
					<Copy text="pi install npm:weft-context">
						<code>pi install npm:weft-context</code>
					</Copy>
				</p>
				<p>
					<Copy text="weft import">
						<code>weft import</code>
					</Copy>{" "}
					finds the sessions that your agents have
				</p>
				{others.length > 0 && (
					<p class="dim">
						Other projects have logs:{" "}
						<a class="b" href={href({ page: "sessions", set: { scope: "all" } })}>
							show all sessions
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
