import type { PlanningEngine } from "../engine.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { loadChangeRecords } from "./change-records.ts";

const DEFAULT_CHANGE_LIMIT = 50;

export const listChangesOperation = defineOperation({
  id: "change.list",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeListQuery,
  output: async () => (await import("./schema.ts")).ChangeList,
  async run(engine: PlanningEngine, { status, limit = DEFAULT_CHANGE_LIMIT }) {
    const shelves =
      status === undefined
        ? [CHANGES_FOLDER, HISTORY_FOLDER]
        : status === "archived"
          ? [HISTORY_FOLDER]
          : [CHANGES_FOLDER];
    const census = await engine.store.read((tree) => loadChangeRecords(tree, shelves));
    const wanted = census.changes
      .map(({ record }) => record)
      .filter((record) => status === undefined || record.status === status)
      .toReversed();
    const changes = wanted
      .slice(0, limit)
      .map(({ id, type, size, status: state, current_stage, description, updated_at }) => ({
        id,
        type,
        size,
        status: state,
        current_stage,
        description,
        updated_at,
      }));
    return { changes, damaged: [...census.damaged], omitted: wanted.length - changes.length };
  },
  page({ changes, damaged, omitted }) {
    const rows = changes.map((change) => [
      change.id,
      `${change.size} ${change.type}`,
      change.status,
      change.status === "active" ? change.current_stage : "–",
      sanitizeText(change.description, 60),
    ]);
    return {
      title: rows.length === 0 ? "No changes." : `${formatCount(rows.length + omitted, "change")}.`,
      ...(rows.length > 0 ? { table: { columns: ["id", "kind", "status", "stage", "description"], rows } } : {}),
      points: [
        ...damaged.map(({ path, why }) => `${path} cannot be read: ${why}`),
        ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
      ],
      next:
        damaged.length > 0
          ? [{ operation: "workspace.doctor" }]
          : rows.length === 0
            ? [{ operation: "change.start", input: { description: "…" } }]
            : [],
    };
  },
});
