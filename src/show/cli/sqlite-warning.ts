interface Warner {
	emitWarning: typeof process.emitWarning;
}

/** Silences Node 22's warning that its SQLite is experimental: the user can do nothing about it. */
export function silenceSqliteWarning(target: Warner): void {
	const emit = target.emitWarning.bind(target) as (...args: unknown[]) => void;
	target.emitWarning = (...args: unknown[]): void => {
		const [warning, kind] = args;
		if (kind === "ExperimentalWarning" && String(warning).startsWith("SQLite ")) return;
		emit(...args);
	};
}
