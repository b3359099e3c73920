import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TemporaryClone } from "../operations/ports/git-files.ts";
import { findGitSetting, openGitCommand } from "./git-command.ts";
import * as repositories from "./git-repository.ts";

const CLONE_TIMEOUT_MS = 600_000;

/** The runner finds leftovers of a killed process by this name. */
const makeTemporaryFolder = (): string => fs.mkdtempSync(join(fs.realpathSync(tmpdir()), `tenon-lent-${process.pid}-`));

const removeTemporaryFolder = (folder: string): void =>
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

/**
 * Shares the objects, which are named by their content, and nothing that can be edited. Git's own clone would open a
 * transport, which is off.
 */
export async function createTemporaryClone(session: repositories.GitSession, commit: string): Promise<TemporaryClone> {
  const { git, commonFolder, prefix } = await repositories.openGitRepository(session);
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new RangeError(`${commit} is not a commit.`);
  const folder = makeTemporaryFolder();
  try {
    const top = join(folder, "clone");
    fs.mkdirSync(top);
    const what = "The commit cannot be checked out into a clean clone.";
    const own = await openGitCommand(folder, session.environment);
    const format = findGitSetting(git.listing, "extensions.objectFormat") ?? "sha1";
    const init = ["init", "--quiet", "--template=", `--object-format=${format}`, "--initial-branch=clone", top];
    await repositories.runGitOrFault(own, what, init);
    fs.mkdirSync(join(top, ".git", "objects", "info"), { recursive: true });
    fs.writeFileSync(join(top, ".git", "objects", "info", "alternates"), `${join(commonFolder, "objects")}\n`);
    const shallow = join(commonFolder, "shallow");
    if (fs.existsSync(shallow)) fs.copyFileSync(shallow, join(top, ".git", "shallow"));
    // Opened after the repository exists, so that its settings are those of the clone.
    const clone = await openGitCommand(top, session.environment);
    const longestWaitMs = CLONE_TIMEOUT_MS;
    for (const words of [
      ["update-ref", "--no-deref", "HEAD", commit],
      ["reset", "--quiet", "--hard", commit],
    ])
      await repositories.runGitOrFault(clone, what, words, { longestWaitMs });
    const root = join(top, prefix).replace(/\/$/, "");
    fs.mkdirSync(root, { recursive: true });
    return { root, [Symbol.asyncDispose]: async () => removeTemporaryFolder(folder) };
  } catch (error) {
    removeTemporaryFolder(folder);
    throw error;
  }
}
