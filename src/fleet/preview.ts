/** Previews what a sync would ship and mask. Connects to no server and writes nothing. */

import { MASK } from "../base/text/mask.ts";
import type { Engine } from "../engine.ts";
import { readCheckpoint } from "../log/shipping-checkpoint.ts";
import { readBatch } from "./batch.ts";
import { privateSessions, readExcludes } from "./exclude.ts";
import type { OutgoingEvent } from "./masker.ts";
import { type FleetPlace, shippedName } from "./place.ts";
import { maskerOf } from "./sync.ts";
import type { FleetPreview, MaskedExample } from "./view/fleet-view.ts";

const MAX_EXAMPLES = 20;
const AROUND_CHARS = 30;

export async function previewSync(engine: Engine, place: FleetPlace): Promise<FleetPreview> {
	const project = await shippedName(engine);
	const { log, settings } = engine;
	const excludes = readExcludes(settings["fleet.exclude"], new Set(), privateSessions(log));
	const mask = maskerOf(engine, place);
	const sessions = new Map<string, { events: number; bytes: number }>();
	const examples: MaskedExample[] = [];
	const sum = { events: 0, bytes: 0, excluded: 0, masked: 0, blobs: 0 };
	let { seq } = readCheckpoint(log, place.target);
	for (let isLast = false; !isLast; ) {
		const batch = readBatch(log, seq, excludes);
		for (const leaving of await mask(batch.records)) {
			const bytes = Buffer.byteLength(leaving.text);
			const { session } = leaving.record;
			const known = sessions.get(session) ?? { events: 0, bytes: 0 };
			sessions.set(session, { events: known.events + 1, bytes: known.bytes + bytes });
			sum.events++;
			sum.bytes += bytes;
			sum.blobs += leaving.blobs.length;
			if (!leaving.isMasked) continue;
			sum.masked++;
			if (examples.length < MAX_EXAMPLES) examples.push(...exampleOf(leaving));
		}
		sum.excluded += batch.excluded;
		({ seq, isLast } = batch);
	}
	return {
		project,
		mask: settings["fleet.mask"],
		...sum,
		sessions: [...sessions].map(([session, each]) => ({ session, ...each })),
		examples,
	};
}

/** The first mask with a little text around it, as it would ship. */
function exampleOf({ record: { seq, type, session }, text }: OutgoingEvent): MaskedExample[] {
	const at = text.indexOf(MASK);
	if (at === -1) return [];
	const from = Math.max(0, at - AROUND_CHARS);
	return [{ seq, type, session, around: text.slice(from, at + MASK.length + AROUND_CHARS).toWellFormed() }];
}
