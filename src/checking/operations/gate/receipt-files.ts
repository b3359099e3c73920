import type * as z from "zod";
import { appendReceiptLine, readReceiptChain, type Receipt } from "../../model/gate/receipt-chain.ts";
import type { KnownReceipts } from "../../model/gate/receipt-verification.ts";
import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { type ChangeId, isChangeId } from "#kernel/model/stages/change-stages.ts";
import { isWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import {
  CHANGES_FOLDER,
  FEATURE_FOLDER,
  getChangeReceiptsPath,
  getFeatureReceiptsPath,
  getFeatureRecordPath,
  getReceiptPath,
  HISTORY_FOLDER,
  joinFolderPath,
  RECEIPT_FOLDER,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { LedgerEntry, LedgerSpace, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import type { CheckingEngine } from "../engine.ts";
import type { VerifyReceiptsOutput } from "./schema.ts";

type ReceiptEngine = Pick<CheckingEngine, "digest" | "checkout">;

/** Oldest first; they reveal a truncated file. The key is checkout and workflow: a worktree has its own files. */
const WRITTEN_RECEIPTS: LedgerSpace<{ readonly hashes: readonly string[] }> = { name: "receipt" };
const MAX_REMEMBERED_RECEIPTS = 1_000;

/** A change and a feature may have the same name. */
type ChangeReceiptId = `change:${ChangeId}`;
/** Workflow ids, feature names and these never collide. */
export type ReceiptChainId = WorkflowId | FeatureName | ChangeReceiptId;

export const FEATURE_GATE = "feature-gate";
export const CHANGE_GATE = "change-gate";

const isChangeReceiptId = (id: ReceiptChainId): id is ChangeReceiptId => id.startsWith("change:");
const getReceiptChangeId = (id: ChangeReceiptId): ChangeId => id.slice("change:".length) as ChangeId;

export function getReceiptFile(tree: StoreTree, id: ReceiptChainId): WorkspacePath {
  if (!isChangeReceiptId(id)) return isFeatureName(id) ? getFeatureReceiptsPath(id) : getReceiptPath(id);
  const archived = getChangeReceiptsPath(HISTORY_FOLDER, getReceiptChangeId(id));
  return tree.has(archived) ? archived : getChangeReceiptsPath(CHANGES_FOLDER, getReceiptChangeId(id));
}

/** Add both parts to the write that records the result. Throws if the chain was altered. */
export function planReceiptWrite(
  tree: StoreTree,
  { digest, checkout }: ReceiptEngine,
  said: Omit<Receipt, "id" | "workflow"> & { readonly workflow: ReceiptChainId },
): { readonly receipt: Receipt; readonly step: StoreStep; readonly keeping: LedgerEntry } {
  const path = getReceiptFile(tree, said.workflow);
  const file = tree.text(path) ?? "";
  const { receipts, problems } = readReceiptChain(file, digest, said.workflow);
  const [first] = problems;
  if (first)
    throw new Fault("receipt.broken", {
      what: `No receipt was added to ${path}.`,
      why: `Line ${first.line ?? 1}: ${first.problem}`,
      fix: [
        `Restore the committed version: git checkout -- ${path}`,
        `If there is none, remove it and run the gates again: rm ${path}`,
      ],
    });
  const receipt: Receipt = { id: `${said.workflow}.R-${receipts.length + 1}`, ...said };
  const { text, hash } = appendReceiptLine(file, receipt, digest);
  const key = `${checkout} ${said.workflow}`;
  const hashes = [...(tree.kept(WRITTEN_RECEIPTS).get(key)?.hashes ?? []), hash].slice(-MAX_REMEMBERED_RECEIPTS);
  return {
    receipt,
    step: { kind: "document", path, text },
    keeping: { space: WRITTEN_RECEIPTS.name, key, value: { hashes } },
  };
}

export function findLastReceipt(
  tree: StoreTree,
  { digest }: Pick<CheckingEngine, "digest">,
  id: WorkflowId,
  gate: string,
): string | undefined {
  const { receipts, problems } = readReceiptChain(tree.text(getReceiptFile(tree, id)) ?? "", digest, id);
  return problems.length > 0 ? undefined : receipts.findLast(({ receipt }) => receipt.gate === gate)?.receipt.id;
}

/** The newest receipt of the gate, if it lacks nothing but the user's approval and is for the same files. */
export function findUnapprovedReceipt(
  tree: StoreTree,
  { digest }: Pick<CheckingEngine, "digest">,
  { id, gate, files }: { readonly id: WorkflowId; readonly gate: string; readonly files: string | undefined },
): Receipt | undefined {
  const { receipts } = readReceiptChain(tree.text(getReceiptFile(tree, id)) ?? "", digest, id);
  const last = receipts.findLast(({ receipt }) => receipt.gate === gate)?.receipt;
  return last?.passed === false && last.tree === files ? last : undefined;
}

export type LoadedReceiptChain = Pick<KnownReceipts, "chain" | "lost"> & {
  readonly id: ReceiptChainId;
  readonly path: WorkspacePath;
  /** Hashes of receipts that another machine wrote, or somebody by hand. */
  readonly unwritten?: readonly string[];
};
export type StrayReceiptFile = z.infer<typeof VerifyReceiptsOutput>["strays"][number];

/** Includes workflows, changes and features whose receipts this checkout wrote and whose file is gone. */
export function loadReceiptChains(
  tree: StoreTree,
  { digest, checkout }: ReceiptEngine,
): { chains: LoadedReceiptChain[]; strays: StrayReceiptFile[] } {
  const names = tree.names(RECEIPT_FOLDER).filter((name) => !name.startsWith("."));
  const parseName = (name: string): WorkflowId | undefined => {
    const stem = name.slice(0, -".jsonl".length);
    return name.endsWith(".jsonl") && isWorkflowId(stem) ? stem : undefined;
  };
  const written = tree.kept(WRITTEN_RECEIPTS);
  const remembered = [...written.keys()]
    .filter((key) => key.startsWith(`${checkout} `))
    .map((key) => key.slice(checkout.length + 1));
  const workflows = new Set([...names.flatMap((name) => parseName(name) ?? []), ...remembered.filter(isWorkflowId)]);
  // A removed feature takes its receipts with it.
  const features = tree
    .names(FEATURE_FOLDER)
    .filter(isFeatureName)
    .filter(
      (name) =>
        tree.has(getFeatureReceiptsPath(name)) || (remembered.includes(name) && tree.has(getFeatureRecordPath(name))),
    );
  const changes = [CHANGES_FOLDER, HISTORY_FOLDER].flatMap((shelf) =>
    tree
      .names(shelf)
      .filter(isChangeId)
      .filter((id) => tree.has(getChangeReceiptsPath(shelf, id)) || remembered.includes(`change:${id}`))
      .map((id): ChangeReceiptId => `change:${id}`),
  );
  const chains = [...workflows, ...features, ...changes].toSorted().map((id) => {
    const path = getReceiptFile(tree, id);
    const chain = readReceiptChain(tree.text(path) ?? "", digest, id);
    const found = new Set(chain.receipts.map(({ hash }) => hash));
    const own = new Set(written.get(`${checkout} ${id}`)?.hashes);
    const gone = [...own].filter((hash) => !found.has(hash)).length;
    // An edited line is already reported, so it does not also count as lost.
    const edited = new Set(chain.problems.map(({ line }) => line)).size;
    const unwritten = [...found].filter((hash) => !own.has(hash));
    return { id, path, chain, lost: Math.max(0, gone - edited), unwritten };
  });
  const problem = "Its name is not a receipt file's: AUTH-001.jsonl, BUG-042.jsonl.";
  const strays = names
    .filter((name) => parseName(name) === undefined)
    .map((name) => ({ path: joinFolderPath(RECEIPT_FOLDER, name), problem }));
  return { chains, strays };
}
