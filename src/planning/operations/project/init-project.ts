import type { PlanningEngine } from "../engine.ts";
import { Fault } from "#kernel/model/fault.ts";
import { beginProject } from "../../model/project/project-lifecycle.ts";
import { quote } from "#kernel/model/text-format.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { PROJECT_RECORD_PATH, getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { planFoundationSteps } from "../workspace-foundation.ts";
import { findProjectRecord, createProjectRecordStep } from "./project-record-file.ts";
import { createProjectView, formatProjectPage, loadOpenProjectStage } from "./project-stage.ts";

export const initProjectOperation = defineOperation({
  id: "project.init",
  effect: "append",
  mayBegin: true,
  input: async () => (await import("./schema.ts")).ProjectInit,
  output: async () => (await import("./schema.ts")).ProjectBegun,
  async run(engine: PlanningEngine, { name, description, mode = "guided" }) {
    const config = await engine.assets.text("templates/config");
    const { record, created, existing } = await commitStoreWrite(engine, (tree) => {
      const known = findProjectRecord(tree);
      if (known) {
        throw new Fault("project.exists", {
          what: "The project was not begun.",
          why: `${PROJECT_RECORD_PATH} is there already: ${quote(known.name, 60)}, at stage ${known.current_stage}.`,
          fix: { operation: "project.context" },
        });
      }
      const found = PROJECT_DOCUMENT_STAGES.map(getProjectDocumentPath).filter((path) => tree.has(path));
      const begun = beginProject({ name, description, mode }, engine.clock.now());
      const files = planFoundationSteps(tree, config);
      return {
        steps: [...files, createProjectRecordStep(begun)],
        occurrences: [{ kind: "project.started", subject: begun.name, data: { mode, description } }],
        result: { record: begun, existing: found, created: [...files.map(({ path }) => path), PROJECT_RECORD_PATH] },
      };
    });
    const next = await loadOpenProjectStage(engine, record);
    if (!next) throw new RangeError("A new project has a stage that is open.");
    return { project: createProjectView(record), created, existing, next };
  },
  page({ project, created, existing, next }) {
    const title = `Project ${quote(project.name)} has begun; stage ${next.stage} is open.`;
    return {
      ...formatProjectPage(title, project, next.guide),
      points: [
        ...created.map((path) => `${path} written`),
        ...existing.map((path) => `${path} is there already: its ids stay taken, and its stage keeps the text aside.`),
      ],
    };
  },
});
