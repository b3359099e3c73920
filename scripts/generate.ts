/**
 * Writes the generated files: tool surface, reference pages and plugin. `--check` lists stale files and fails instead.
 */
import fs from "node:fs";
import { dirname } from "node:path";
import { pluginFiles } from "./plugin-files.ts";
import { readmeFile } from "./readme.ts";
import { referencePages } from "./reference-pages.ts";
import { surfaceFiles } from "./surface-files.ts";

const isCheck = process.argv.includes("--check");
const files = { ...(await surfaceFiles()), ...(await referencePages()), ...pluginFiles(), ...readmeFile() };
const folders = ["assets/surface", "docs/reference", "plugin"];
const present = folders.flatMap((folder) =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name}`)
    : [],
);
const stale = [
  ...Object.entries(files)
    .filter(([path, text]) => !fs.existsSync(path) || fs.readFileSync(path, "utf8") !== text)
    .map(([path]) => path),
  ...present.filter((path) => !(path in files)),
];

if (isCheck) {
  for (const path of stale) console.error(`${path} is out of date: npm run generate`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const path of stale) {
    const text = files[path];
    if (text === undefined) {
      fs.rmSync(path);
      continue;
    }
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
  }
  console.log(`${Object.keys(files).length} generated files, ${stale.length} changed`);
}
