/** A proxy for one agent, with its log. */
import { once } from "../../base/text/memo.ts";
import { faultOf } from "../live/door.ts";
import { LiveSessionFiles } from "../live/live-session-files.ts";
import { watchingPort } from "../port.ts";
import type { SessionReader } from "../recorded/session-reader.ts";
import { AGENTS, type Proxied } from "./proxied-agents.ts";
import { type HandedConnections, type RunningProxy, startProxy } from "./proxy.ts";
import { SealWatch } from "./seal-watch.ts";
import { SelfCheck } from "./self-check.ts";
import type { Watch } from "./watch.ts";
import { WireRecorder } from "./wire-recorder.ts";

export interface ServeProxyOptions {
	/** Readers of the session files. */
	readonly readers: readonly SessionReader[];
	readonly agent: Proxied;
	/** By default the agent's own provider. */
	readonly upstream?: string | undefined;
	readonly port?: number | undefined;
	/** In place of a port of our own. */
	readonly handed?: HandedConnections | undefined;
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	readonly home?: string | undefined;
	readonly threshold?: number | undefined;
	/** Tokens of the model's window, for the rule of seals. */
	readonly window?: number | undefined;
	/** True: answer nothing and raise no usage. */
	readonly recordOnly?: boolean | undefined;
	/** For an unknown agent: true bounds its requests. */
	readonly rewrite?: boolean | undefined;
	readonly now?: (() => number) | undefined;
	/** Gets each notice once. */
	readonly onNotice: (notice: string) => void;
}

export interface ServedProxy extends RunningProxy {
	/** Resolves when everything that has passed is in the log. */
	settle(): Promise<void>;
}

export async function serveProxy(options: ServeProxyOptions): Promise<ServedProxy> {
	const { agent, env, cwd, home, port, handed } = options;
	const facts = AGENTS[agent];
	const notify = once(options.onNotice);
	const files = new LiveSessionFiles({
		readers: options.readers,
		env,
		cwd,
		home,
		port: watchingPort("proxy", "The agent"),
		warn: notify,
		onTrouble: (_path, error) => notify(error.message),
	});
	const onFail = (where: string, error: unknown) => {
		const fault = faultOf(`proxy ${where}`, error);
		notify(`${fault.message} The agent's requests pass as they are (${fault.where}).`);
		try {
			files.engineFor(cwd)?.record([{ type: "Fault", session: "-", payload: fault }]);
		} catch {
			// The log itself may have failed.
		}
	};
	const upstream = options.upstream ?? facts.upstream(env);
	const watch =
		agent === "other"
			? recorder(options, files, onFail)
			: new SealWatch({
					wires: facts.wires,
					files,
					threshold: options.threshold ?? facts.threshold(env),
					reserve: facts.reserve,
					window: options.window,
					isLocal: isLoopback(upstream),
					check: new SelfCheck(facts.tested),
					recordOnly: options.recordOnly,
					now: options.now,
					onPassed: ({ version }) =>
						notify(
							`Version ${version} was not tested with weft. Its requests look as expected, so seals are made for it too.`,
						),
					onFail,
				});
	const proxy = await startProxy({ upstream, port, handed, secret: env["WEFT_PROXY_SECRET"] || undefined, watch, env });
	return {
		...proxy,
		settle: async () => watch.settle?.(),
		close: async () => {
			await proxy.close();
			await watch.settle?.();
			await files.close();
		},
	};
}

function recorder({ cwd, window, rewrite }: ServeProxyOptions, files: LiveSessionFiles, onFail: Watch["fail"]): Watch {
	return new WireRecorder({ engine: () => files.engineFor(cwd), cwd, window, rewrite, onFail });
}

function isLoopback(address: string): boolean {
	return URL.canParse(address) && /^(?:localhost|127\..+|\[::1\])$/.test(new URL(address).hostname);
}
