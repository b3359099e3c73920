import {
  appendReceiptLine,
  type ReceiptChain,
  readReceiptChain,
  type Receipt,
} from "../../model/gate/receipt-chain.ts";
import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { isWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import {
  FEATURE_FOLDER,
  getFeatureReceiptsPath,
  getFeatureRecordPath,
  joinFolderPath,
  type WorkspacePath,
  RECEIPT_FOLDER,
  getReceiptPath,
} from "#kernel/model/workspace-paths.ts";
import type { CheckingEngine } from "../engine.ts";
import type { LedgerEntry, LedgerSpace, StoreStep, StoreTree } from "#store/operations/ports/store.ts";

type DigestEngine = Pick<CheckingEngine, "digest">;

/** Hashes of the receipts written in one checkout, oldest first. They reveal a truncated file. */
interface WrittenReceipts {
  readonly hashes: readonly string[];
}

/** The key is the checkout, a space and the workflow: another worktree has its own files. */
const WRITTEN_RECEIPTS: LedgerSpace<WrittenReceipts> = { name: "receipt" };
const MAX_REMEMBERED_RECEIPTS = 1_000;
const formatReceiptKey = (checkout: string, id: string): string => `${checkout} ${id}`;

/** Workflow ids and feature names never collide. */
export type ReceiptChainId = WorkflowId | FeatureName;

export const FEATURE_GATE = "feature-gate";

export const getReceiptFile = (id: ReceiptChainId): WorkspacePath =>
  isFeatureName(id) ? getFeatureReceiptsPath(id) : getReceiptPath(id);

const loadReceiptChain = (tree: StoreTree, id: ReceiptChainId, { digest }: DigestEngine): ReceiptChain =>
  readReceiptChain(tree.text(getReceiptFile(id)) ?? "", digest, id);

/** Add both parts to the write that records the gate's result, so that they are decided under the lock. */
export interface ReceiptWrite {
  readonly receipt: Receipt;
  readonly step: StoreStep;
  readonly keeping: LedgerEntry;
}

export const planWorkflowReceipt = (
  tree: StoreTree,
  engine: Pick<CheckingEngine, "digest" | "checkout">,
  said: Omit<Receipt, "id" | "workflow"> & { readonly workflow: WorkflowId },
): ReceiptWrite => planReceiptWrite(tree, engine, getReceiptPath(said.workflow), said);

/** Throws if the chain was altered: nothing is appended to it. */
export function planReceiptWrite(
  tree: StoreTree,
  { digest, checkout }: Pick<CheckingEngine, "digest" | "checkout">,
  path: WorkspacePath,
  said: Omit<Receipt, "id">,
): ReceiptWrite {
  const chain = readReceiptChain(tree.text(path) ?? "", digest, said.workflow);
  if (chain.problems.length > 0) throw createAlteredChainFault(path, chain);
  const receipt: Receipt = { id: `${said.workflow}.R-${chain.receipts.length + 1}`, ...said };
  const { text, hash } = appendReceiptLine(tree.text(path) ?? "", receipt, digest);
  const key = formatReceiptKey(checkout, said.workflow);
  const hashes = [...(tree.kept(WRITTEN_RECEIPTS).get(key)?.hashes ?? []), hash].slice(-MAX_REMEMBERED_RECEIPTS);
  return {
    receipt,
    step: { kind: "document", path, text },
    keeping: { space: WRITTEN_RECEIPTS.name, key, value: { hashes } satisfies WrittenReceipts },
  };
}

export function findLastReceipt(
  tree: StoreTree,
  engine: DigestEngine,
  id: WorkflowId,
  gate: string,
): string | undefined {
  const { receipts, problems } = loadReceiptChain(tree, id, engine);
  return problems.length > 0 ? undefined : receipts.findLast(({ receipt }) => receipt.gate === gate)?.receipt.id;
}

/** Includes workflows and features whose receipts this checkout wrote and whose file is gone. */
export function loadReceiptChains(
  tree: StoreTree,
  { digest, checkout }: Pick<CheckingEngine, "digest" | "checkout">,
): { chains: LoadedReceiptChain[]; strays: { path: WorkspacePath; problem: string }[] } {
  const names = tree.names(RECEIPT_FOLDER).filter((name) => !name.startsWith("."));
  const ids = new Map(names.map((name) => [name, parseReceiptFileName(name)]));
  const written = tree.kept(WRITTEN_RECEIPTS);
  const remembered = [...written.keys()]
    .filter((key) => key.startsWith(`${checkout} `))
    .map((key) => key.slice(checkout.length + 1));
  const here = [...new Set([...ids.values(), ...remembered.filter(isWorkflowId)])].filter((id) => id !== undefined);
  const all: ReceiptChainId[] = [...here, ...listReceiptFeatures(tree, remembered)];
  return {
    chains: all.toSorted().map((id) => {
      const chain = loadReceiptChain(tree, id, { digest });
      const found = new Set(chain.receipts.map(({ hash }) => hash));
      const hashes = written.get(formatReceiptKey(checkout, id))?.hashes ?? [];
      // An edited line is already reported, so it does not also count as lost.
      const gone = hashes.filter((hash) => !found.has(hash)).length;
      const edited = new Set(chain.problems.map(({ line }) => line)).size;
      return { id, path: getReceiptFile(id), chain, lost: Math.max(0, gone - edited) };
    }),
    strays: names
      .filter((name) => !ids.get(name))
      .map((name) => ({
        path: joinFolderPath(RECEIPT_FOLDER, name),
        problem: "Its name is not that of receipts: AUTH-001.jsonl, BUG-042.jsonl.",
      })),
  };
}

/** A removed feature takes its receipts with it. */
const listReceiptFeatures = (tree: StoreTree, remembered: readonly string[]): FeatureName[] =>
  tree
    .names(FEATURE_FOLDER)
    .filter(isFeatureName)
    .filter(
      (name) =>
        tree.has(getFeatureReceiptsPath(name)) || (remembered.includes(name) && tree.has(getFeatureRecordPath(name))),
    );

export interface LoadedReceiptChain {
  readonly id: ReceiptChainId;
  readonly path: WorkspacePath;
  readonly chain: ReceiptChain;
  readonly lost: number;
}

function parseReceiptFileName(name: string): WorkflowId | undefined {
  const stem = name.slice(0, -".jsonl".length);
  return name.endsWith(".jsonl") && isWorkflowId(stem) ? stem : undefined;
}

function createAlteredChainFault(path: WorkspacePath, { problems }: ReceiptChain): Fault {
  const [first] = problems;
  return new Fault("receipt.broken", {
    what: `No receipt was added to ${path}.`,
    why: `Line ${first?.line ?? 1}: ${first?.problem ?? ""}`,
    fix: [
      `Go back to the committed one: git checkout -- ${path}`,
      `If there is none, remove it and let the gates run again: rm ${path}`,
    ],
  });
}
