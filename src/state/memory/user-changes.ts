/** Finds what the user did to a memory file since weft wrote it: compares its bullets with those that the log knows. */
import { cutStart } from "../../base/text/cut.ts";
import { type Bullet, bulletId, bulletsOf, type MemoryDocument } from "./document.ts";
import type { CurrentBullet, StoredOp } from "./operation.ts";
import type { KnownBullet, MemoryStore } from "./store.ts";

const MAX_USER_CHARS = 8_000;

/** A file as it is on disk, beside what the log says of it. */
export interface FileSnapshot {
	readonly document: MemoryDocument;
	/** Bullets of the revision that the file names. */
	readonly known: readonly KnownBullet[];
	/** Bullets of the newest revision: its write may not have reached the disk. */
	readonly live: readonly KnownBullet[];
}

export interface UserChanges {
	readonly ops: readonly StoredOp[];
	/** The file's bullets, with the user's changes in them. */
	readonly current: readonly CurrentBullet[];
	/** The file's bullet for each current id; none: the bullet is not in the file yet. */
	readonly places: ReadonlyMap<string, Bullet>;
	/** Texts that the user removed. */
	readonly forgotten: readonly string[];
	/** Bullets of the file that the log has removed since. */
	readonly gone: readonly Bullet[];
	/** Bullets that the user wrote or changed, with their new ids. */
	readonly renamed: ReadonlyMap<Bullet, string>;
}

export function findUserChanges(snapshot: FileSnapshot, file: string, store: MemoryStore): UserChanges {
	const comparison = new BulletComparison(snapshot, file, store);
	for (const { section, bullet } of bulletsOf(snapshot.document)) {
		if (bullet.text !== "") comparison.compare(section, bullet);
	}
	comparison.forgetMissing();
	comparison.addUnwritten();
	return comparison;
}

class BulletComparison implements UserChanges {
	readonly ops: StoredOp[] = [];
	readonly current: CurrentBullet[] = [];
	readonly places = new Map<string, Bullet>();
	readonly forgotten: string[] = [];
	readonly gone: Bullet[] = [];
	readonly renamed = new Map<Bullet, string>();
	readonly #known: ReadonlyMap<string, KnownBullet>;
	readonly #live: ReadonlyMap<string, KnownBullet>;
	/** Ids of known bullets that are still in the file. */
	readonly #seen = new Set<string>();
	/** Ids of unwritten bullets that the user wrote: the file has them, without their ids. */
	readonly #adopted = new Set<string>();
	/** The log has them from a write that did not reach the file. */
	readonly #unwritten: readonly KnownBullet[];
	readonly #ids: NewIds;

	constructor({ known, live }: FileSnapshot, file: string, store: MemoryStore) {
		this.#known = new Map(known.map((each) => [each.id, each]));
		this.#live = new Map(live.map((each) => [each.id, each]));
		this.#unwritten = live.filter(({ id }) => !this.#known.has(id));
		this.#ids = new NewIds(file, store, [...this.#known.keys(), ...this.#live.keys()]);
	}

	compare(section: string, bullet: Bullet): void {
		const text = cutStart(bullet.text, MAX_USER_CHARS);
		// A copied line brings its id along: only the first with an id is the known bullet.
		const before = bullet.id === undefined || this.#seen.has(bullet.id) ? undefined : this.#known.get(bullet.id);
		if (before) this.#seen.add(before.id);
		if (before?.text === text) this.#keep(before, section, bullet);
		else if (!this.#adopt(bullet, text)) this.#takeIn(section, bullet, text, before?.id);
	}

	/** The user removed what is not in the file any more. */
	forgetMissing(): void {
		for (const { id, section, text } of this.#known.values()) {
			if (this.#seen.has(id) || !this.#live.has(id)) continue;
			this.ops.push({ op: "invalidate", id, section, by: "user", isForgotten: true });
			this.forgotten.push(text);
		}
	}

	addUnwritten(): void {
		for (const { id, section, text, by, until, ts } of this.#unwritten) {
			this.current.push({ id, section, text, by, until, ts });
		}
	}

	#keep(before: KnownBullet, section: string, bullet: Bullet): void {
		const { id, text, by, until, ts } = before;
		if (!this.#live.has(id)) {
			this.gone.push(bullet);
			return;
		}
		if (before.section !== section) this.ops.push({ op: "add", id, section, by, text });
		this.places.set(id, bullet);
		this.current.push({ id, section, text, by, until, ts });
	}

	/** True: the unwritten revision took in these words of the user already. */
	#adopt(bullet: Bullet, text: string): boolean {
		for (const { id, text: known, by } of this.#unwritten) {
			if (known !== text || by !== "user" || this.#adopted.has(id)) continue;
			this.#adopted.add(id);
			this.#name(bullet, id);
			return true;
		}
		return false;
	}

	#takeIn(section: string, bullet: Bullet, text: string, replaces: string | undefined): void {
		const id = this.#ids.next(text);
		const words = { id, section, by: "user", text } as const;
		this.ops.push(replaces === undefined ? { op: "add", ...words } : { op: "supersede", ...words, replaces });
		this.#name(bullet, id);
		this.current.push({ id, section, text, by: "user", until: null, ts: null });
	}

	#name(bullet: Bullet, id: string): void {
		this.renamed.set(bullet, id);
		this.places.set(id, bullet);
	}
}

/** Gives bullets ids that no other bullet has. */
class NewIds {
	readonly #file: string;
	readonly #store: MemoryStore;
	readonly #used: Set<string>;
	/** How many ids of a text were tried: a file may say the same thing ten thousand times. */
	readonly #tried = new Map<string, number>();

	constructor(file: string, store: MemoryStore, used: Iterable<string>) {
		this.#file = file;
		this.#store = store;
		this.#used = new Set(used);
	}

	next(text: string): string {
		for (let nth = this.#tried.get(text) ?? 0; ; nth++) {
			const id = bulletId(this.#file, text, nth);
			if (this.#used.has(id) || this.#store.isTaken(id, text)) continue;
			this.#used.add(id);
			this.#tried.set(text, nth + 1);
			return id;
		}
	}
}
