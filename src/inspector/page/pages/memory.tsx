import type { JSX } from "preact";
import { Head } from "../parts.tsx";
import type { PageProps } from "./page.ts";

export function Memory(_props: PageProps): JSX.Element {
	return (
		<>
			<Head title="Memory" cli="weft memory" session={false} />
			<div class="sec">
				<p class="dim">Nothing is remembered yet.</p>
			</div>
		</>
	);
}
