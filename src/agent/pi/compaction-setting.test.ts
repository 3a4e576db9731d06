import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { CompactionSetting } from "./compaction-setting.ts";

test("Pi's compaction.enabled: the trusted project's file before the user's, read again when it changes", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-pi-settings-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const [users, projects] = [join(folder, "agent", "settings.json"), join(folder, "work", ".pi", "settings.json")];
	const put = (file: string, text: string) => {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	};
	const setting = new CompactionSetting();
	const places = { env: { PI_CODING_AGENT_DIR: dirname(users) }, cwd: join(folder, "work"), trusted: true };
	assert.equal(setting.isEnabled(places), true, "without any file");
	put(users, '{"compaction": {"enabled": false}}');
	assert.equal(setting.isEnabled(places), false);
	put(projects, '{"compaction": {"enabled": true, "reserveTokens": 1}}');
	assert.equal(setting.isEnabled(places), true);
	assert.equal(setting.isEnabled({ ...places, trusted: false }), false, "Pi ignores the file as well");
	put(projects, '{"compaction": {"reserveTokens": 10}}');
	assert.equal(setting.isEnabled(places), false);
	for (const odd of ["{", "[]", '{"compaction": "no"}', '{"compaction": {"enabled": 0}}']) {
		put(users, odd);
		assert.equal(setting.isEnabled(places), true, odd);
	}
});
