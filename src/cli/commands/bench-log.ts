import { EngineError } from "../../error/engine-error.ts";
import type { Context } from "../context.ts";

export async function run(_context: Context): Promise<void> {
	throw new EngineError("not-found", "The benchmark is not part of this build.");
}
