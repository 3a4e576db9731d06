import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { connectFleet } from "../../../fleet/connection.ts";
import { describePlace, findFleetSessions } from "../../../fleet/find-session.ts";
import { addMember, migrateFleet, removeMember } from "../../../fleet/migrate.ts";
import { fleetPlace } from "../../../fleet/place.ts";
import { checkOwner, countOlder, forgetInFleet, pruneFleet } from "../../../fleet/removal.ts";
import { showAddress } from "../../../settings/fleet-address.ts";
import { DRY_RUN } from "../../../view/pruning.ts";
import type { CommandModule } from "../frame.ts";
import { askedProject } from "../open-fleet.ts";

export const fleetForgetCommand: CommandModule<"fleet forget"> = {
	async run({ engine, connection, args: [start = ""], options }) {
		const { all, yes, machine, person, role, log } = options;
		await checkOwner(connection);
		const project = await askedProject(engine, all);
		const found = await findFleetSessions(connection, start, { project, machine, person, role, log });
		const { session } = found[0];
		const logs = [...new Set(found.map((each) => each.log))];
		const counted = found.reduce((sum, { events }) => sum + events, 0);
		const events = yes ? await forgetInFleet(connection, session, logs) : counted;
		const of = `${plural(events, "event")} of session ${oneLine(session)}`;
		return {
			data: { session, events, applied: yes, of: found },
			lines: () => [
				yes ? `Removed ${of}. The machine's own log is unchanged.` : `Would remove ${of}:`,
				...found.map((each) => `  ${plural(each.events, "event")} by ${oneLine(describePlace(each))}`),
			],
			remarks: yes ? [] : [DRY_RUN],
		};
	},
};

export const fleetPruneCommand: CommandModule<"fleet prune"> = {
	check({ options }) {
		endedBefore(options);
	},
	async run({ connection, options }) {
		const { yes } = options;
		const before = endedBefore(options);
		await checkOwner(connection);
		const events = yes ? await pruneFleet(connection, before) : await countOlder(connection, before);
		const of = `${plural(events, "event")} of sessions that ended before ${new Date(before).toISOString().slice(0, 10)}`;
		return {
			data: { before, events, applied: yes },
			lines: () => [yes ? `Removed ${of}.` : `Would remove about ${of}.`],
			remarks: yes ? [] : [DRY_RUN],
		};
	},
};

function endedBefore({ before }: { readonly before: number | undefined }): number {
	if (before !== undefined) return before;
	throw new EngineError("usage", "Say how old: weft fleet prune --before 90d.");
}

export const fleetMigrateCommand: CommandModule<"fleet migrate"> = {
	async run({ context }) {
		const { address } = fleetPlace(context.readSettings(), context.env);
		await using connection = await connectFleet(address);
		const { from, to } = await migrateFleet(connection);
		const server = showAddress(address);
		return {
			data: { from, to },
			lines: () => [from === to ? `${server} already has schema ${to}` : `${server}: schema ${from} → ${to}`],
		};
	},
};

export const fleetMemberCommand: CommandModule<"fleet member"> = {
	check({ options: { team, remove } }) {
		if (!remove && (team === undefined || team.trim() === ""))
			throw new EngineError("usage", "Say which team: weft fleet member ROLE --team TEAM.");
	},
	async run({ context, args: [role = ""], options }) {
		const { team = "", owner: isOwner, remove } = options;
		const { address } = fleetPlace(context.readSettings(), context.env);
		await using connection = await connectFleet(address);
		if (remove) {
			await removeMember(connection, role);
			return { data: { role, team: null, isOwner: false }, lines: () => [`${role} is in no team any more.`] };
		}
		await addMember(connection, { role, team, isOwner });
		const rank = isOwner ? "an owner" : "a member";
		return {
			data: { role, team, isOwner },
			lines: () => [
				`${role} is ${rank} of ${team}: it ships, reads what ${team} ships${isOwner ? ", and may remove it" : ""}`,
			],
		};
	},
};
