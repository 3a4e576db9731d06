export interface BenchStyle {
	readonly width: number | undefined;
	dim(text: string): string;
}

export interface BenchResult {
	/** For `--json`; where it has ratios, `within` is true if all are within their bounds. */
	readonly report: object;
	lines(style: BenchStyle): Iterable<string>;
	/** For a person, on stderr. */
	readonly remark?: string | undefined;
}
