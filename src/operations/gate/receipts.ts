import { appendReceipt, type Chain, readReceipts } from "#domain/gate/chain.ts";
import { Fault } from "#domain/fault.ts";
import { type FeatureName, isFeatureName } from "#domain/feature/name.ts";
import type { Receipt } from "#domain/gate/receipt.ts";
import { isWorkflowId, type WorkflowId } from "#domain/workflow/id.ts";
import {
  FEATURE_FOLDER,
  getFeatureReceiptsPath,
  getFeatureRecordPath,
  joinFolderPath,
  type WorkspacePath,
  RECEIPT_FOLDER,
  getReceiptPath,
} from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { LedgerEntry, LedgerSpace, StoreStep, StoreTree } from "../ports/store.ts";

type Reader = Pick<Engine, "digest">;

/** Hashes of the receipts written in one checkout, oldest first. They reveal a truncated file. */
interface Written {
  readonly hashes: readonly string[];
}

/** The key is the checkout, a space and the workflow: another worktree has its own files. */
const RECEIPTS: LedgerSpace<Written> = { name: "receipt" };
const MOST_REMEMBERED = 1_000;
const keyOf = (checkout: string, id: string): string => `${checkout} ${id}`;

/** Workflow ids and feature names never collide. */
export type ChainId = WorkflowId | FeatureName;

export const FEATURE_GATE = "feature-gate";

export const chainFile = (id: ChainId): WorkspacePath =>
  isFeatureName(id) ? getFeatureReceiptsPath(id) : getReceiptPath(id);

const readChain = (tree: StoreTree, id: ChainId, { digest }: Reader): Chain =>
  readReceipts(tree.text(chainFile(id)) ?? "", digest, id);

/** Add both parts to the write that records the gate's result, so that they are decided under the lock. */
export interface KeptReceipt {
  readonly receipt: Receipt;
  readonly step: StoreStep;
  readonly keeping: LedgerEntry;
}

export const receiptStep = (
  tree: StoreTree,
  engine: Pick<Engine, "digest" | "checkout">,
  said: Omit<Receipt, "id" | "workflow"> & { readonly workflow: WorkflowId },
): KeptReceipt => receiptIn(tree, engine, getReceiptPath(said.workflow), said);

/** Throws if the chain was altered: nothing is appended to it. */
export function receiptIn(
  tree: StoreTree,
  { digest, checkout }: Pick<Engine, "digest" | "checkout">,
  path: WorkspacePath,
  said: Omit<Receipt, "id">,
): KeptReceipt {
  const chain = readReceipts(tree.text(path) ?? "", digest, said.workflow);
  if (chain.problems.length > 0) throw broken(path, chain);
  const receipt: Receipt = { id: `${said.workflow}.R-${chain.receipts.length + 1}`, ...said };
  const { text, hash } = appendReceipt(tree.text(path) ?? "", receipt, digest);
  const key = keyOf(checkout, said.workflow);
  const hashes = [...(tree.kept(RECEIPTS).get(key)?.hashes ?? []), hash].slice(-MOST_REMEMBERED);
  return {
    receipt,
    step: { kind: "document", path, text },
    keeping: { space: RECEIPTS.name, key, value: { hashes } satisfies Written },
  };
}

export function lastReceipt(tree: StoreTree, engine: Reader, id: WorkflowId, gate: string): string | undefined {
  const { receipts, problems } = readChain(tree, id, engine);
  return problems.length > 0 ? undefined : receipts.findLast(({ receipt }) => receipt.gate === gate)?.receipt.id;
}

/** Includes workflows and features whose receipts this checkout wrote and whose file is gone. */
export function everyChain(
  tree: StoreTree,
  { digest, checkout }: Pick<Engine, "digest" | "checkout">,
): { chains: ShelvedChain[]; strays: { path: WorkspacePath; problem: string }[] } {
  const names = tree.names(RECEIPT_FOLDER).filter((name) => !name.startsWith("."));
  const ids = new Map(names.map((name) => [name, idOf(name)]));
  const written = tree.kept(RECEIPTS);
  const remembered = [...written.keys()]
    .filter((key) => key.startsWith(`${checkout} `))
    .map((key) => key.slice(checkout.length + 1));
  const here = [...new Set([...ids.values(), ...remembered.filter(isWorkflowId)])].filter((id) => id !== undefined);
  const all: ChainId[] = [...here, ...featuresWith(tree, remembered)];
  return {
    chains: all.toSorted().map((id) => {
      const chain = readChain(tree, id, { digest });
      const found = new Set(chain.receipts.map(({ hash }) => hash));
      const hashes = written.get(keyOf(checkout, id))?.hashes ?? [];
      // An edited line is already reported, so it does not also count as lost.
      const gone = hashes.filter((hash) => !found.has(hash)).length;
      const edited = new Set(chain.problems.map(({ line }) => line)).size;
      return { id, path: chainFile(id), chain, lost: Math.max(0, gone - edited) };
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
const featuresWith = (tree: StoreTree, remembered: readonly string[]): FeatureName[] =>
  tree
    .names(FEATURE_FOLDER)
    .filter(isFeatureName)
    .filter(
      (name) =>
        tree.has(getFeatureReceiptsPath(name)) || (remembered.includes(name) && tree.has(getFeatureRecordPath(name))),
    );

export interface ShelvedChain {
  readonly id: ChainId;
  readonly path: WorkspacePath;
  readonly chain: Chain;
  readonly lost: number;
}

function idOf(name: string): WorkflowId | undefined {
  const stem = name.slice(0, -".jsonl".length);
  return name.endsWith(".jsonl") && isWorkflowId(stem) ? stem : undefined;
}

function broken(path: WorkspacePath, { problems }: Chain): Fault {
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
