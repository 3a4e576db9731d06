/** Bundles the inspector's page into two files, `dist/show/inspector/page`. Part of `npm run build`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "../src/show/inspector/server/assets.ts";

const ROOT = join(import.meta.dirname, "..");
const folder = join(ROOT, "dist", "show", "inspector", "page");
const { script, style } = await buildAssets(join(ROOT, "src", "show", "inspector", "page"));
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "page.js"), script);
writeFileSync(join(folder, "page.css"), style);
