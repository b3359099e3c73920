import { isSourceFile, isTestFile } from "#code/model/scan/test-files.ts";
import { CHANGES_FOLDER, HISTORY_FOLDER, SPEC_FILE_FOLDER } from "#kernel/model/workspace-paths.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { Receipt } from "../../model/gate/receipt-chain.ts";
import type { CheckingEngine } from "../engine.ts";
import { loadReceiptChains } from "./receipt-files.ts";

export interface UncoveredCode {
  /** Undefined if the clone lacks the history. */
  readonly since?: string;
  readonly paths: readonly string[];
}

/** Code without an author, of work without a pass, or excluded. Undefined without workflows and changes. */
export async function findUncoveredCode(engine: CheckingEngine, asked?: string): Promise<UncoveredCode | undefined> {
  const { receipts, hasWork } = await engine.store.read((tree) => {
    const { chains } = loadReceiptChains(
      createTolerantTree(tree, () => undefined),
      engine,
    );
    const all = chains.flatMap(({ chain }) => chain.receipts.map(({ receipt }) => receipt));
    const folders = [SPEC_FILE_FOLDER, CHANGES_FOLDER, HISTORY_FOLDER];
    return { receipts: all, hasWork: folders.some((folder) => tree.names(folder).length > 0) };
  });
  if (receipts.length === 0 && !hasWork) return undefined;
  const stacks = (await engine.stacks.definitions())?.stacks ?? [];
  if (!(await engine.snapshots.isPossible()) || stacks.length === 0) return undefined;
  const since = await engine.source.forkPoint(asked);
  if (since === undefined) return undefined;
  if (since === "shallow") return { paths: [] };
  const tree = await engine.snapshots.sourceTree();
  const isCode = (path: string): boolean => isSourceFile(path, stacks) || isTestFile(path, stacks);
  const changed = (await engine.snapshots.between(since, tree)).filter(({ path }) => isCode(path));
  const covered = listCoveredBlobs(receipts, tree);
  if (covered === "all") return { since, paths: [] };
  return {
    since,
    paths: changed.filter(({ path, to }) => !covered.has(`${path} ${to?.blob}`)).map(({ path }) => path),
  };
}

/** Receipts of earlier releases name no files. Such a receipt covers all of its own tree. */
function listCoveredBlobs(receipts: readonly Receipt[], tree: string): ReadonlySet<string> | "all" {
  const isWhole = ({ work, checks, ...receipt }: Receipt): boolean =>
    work === undefined && receipt.tree === tree && checks.some(({ tests }) => tests !== undefined);
  if (receipts.some(isWhole)) return "all";
  return new Set(receipts.flatMap(({ work }) => work?.files.map(({ path, blob }) => `${path} ${blob}`) ?? []));
}
