import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { readCheckoutName, locateLedgerFile } from "./git-checkout.ts";

/** A worktree shares the trust of the main checkout only if each points to the other; a crafted `.git` throws. */
export function locateTrust(root: string): { root: string; main: string; repository: string } {
  const own = fs.realpathSync.native(root);
  if (!fs.existsSync(join(root, ".git"))) return { root: own, main: own, repository: "" };
  const repository = fs.realpathSync.native(dirname(dirname(locateLedgerFile(root))));
  const isWorktree = readCheckoutName(root) !== "main";
  // A bare repository has no main checkout, so its folder identifies the trust its worktrees share.
  const shared = basename(repository) === ".git" ? dirname(repository) : repository;
  return { root: own, main: isWorktree ? shared : own, repository };
}
