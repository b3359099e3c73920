import { Fault } from "#domain/fault.ts";
import { PROJECT_RECORD_PATH } from "#domain/workspace/path.ts";
import type { StoreTree } from "../ports/store.ts";
import { findProjectRecord } from "./record.ts";

export function summarizeProjectRecord(tree: StoreTree) {
  try {
    const record = findProjectRecord(tree);
    if (!record) return { damaged: [] };
    const { name, current_stage, status, mode } = record;
    return { found: { name, stage: current_stage, status, mode }, damaged: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { damaged: [{ path: PROJECT_RECORD_PATH, why: error.why }] };
  }
}
