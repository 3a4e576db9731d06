/** A machine of a fleet: a data home and a log of its own, and what its agent does there. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fleetKey } from "../../src/fleet/chain.ts";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { readExcludes } from "../../src/fleet/exclude.ts";
import { exactMasker, secretMasker } from "../../src/fleet/masker.ts";
import { namesIn } from "../../src/fleet/outgoing-names.ts";
import { type Shipment, type Shipped, ship } from "../../src/fleet/ship.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { originId } from "../../src/log/home.ts";
import { Log } from "../../src/log/log.ts";
import { withSummaries } from "../../src/state/history/searchable.ts";
import { searchable } from "../../src/state/session/searchable.ts";

export class Machine implements Disposable {
	readonly name: string;
	readonly home: string;
	readonly log: Log;

	constructor(name: string, home = mkdtempSync(join(tmpdir(), `weft-machine-${name}-`)), now: () => number = Date.now) {
		this.name = name;
		this.home = home;
		this.log = new Log({
			folder: join(home, "log"),
			origin: originId(home),
			searchable: withSummaries(searchable),
			now,
		});
	}

	/** Another machine, with a copy of this one's data folder. */
	copied(name: string): Machine {
		this.log.flush();
		const home = mkdtempSync(join(tmpdir(), `weft-machine-${name}-`));
		cpSync(this.home, home, { recursive: true });
		return new Machine(name, home);
	}

	/** A message and what follows from it. */
	say(session: string, entry: string, text: string, more: readonly NewEvent[] = []): void {
		const raw = JSON.stringify({
			type: "message",
			id: entry,
			message: { role: "user", content: [{ type: "text", text }] },
		});
		const base = { session, host: "pi", ts: Date.now() };
		this.log.append([
			{ ...base, type: "Message", entry, raw, payload: { role: "user", form: "pi" } },
			{ ...base, type: "UserIntent", entry, cause: { message: entry }, payload: { text: text.slice(0, 100) } },
			...more,
		]);
	}

	shipment(project: string, more: Partial<Shipment> = {}): Shipment {
		const { log, name } = this;
		const blob = (hash: string) => log.getBlob(hash);
		return {
			log,
			project,
			machine: name,
			person: `user of ${name}`,
			key: fleetKey(this.home),
			mask: secretMasker(blob, fleetKey(this.home), namesIn(log)),
			excludes: readExcludes([], new Set()),
			searchable: withSummaries(searchable),
			...more,
		};
	}

	/** As `fleet.mask` exact. */
	exact(): Pick<Shipment, "mask"> {
		return { mask: exactMasker((hash) => this.log.getBlob(hash)) };
	}

	ship(connection: FleetConnection, project: string, more: Partial<Shipment> = {}): Promise<Shipped> {
		return ship(connection, this.shipment(project, more));
	}

	[Symbol.dispose](): void {
		this.log.close();
		rmSync(this.home, { recursive: true, force: true });
	}
}
