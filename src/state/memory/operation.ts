/** Plans operations on the bullets of a file. Refuses to change the user's bullets and to bring back forgotten ones. */
import type { Payload } from "../../log/event/types.ts";
import { bulletId, cleanText, keyOfText } from "./document.ts";
import { type MemoryFileKind, specOf } from "./section.ts";
import type { MemoryStore } from "./store.ts";

/** As the event holds it. */
export type StoredOp = Payload<"MemoryWrite">["ops"][number];

export interface CurrentBullet {
	readonly id: string;
	readonly section: string;
	readonly text: string;
	/** user, state, import, or a model. */
	readonly by: string;
	/** On probation until then, ms. */
	readonly until: number | null;
	/** When it came. null: now. */
	readonly ts: number | null;
}

interface OpAuthor {
	/** user, state, import, or the model as provider/id. */
	readonly by: string;
	/** Handle of its source. */
	readonly source?: string | undefined;
	readonly reason?: string | undefined;
}

export type MemoryOp =
	| (OpAuthor & {
			readonly op: "add";
			readonly section: string;
			readonly text: string;
			readonly origin?: string | undefined;
			readonly until?: number | undefined;
	  })
	| (OpAuthor & { readonly op: "supersede"; readonly replaces: string; readonly text: string })
	| (OpAuthor & { readonly op: "invalidate"; readonly id: string; readonly isForgotten?: boolean | undefined })
	| (OpAuthor & { readonly op: "confirm"; readonly id: string });

export interface RefusedOp {
	readonly op: MemoryOp;
	readonly why: string;
}

export interface OpPlanOptions {
	readonly kind: MemoryFileKind;
	readonly file: string;
	readonly store: MemoryStore;
	/** Keys of texts that the user has just removed. */
	readonly forgotten: ReadonlySet<string>;
	/** Ids that are in use. */
	readonly taken: ReadonlySet<string>;
}

export interface PlannedOps {
	readonly ops: readonly StoredOp[];
	readonly refused: readonly RefusedOp[];
}

/** One write may not drop a larger share of a file. */
const MAX_DROPPED = 0.6;
const FEW_BULLETS = 5;

export function planOps(
	wanted: readonly MemoryOp[],
	current: readonly CurrentBullet[],
	options: OpPlanOptions,
): PlannedOps {
	const planning = new Planning(current, options);
	for (const op of wanted) planning.take(op);
	planning.keepWithinCaps();
	const dropped = planning.droppedShare();
	if (options.kind !== "session" && current.length >= FEW_BULLETS && dropped > MAX_DROPPED) {
		const why = `it would drop ${Math.round(dropped * 100)} % of the file`;
		const isUsers = (op: MemoryOp) => op.by === "user";
		const others = wanted.filter((op) => !isUsers(op));
		if (others.length > 0) {
			const kept = planOps(wanted.filter(isUsers), current, options);
			return { ops: kept.ops, refused: [...kept.refused, ...others.map((op) => ({ op, why }))] };
		}
	}
	return { ops: planning.ops, refused: planning.refused };
}

class Planning {
	readonly ops: StoredOp[] = [];
	readonly refused: RefusedOp[] = [];
	readonly #options: OpPlanOptions;
	readonly #before: readonly CurrentBullet[];
	readonly #taken: Set<string>;
	/** In the order of the file. */
	#current: readonly CurrentBullet[];

	constructor(current: readonly CurrentBullet[], options: OpPlanOptions) {
		this.#before = current;
		this.#current = current;
		this.#options = options;
		this.#taken = new Set(options.taken);
	}

	take(op: MemoryOp): void {
		const why = this.#apply(op);
		if (why !== undefined) this.refused.push({ op, why });
	}

	/** Returns why an operation is refused. */
	#apply(op: MemoryOp): string | undefined {
		switch (op.op) {
			case "add":
				return this.#add(op);
			case "supersede":
				return this.#supersede(op);
			case "invalidate":
				return this.#invalidate(op);
			case "confirm": {
				const known = this.#find(op.id);
				if (!known) return "there is no such bullet";
				if (known.until === null) return "it is not on probation";
				const { op: _, id, ...told } = op;
				this.ops.push({ op: "confirm", id, section: known.section, ...defined(told) });
				this.#current = this.#current.map((each) => (each.id === id ? { ...each, until: null } : each));
				return undefined;
			}
		}
	}

	#add({ op: _, section, text: given, until, ...told }: Extract<MemoryOp, { op: "add" }>): string | undefined {
		const { kind } = this.#options;
		const spec = specOf(kind, section);
		if (!spec) return `there is no section ${section} in this file`;
		const text = cleanText(given, spec.chars);
		if (text === "") return "it says nothing";
		const known = this.#same(text, section);
		if (known) {
			if (known.until !== null && until === undefined) return this.#apply({ op: "confirm", id: known.id, by: told.by });
			return "it is there already";
		}
		if (told.by !== "user" && this.#isForgotten(text)) return "it was forgotten";
		// An import must not push anything out.
		if (told.by === "import" && this.#current.filter((each) => each.section === section).length >= spec.most)
			return `${section} is full: it holds ${spec.most}`;
		const id = this.#name(text);
		this.ops.push({ op: "add", id, section, text, ...defined({ ...told, until }) });
		this.#current = [...this.#current, { id, section, text, by: told.by, until: until ?? null, ts: null }];
		return undefined;
	}

	#supersede({ op: _, replaces, text: given, ...told }: Extract<MemoryOp, { op: "supersede" }>): string | undefined {
		const known = this.#find(replaces);
		if (!known) return "there is no such bullet";
		if (known.by === "user" && told.by !== "user") return "the user wrote it";
		const text = cleanText(given, specOf(this.#options.kind, known.section)?.chars ?? 500);
		if (text === "") return "it says nothing";
		const same = this.#same(text, known.section);
		if (same) return same.id === replaces ? "it says the same" : "it is there already";
		if (told.by !== "user" && this.#isForgotten(text)) return "it was forgotten";
		const id = this.#name(text);
		const { section } = known;
		this.ops.push({ op: "supersede", id, section, text, replaces, ...defined(told) });
		const next = { id, section, text, by: told.by, until: null, ts: null };
		this.#current = this.#current.map((each) => (each.id === replaces ? next : each));
		return undefined;
	}

	#invalidate({ op: _, id, ...told }: Extract<MemoryOp, { op: "invalidate" }>): string | undefined {
		const known = this.#find(id);
		if (!known) return "there is no such bullet";
		if (known.by === "user" && told.by !== "user") return "the user wrote it";
		const own = this.ops.findIndex((each) => each.id === id && each.op === "add");
		if (own === -1) this.ops.push({ op: "invalidate", id, section: known.section, ...defined(told) });
		else this.ops.splice(own, 1);
		this.#current = this.#current.filter((each) => each.id !== id);
		return undefined;
	}

	/** Removes the oldest bullets of a full section, never the user's. */
	keepWithinCaps(): void {
		const { kind } = this.#options;
		for (const [section, bullets] of Map.groupBy(this.#current, (each) => each.section)) {
			const most = specOf(kind, section)?.most ?? Number.POSITIVE_INFINITY;
			const ours = bullets.filter(({ by }) => by !== "user");
			const over = Math.min(ours.length, bullets.length - most);
			for (const { id } of ours.slice(0, Math.max(0, over))) {
				this.#apply({ op: "invalidate", id, by: "state", reason: "the section is full" });
			}
		}
	}

	/** The share of characters that would be lost. */
	droppedShare(): number {
		const size = (bullets: readonly CurrentBullet[]) => bullets.reduce((sum, { text }) => sum + text.length, 0);
		const before = size(this.#before);
		const kept = new Set(this.#current.map(({ id }) => id));
		const replacements = new Set(
			this.ops.flatMap(({ op, replaces }) => (op === "supersede" && replaces ? [replaces] : [])),
		);
		const dropped = this.#before.filter(({ id }) => !kept.has(id) && !replacements.has(id));
		return before === 0 ? 0 : size(dropped) / before;
	}

	#isForgotten(text: string): boolean {
		const { file, store, forgotten } = this.#options;
		return forgotten.has(keyOfText(text)) || store.isForgotten(file, text);
	}

	#find(id: string): CurrentBullet | undefined {
		return this.#current.find((each) => each.id === id);
	}

	/** A file states a fact once. In SESSION.md a request may also be a constraint. */
	#same(text: string, section: string): CurrentBullet | undefined {
		const key = keyOfText(text);
		const isThere = (each: CurrentBullet) => this.#options.kind !== "session" || each.section === section;
		return this.#current.find((each) => isThere(each) && keyOfText(each.text) === key);
	}

	#name(text: string): string {
		const { file, store } = this.#options;
		for (let nth = 0; ; nth++) {
			const id = bulletId(file, text, nth);
			const isFree = !this.#taken.has(id) || !this.#current.some((each) => each.id === id);
			if (isFree && !store.isTaken(id, text)) {
				this.#taken.add(id);
				return id;
			}
		}
	}
}

function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
		[Key in keyof Fields]: Exclude<Fields[Key], undefined>;
	};
}
