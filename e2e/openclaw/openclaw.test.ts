/** weft in the real OpenClaw. The order is that of the worth; what needs a restart comes last. */
import { after, before } from "node:test";
import { longTurns } from "./long-turns.ts";
import { resets } from "./resets.ts";
import { restarts } from "./restarts.ts";
import { sideBySide } from "./side-by-side.ts";
import { sixtyRequests } from "./sixty-requests.ts";
import { undelivered } from "./undelivered.ts";
import { World } from "./world.ts";

let world: World | undefined;
const here = (): World => world!;

before(async () => {
	world = await World.open();
});
after(async () => world?.close());

longTurns(here);
resets(here);
sixtyRequests(here);
undelivered(here);
sideBySide(here);
restarts(here);
