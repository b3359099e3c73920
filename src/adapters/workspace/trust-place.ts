import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkoutName, ledgerFile } from "./ledger-file.ts";

/**
 * Whose trust a checkout has. Only a worktree that its repository lists, and whose entry there leads back to it, shares
 * that of the main checkout: whoever follows a `.git` file has made sure of both, and faults on a crafted one.
 */
export function trustPlaceOf(root: string): { root: string; main: string; repository: string } {
  const own = fs.realpathSync.native(root);
  if (!fs.existsSync(join(root, ".git"))) return { root: own, main: own, repository: "" };
  const repository = fs.realpathSync.native(dirname(dirname(ledgerFile(root))));
  const isWorktree = checkoutName(root) !== "main";
  // The folder of a bare repository is nobody's checkout, and is as good a name as any for what its worktrees share.
  const shared = basename(repository) === ".git" ? dirname(repository) : repository;
  return { root: own, main: isWorktree ? shared : own, repository };
}
