import { Fault } from "#domain/fault.ts";
import { PROJECT } from "#domain/workspace/path.ts";
import type { Tree } from "../ports/store.ts";
import { findProjectRecord } from "./record.ts";

export function summarizeProjectRecord(tree: Tree) {
  try {
    const record = findProjectRecord(tree);
    if (!record) return { damaged: [] };
    const { name, current_stage, status, mode } = record;
    return { found: { name, stage: current_stage, status, mode }, damaged: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { damaged: [{ path: PROJECT, why: error.why }] };
  }
}
