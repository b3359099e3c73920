import type * as z from "zod";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FlowStatus } from "#kernel/model/flow/flow-engine.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import {
  CHANGES_FOLDER,
  FEATURE_FOLDER,
  HISTORY_FOLDER,
  PROJECT_RECORD_PATH,
  REQUIREMENTS_PATH,
} from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "#planning/operations/change/change-records.ts";
import type { OnboardingEngine } from "../engine.ts";
import { formatBlockedTitle, formatFeatureStatusPage } from "#roadmap/operations/feature/feature-status-page.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import type { WorkspaceStatusOutput } from "./schema.ts";

type WorkspaceStatusResult = z.infer<typeof WorkspaceStatusOutput>;

export const showWorkspaceStatusOperation = defineOperation({
  id: "workspace.status",
  effect: "read",
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).WorkspaceStatusInput,
  output: async () => (await import("./schema.ts")).WorkspaceStatusOutput,
  async run(engine: OnboardingEngine, { feature, impact = false }) {
    const { census, archived, hasProject, hasFeatures, specs, workflows } = await engine.store.read((tree) => ({
      census: loadChangeRecords(tree, [CHANGES_FOLDER]),
      hasProject: tree.has(PROJECT_RECORD_PATH),
      hasFeatures: tree.has(FEATURE_FOLDER),
      specs: tree.has(REQUIREMENTS_PATH),
      archived: tree.names(HISTORY_FOLDER).filter(isChangeId).length,
      workflows: listActiveWorkflows(tree),
    }));
    const project = hasProject ? await loadProjectStatus(engine) : undefined;
    const overview = hasFeatures ? await loadFeatureOverview(engine) : undefined;
    const ledger = await checkStatusLedger(engine);
    const records = census.changes.map(({ record }) => record);
    const count = (status: FlowStatus): number => records.filter((record) => record.status === status).length;
    return {
      root: engine.root,
      ...(project?.found ? { project: project.found } : {}),
      specs,
      changes: records
        .filter((record) => record.status === "active")
        .map(({ id, type, size, current_stage, updated_at }) => ({ id, type, size, stage: current_stage, updated_at })),
      workflows: await listQueuedWorkflows(workflows),
      completed: records.filter((record) => record.status === "completed").map((record) => record.id),
      counts: { active: count("active"), completed: count("completed"), abandoned: count("abandoned"), archived },
      ...(overview ? { roadmap: overview.roadmap } : {}),
      ...(feature === undefined ? {} : { feature: await loadFeatureView(engine, feature, impact) }),
      unfinished_writes: ledger.pending,
      damaged: [...(project?.damaged ?? []), ...census.damaged, ...(overview?.damaged ?? []), ...ledger.damaged],
    };
  },
  page({ feature, ...output }) {
    return feature ? formatFeatureStatusPage(feature) : formatWorkspacePage(output);
  },
});

function formatWorkspacePage(output: WorkspaceStatusResult): Page {
  const { root, project, specs, changes, workflows, completed, counts, roadmap, unfinished_writes, damaged } = output;
  const next = [
    ...(roadmap ? [{ operation: roadmap.run === "on" ? "roadmap.next" : "roadmap.manage" }] : []),
    ...(workflows.length > 0 ? [{ operation: "workflow.status" }] : []),
    ...(project?.status === "active" ? [{ operation: "project.context" }] : []),
    ...changes.map((change) => ({ operation: "change.status", input: { change_id: change.id } })),
    ...completed.map((change_id) => ({ operation: "change.archive", input: { change_id } })),
  ];
  return {
    title: formatWorkspaceTitle(changes.length, workflows.length),
    facts: [
      ["workspace", root],
      ...(project ? [["project", formatProjectFact(project)] as const] : []),
      [
        "changes",
        Object.entries(counts)
          .map(([status, n]) => `${n} ${status}`)
          .join(", "),
      ],
      ...(roadmap ? [["roadmap", formatRoadmapFact(roadmap)] as const] : []),
    ],
    ...(changes.length + workflows.length > 0
      ? {
          table: {
            columns: [workflows.length > 0 ? "work" : "change", "kind", "stage"],
            rows: [
              ...workflows.map(({ id, kind, stage }) => [id, kind, stage]),
              ...changes.map((change) => [change.id, `${change.size} ${change.type}`, change.stage]),
            ],
          },
        }
      : {}),
    points: [
      ...damaged.map(({ path, why }) => `${path} cannot be trusted: ${why}`),
      ...(roadmap?.blocked ?? []).map(({ feature, by }) => formatBlockedTitle(feature, by)),
      ...(unfinished_writes > 0 ? [`${unfinished_writes} unfinished: the next command that writes finishes it.`] : []),
    ],
    next:
      damaged.length > 0
        ? [{ operation: "workspace.doctor" }]
        : next.length === 0
          ? [{ operation: "change.start", input: { description: "…" } }, ...(project || specs ? [] : FIRST_CALLS)]
          : next,
  };
}

function formatWorkspaceTitle(changes: number, workflows: number): string {
  const said =
    changes === 0 ? "No change is active." : `${changes} ${changes === 1 ? "change is" : "changes are"} active.`;
  if (workflows === 0) return said;
  const running = `${workflows} ${workflows === 1 ? "workflow is" : "workflows are"} under way.`;
  return changes === 0 ? running : `${running} ${said}`;
}

function listActiveWorkflows(tree: StoreTree): WorkflowRecord[] {
  try {
    return [...tree.kept(WORKFLOW_SPACE).values()].filter(({ status }) => status === "active");
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

async function listQueuedWorkflows(running: readonly WorkflowRecord[]): Promise<WorkspaceStatusResult["workflows"]> {
  if (running.length === 0) return [];
  const { sortWorkQueue } = await import("#planning/model/workflow/work-queue.ts");
  return sortWorkQueue(running).map(({ id, kind, current_stage, priority }) => ({
    id,
    kind,
    stage: current_stage,
    priority,
  }));
}

/** Loaded only if a project exists, because this command runs more often than any other. */
const loadProjectStatus = async ({ store }: Pick<OnboardingEngine, "store">) =>
  store.read((await import("#planning/operations/project/project-record-file.ts")).summarizeProjectRecord);

const loadFeatureOverview = async (engine: OnboardingEngine) =>
  (await import("#roadmap/operations/feature/features-overview.ts")).readFeaturesOverview(engine);

const loadFeatureView = async (engine: OnboardingEngine, name: string, isImpact: boolean) =>
  (await import("#roadmap/operations/feature/feature-status.ts")).readFeatureStatus(engine, name, isImpact);

const FIRST_CALLS = [
  { operation: "project.init", input: { name: "…", description: "…" } },
  { operation: "adopt.bootstrap" },
];

function formatProjectFact({
  name,
  stage,
  status,
}: NonNullable<z.infer<typeof WorkspaceStatusOutput>["project"]>): string {
  return `${sanitizeText(name, 80)} (${status === "active" ? `stage ${stage}` : status})`;
}

function formatRoadmapFact({ features, phases, waves, run }: NonNullable<WorkspaceStatusResult["roadmap"]>): string {
  const counted = Object.entries(phases)
    .filter(([, n]) => n > 0)
    .map(([phase, n]) => `${n} ${phase}`);
  const byWave = waves.map(({ wave, features: all, done }) => `wave ${wave}: ${done} of ${all}`);
  const parts = [
    `${features} ${features === 1 ? "feature" : "features"}${counted.length > 0 ? ` (${counted.join(", ")})` : ""}`,
    ...(byWave.length > 0 ? [`implemented in ${byWave.join(", ")}`] : []),
    ...(run === "never" ? [] : [run === "on" ? "it runs" : "it is stopped"]),
  ];
  return parts.join("; ");
}

/** An unreadable ledger is one of the reported problems and must not hide the others. */
async function checkStatusLedger(
  engine: OnboardingEngine,
): Promise<{ pending: number; damaged: { path: string; why: string }[] }> {
  try {
    return { pending: (await engine.store.pending()).length, damaged: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { pending: 0, damaged: [{ path: "the ledger", why: error.why }] };
  }
}
