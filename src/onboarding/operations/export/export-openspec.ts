import { createOpenspecFiles } from "../../model/export/openspec-export.ts";
import { listLivingRequirements } from "../../model/import/requirement-book.ts";
import { CHANGE_STAGES, type ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import { readArtifactText } from "#planning/operations/change/artifact-files.ts";
import { loadChangeRecords, isOpenChange } from "#planning/operations/change/change-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { OnboardingEngine } from "../engine.ts";

export const exportOpenspecOperation = defineOperation({
  id: "export.openspec",
  effect: "append",
  input: async () => (await import("./schema.ts")).OpenspecExportInput,
  output: async () => (await import("./schema.ts")).OpenspecExportOutput,
  async run(engine: OnboardingEngine, { to }) {
    const { workspace, damaged } = await engine.store.read(loadExportedWorkspace);
    const { files, notes } = createOpenspecFiles(workspace);
    const folder = to === undefined ? undefined : await engine.exports.write(to, "openspec", files, ANOTHER_FOLDER);
    return {
      ...(folder === undefined ? {} : { folder }),
      specs: files.filter(({ path }) => path.startsWith("specs/")).length,
      requirements: [workspace.requirements, workspace.rules].flatMap(listLivingRequirements).length,
      changes: workspace.changes.map(({ record }) => record.id),
      files: files.map(({ path }) => `openspec/${path}`),
      notes: [...notes, ...damaged.map(({ path, why }) => `${path} is not exported: ${why}`)],
    };
  },
  page: ({ folder, specs, requirements, changes, files, notes }) => ({
    title: `${folder === undefined ? "To be exported" : "Exported"}: ${formatCount(requirements, "requirement")} in ${formatCount(specs, "spec")}, ${formatCount(changes.length, "open change")}.${folder === undefined ? " Nothing was written." : ""}`,
    ...(folder === undefined ? {} : { facts: [["folder", sanitizeText(folder, 300)]] }),
    table: { columns: ["file"], rows: files.map((path) => [path]) },
    points: notes.map((note) => sanitizeText(note, 600)),
    next:
      folder === undefined
        ? [{ operation: "export.openspec", input: { to: "…" } }]
        : ["npx @fission-ai/openspec validate --all"],
  }),
});

const ANOTHER_FOLDER = { operation: "export.openspec", input: { to: "…" } };

function loadExportedWorkspace(tree: StoreTree) {
  const { changes, damaged } = loadChangeRecords(tree, [paths.CHANGES_FOLDER]);
  const open = changes.map(({ record }) => record).filter(isOpenChange);
  const workspace = {
    requirements: tree.text(paths.REQUIREMENTS_PATH) ?? "",
    rules: tree.text(paths.BUSINESS_RULES_PATH) ?? "",
    project: tree.text(paths.getSteeringFilePath("project.md")),
    changes: open.map((record) => ({ record, artifacts: loadArtifacts(tree, record) })),
  };
  return { workspace, damaged };
}

const loadArtifacts = (tree: StoreTree, { id }: ChangeRecord): Partial<Record<ChangeStage, string>> =>
  Object.fromEntries(
    CHANGE_STAGES.flatMap((stage) => {
      const text = readArtifactText(tree, paths.getChangeArtifactPath(paths.CHANGES_FOLDER, id, stage));
      return text === undefined ? [] : [[stage, text]];
    }),
  );
