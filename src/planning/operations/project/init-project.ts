import type { PlanningEngine } from "../engine.ts";
import { Fault } from "#kernel/model/fault.ts";
import { beginProject } from "../../model/project/project-lifecycle.ts";
import { quote } from "#kernel/model/text-format.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { PROJECT_RECORD_PATH, getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { planFoundationSteps } from "#onboarding/operations/workspace/init-workspace.ts";
import { findProjectRecord, createProjectRecordStep } from "./project-record-file.ts";
import { listNextProjectCalls, loadOpenProjectStage, formatProjectPage, createProjectView } from "./project-stage.ts";

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
      if (known) throw createProjectExistsFault(known.name, known.current_stage);
      const found = PROJECT_DOCUMENT_STAGES.map(getProjectDocumentPath).filter((path) => tree.has(path));
      const begun = beginProject({ name, description, mode }, engine.clock.now());
      const steps = [...planFoundationSteps(tree, config), createProjectRecordStep(begun)];
      return {
        steps,
        occurrences: [{ kind: "project.started", subject: begun.name, data: { mode, description } }],
        result: {
          record: begun,
          existing: found,
          created: steps.flatMap((step) => (step.kind === "move" ? [] : [step.path])),
        },
      };
    });
    const next = await loadOpenProjectStage(engine, record);
    if (!next) throw new RangeError("A new project has a stage that is open.");
    return { project: createProjectView(record), created, existing, next };
  },
  page({ project, created, existing, next }) {
    const page = formatProjectPage(`Project ${quote(project.name)} has begun; stage ${next.stage} is open.`, project);
    return {
      ...page,
      points: [
        ...created.map((path) => `${path} written`),
        ...existing.map((path) => `${path} is there already: its ids stay taken, and its stage keeps the text aside.`),
      ],
      guide: next.guide,
      next: listNextProjectCalls(project),
    };
  },
});

function createProjectExistsFault(name: string, stage: string): Fault {
  return new Fault("project.exists", {
    what: "The project was not begun.",
    why: `${PROJECT_RECORD_PATH} is there already: ${quote(name, 60)}, at stage ${stage}.`,
    fix: { operation: "project.context" },
  });
}
