/**
 * Writes the generated files: tool surface, reference pages, man page, plugin and stack profiles. `--check` lists stale files and fails instead.
 */
import fs from "node:fs";
import { dirname } from "node:path";
import { createProfileFile } from "./profile-file.ts";
import { createRoleFiles } from "./role-files.ts";

const isCheckOnly = process.argv.includes("--check");
const roleFiles = createRoleFiles();
// The other generators import the facts of the roles.
if (!isCheckOnly) for (const [path, text] of Object.entries(roleFiles)) fs.writeFileSync(path, text);
const { createClientTable } = await import("./client-table.ts");
const { createManPage } = await import("./man-page.ts");
const { createPluginFiles } = await import("./plugin-files.ts");
const { createPromisesPage } = await import("./promises-page.ts");
const { createReadmeFile } = await import("./readme.ts");
const { createReferencePages } = await import("./reference-pages.ts");
const { createRecordShapes } = await import("./record-shapes.ts");
const { createSha256Module } = await import("./sha256-module.ts");
const { createSurfaceFiles } = await import("./surface-files.ts");
const generatedFiles: Readonly<Record<string, string>> = {
  ...roleFiles,
  ...(await createSurfaceFiles()),
  ...(await createReferencePages()),
  ...createManPage(),
  ...createPluginFiles(),
  ...createPromisesPage(),
  ...createReadmeFile(),
  ...createClientTable(),
  ...createProfileFile(),
  ...createRecordShapes(),
  ...createSha256Module(),
};
const generatedFolders = ["assets/surface", "docs/reference", "man", "plugin"];
const presentFiles = generatedFolders.flatMap((folder) =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name}`)
    : [],
);
const staleFiles = [
  ...Object.entries(generatedFiles)
    .filter(([path, text]) => !fs.existsSync(path) || fs.readFileSync(path, "utf8") !== text)
    .map(([path]) => path),
  ...presentFiles.filter((path) => !(path in generatedFiles)),
];

if (isCheckOnly) {
  for (const path of staleFiles) console.error(`${path} is out of date: npm run generate`);
  process.exitCode = staleFiles.length > 0 ? 1 : 0;
} else {
  for (const path of staleFiles) {
    const text = generatedFiles[path];
    if (text === undefined) {
      fs.rmSync(path);
      continue;
    }
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
  }
  console.log(`${Object.keys(generatedFiles).length} generated files, ${staleFiles.length} changed`);
}
