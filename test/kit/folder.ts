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

/** An empty git repository. */
export function temporaryRepository(): TemporaryFolder {
  const folder = temporaryFolder();
  git(folder.path, "init", "--quiet", "--initial-branch=main");
  git(folder.path, "config", "user.name", "Tester");
  git(folder.path, "config", "user.email", "tester@example.com");
  return folder;
}

export function git(cwd: string, ...words: string[]): string {
  return execFileSync("git", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
