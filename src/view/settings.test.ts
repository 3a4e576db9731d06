import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "../settings/resolve.ts";
import { renderSettings, viewSettings } from "./settings.ts";
import { PLAIN } from "./text-style.ts";

test("the settings and where they come from fit eighty columns, however long a value or a path is", () => {
	const place = `/home/somebody/${"a-long-folder/".repeat(12)}`;
	const resolved = readSettings({ env: {}, cwd: place, projectRoot: place, trusted: false });
	const view = viewSettings(resolved, place);
	const lines = renderSettings(view, { ...PLAIN, columns: 80 }, { origin: true });
	assert.deepEqual(
		lines.filter((line) => line.length > 80),
		[],
	);
	assert.ok(lines.some((line) => line.startsWith("compactionModels")));
});
