import fs from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";

/** What another tool left behind, in a repository of its own: `kiro`, `hoofy-1`. */
export function repositoryWith(...fixtures: readonly string[]): TemporaryFolder {
  const repository = temporaryRepository();
  for (const name of fixtures) fs.cpSync(`test/fixtures/import/${name}`, repository.path, { recursive: true });
  return repository;
}

/** Every file below a folder, with its bytes and when it was changed. */
export function takePicture(root: string, below: readonly string[]): Record<string, string> {
  const entries = below.flatMap((folder) =>
    fs.existsSync(join(root, folder))
      ? fs.readdirSync(join(root, folder), { recursive: true, withFileTypes: true, encoding: "utf8" })
      : [],
  );
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.toSorted().map((file) => {
      const { mtimeNs, ino } = fs.statSync(file, { bigint: true });
      return [file.slice(root.length + 1), `${mtimeNs} ${ino} ${fs.readFileSync(file, "base64")}`];
    }),
  );
}
