import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";

/** A folder that is gone when its scope ends: `using folder = temporaryFolder()`. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

export function temporaryFolder(): TemporaryFolder {
  const path = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-test-")));
  return { path, [Symbol.dispose]: () => fs.rmSync(path, { recursive: true, force: true }) };
}

/** An empty git repository. Git runs once per process; every further repository is a copy. */
export function temporaryRepository(): TemporaryFolder {
  const folder = temporaryFolder();
  template ??= readTemplate();
  for (const [path, bytes] of template) {
    if (bytes === undefined) fs.mkdirSync(join(folder.path, path));
    else fs.writeFileSync(join(folder.path, path), bytes);
  }
  return folder;
}

/** The entries of an empty repository, parents first. Folders have no bytes. */
let template: ReadonlyMap<string, Buffer | undefined> | undefined;

function readTemplate(): ReadonlyMap<string, Buffer | undefined> {
  using folder = temporaryFolder();
  git(folder.path, "init", "--quiet", "--initial-branch=main");
  git(folder.path, "config", "user.name", "Tester");
  git(folder.path, "config", "user.email", "tester@example.com");
  const paths = fs.readdirSync(folder.path, { recursive: true, encoding: "utf8" }).toSorted();
  return new Map(
    paths
      .filter((path) => !path.endsWith(".sample"))
      .map((path) => {
        const place = join(folder.path, path);
        return [path, fs.statSync(place).isDirectory() ? undefined : fs.readFileSync(place)];
      }),
  );
}

export function git(cwd: string, ...words: string[]): string {
  return execFileSync("git", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
