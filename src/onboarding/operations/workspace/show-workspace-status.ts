import type * as z from "zod";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { Fault, ignoreFault, type OperationCall } from "#kernel/model/fault.ts";
import type { FlowStatus } from "#kernel/model/flow/flow-engine.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { loadUsualChangeRecords } from "#planning/operations/change/load-change-records.ts";
import type { OnboardingEngine } from "../engine.ts";
import { formatBlockedTitle, formatFeatureStatusPage } from "#roadmap/operations/feature/feature-status-page.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatUnprovedAnswer } from "#planning/model/approval/approval-log.ts";
import { loadUnprovedAnswers } from "#planning/operations/approval/approval-log-files.ts";
import { listOpenQuestions, ROLLBACK_SPACE, WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import type { WorkspaceStatusOutput } from "./schema.ts";

type WorkspaceStatusResult = z.infer<typeof WorkspaceStatusOutput>;

export const showWorkspaceStatusOperation = defineOperation({
  id: "workspace.status",
  effect: "read",
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).WorkspaceStatusInput,
  output: async () => (await import("./schema.ts")).WorkspaceStatusOutput,
  async run(engine: OnboardingEngine, { feature, impact = false }) {
    const {
      usual,
      archived,
      hasProject,
      hasFeatures,
      hasImported,
      isInitialised,
      specs,
      workflows,
      rollbacks,
      questions,
      answers,
    } = await engine.store.read((tree) => ({
      usual: loadUsualChangeRecords(tree, [paths.CHANGES_FOLDER]),
      hasProject: tree.has(paths.PROJECT_RECORD_PATH),
      hasFeatures: tree.has(paths.FEATURE_FOLDER),
      isInitialised: tree.has(paths.CONFIG_PATH),
      specs: tree.has(paths.REQUIREMENTS_PATH),
      hasImported: tree.has(paths.IMPORT_MANIFEST_PATH),
      archived: tree.names(paths.HISTORY_FOLDER).filter(isChangeId).length,
      questions: ignoreFault(() => listOpenQuestions(tree)) ?? [],
      answers: loadUnprovedAnswers(tree).map(({ id, stage, by, choice }) => ({ id, stage, by, choice })),
      workflows: ignoreFault(() => [...tree.kept(WORKFLOW_SPACE).values()]) ?? [],
      rollbacks: ignoreFault(() => [...tree.kept(ROLLBACK_SPACE).values()]) ?? [],
    }));
    // Code loads only if it is needed, because this command runs more often than any other.
    const census = usual.damaged.length > 0 ? await judgeChangeRecords(engine) : usual;
    const project = hasProject
      ? await engine.store.read(
          (await import("#planning/operations/project/project-record-file.ts")).summarizeProjectRecord,
        )
      : undefined;
    const overview = hasFeatures
      ? await (await import("#roadmap/operations/feature/features-overview.ts")).readFeaturesOverview(engine)
      : undefined;
    const ledger = await checkStatusLedger(engine);
    const gates = isInitialised ? await findMissingTrust(engine) : undefined;
    const records = census.changes.map(({ record }) => record);
    const count = (status: FlowStatus): number => records.filter((record) => record.status === status).length;
    return {
      root: engine.root,
      is_set_up: isInitialised,
      ...(project?.found ? { project: project.found } : {}),
      specs,
      imported: hasImported,
      changes: records
        .filter((record) => record.status === "active")
        .map(({ id, type, size, current_stage, updated_at }) => ({ id, type, size, stage: current_stage, updated_at })),
      workflows: await listQueuedWorkflows(workflows.filter(({ status }) => status === "active")),
      questions: questions.map(({ id, question, choices }) => ({ id, question, choices: [...choices] })),
      unproved: workflows.filter(({ status }) => status === "active").flatMap(listUnprovedApprovals),
      unproved_answers: answers,
      completed: records.filter((record) => record.status === "completed").map((record) => record.id),
      counts: { active: count("active"), completed: count("completed"), abandoned: count("abandoned"), archived },
      ...(overview ? { roadmap: overview.roadmap } : {}),
      ...(feature === undefined ? {} : { feature: await loadFeatureView(engine, feature, impact) }),
      ...(gates ? { gates } : {}),
      unfinished_writes: ledger.pending,
      ...(rollbacks.length > 0
        ? { rollbacks: rollbacks.map(({ workflow: id, n: snapshot, failed }) => ({ id, snapshot, failed })) }
        : {}),
      damaged: [...(project?.damaged ?? []), ...census.damaged, ...(overview?.damaged ?? []), ...ledger.damaged],
    };
  },
  page({ feature, ...output }) {
    return feature ? formatFeatureStatusPage(feature) : formatWorkspacePage(output);
  },
});

function formatWorkspacePage(output: WorkspaceStatusResult): Page {
  const { root, project, specs, imported, changes, workflows, questions, unproved, completed, counts, roadmap, gates } =
    output;
  const { is_set_up, unproved_answers, unfinished_writes, rollbacks = [], damaged } = output;
  const next = [
    ...rollbacks.flatMap(({ id, snapshot, failed }) =>
      failed ? [{ operation: "workflow.rollback", input: { id, snapshot } }] : [],
    ),
    ...questions.slice(0, 3).map(({ id }) => ({ operation: "approval.answer", input: { id } })),
    ...(roadmap ? [{ operation: roadmap.run === "on" ? "roadmap.next" : "roadmap.manage" }] : []),
    ...(workflows.length > 0 ? [{ operation: "workflow.status" }] : []),
    ...(project?.status === "active" ? [{ operation: "project.context" }] : []),
    ...changes.map((change) => ({ operation: "change.status", input: { change_id: change.id } })),
    ...completed.map((change_id) => ({ operation: "change.archive", input: { change_id } })),
  ];
  const isNew = !is_set_up && next.length === 0 && damaged.length === 0;
  const trust = gates?.trust === "untrusted" ? [{ operation: "stack.trust" }] : [];
  return {
    title: isNew ? "Tenon is not set up here yet." : formatWorkspaceTitle(changes.length, workflows.length),
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
    table: {
      columns: [workflows.length > 0 ? "work" : "change", "kind", "stage"],
      rows: [
        ...workflows.map(({ id, kind, stage }) => [id, kind, stage]),
        ...changes.map((change) => [change.id, `${change.size} ${change.type}`, change.stage]),
      ],
    },
    points: [
      ...damaged.map(({ path, why }) => `${path} cannot be trusted: ${why}`),
      ...(roadmap?.blocked ?? []).map(({ feature, by }) => formatBlockedTitle(feature, by)),
      ...questions.map(({ question }) => `Waiting for you: ${sanitizeText(question, 200)}`),
      ...unproved.map(
        ({ id, stage, by }) =>
          `${id}: the approval of ${stage} by ${sanitizeText(by, 60)} is unproved: an agent reported it.`,
      ),
      ...unproved_answers.map(formatUnprovedAnswer),
      ...(gates?.trust === "untrusted"
        ? [`Gates cannot run ${formatCount(gates.commands, "command")} until you trust them.`]
        : []),
      ...(gates?.missing ?? []),
      ...rollbacks.map(({ id, snapshot, failed }) =>
        failed
          ? `The rollback of ${id} to snapshot ${snapshot} stopped half-way: ${failed}`
          : `The rollback of ${id} is not finished: the next workflow command finishes it.`,
      ),
      ...(unfinished_writes > 0 ? [`${unfinished_writes} unfinished: the next command that writes finishes it.`] : []),
    ],
    next:
      damaged.length > 0
        ? [{ operation: "workspace.doctor" }]
        : next.length === 0
          ? [
              ...(isNew ? [{ operation: "workspace.init" }] : trust),
              { operation: "change.start", input: { description: "…" } },
              ...(project || specs ? [] : imported ? [{ operation: "workspace.validate" }] : suggestFirstCalls(gates)),
            ]
          : [...trust, ...next],
  };
}

function formatWorkspaceTitle(changes: number, workflows: number): string {
  const said =
    changes === 0 ? "No change is active." : `${changes} ${changes === 1 ? "change is" : "changes are"} active.`;
  if (workflows === 0) return said;
  const running = `${workflows} ${workflows === 1 ? "workflow is" : "workflows are"} in progress.`;
  return changes === 0 ? running : `${running} ${said}`;
}

/** Approvals from before they carried a proof count as unproved too. */
const listUnprovedApprovals = ({ id, approvals }: WorkflowRecord): { id: string; stage: string; by: string }[] =>
  approvals.filter((each) => "spec" in each || each.proof === "relayed").map(({ stage, by }) => ({ id, stage, by }));

async function listQueuedWorkflows(running: readonly WorkflowRecord[]): Promise<WorkspaceStatusResult["workflows"]> {
  if (running.length === 0) return [];
  const { sortWorkQueue } = await import("#planning/model/workflow/work-queue.ts");
  return sortWorkQueue(running).map(({ id, kind, current_stage: stage, priority }) => ({ id, kind, stage, priority }));
}

const loadFeatureView = async (engine: OnboardingEngine, name: string, isImpact: boolean) =>
  (await import("#roadmap/operations/feature/feature-status.ts")).readFeatureStatus(engine, name, isImpact);

/** Where there are commands to run, there is code to adopt, and no new project to plan. */
const suggestFirstCalls = (gates: WorkspaceStatusResult["gates"]): OperationCall[] => [
  ...(gates ? [] : [{ operation: "project.init", input: { name: "…", description: "…" } }]),
  { operation: "adopt.bootstrap" },
];

const formatProjectFact = ({
  name,
  stage,
  status,
}: NonNullable<z.infer<typeof WorkspaceStatusOutput>["project"]>): string =>
  `${sanitizeText(name, 80)} (${status === "active" ? `stage ${stage}` : status})`;

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

/** A call without a workspace of its own, or with unreadable settings, has other problems to report. */
async function findMissingTrust(engine: OnboardingEngine): Promise<WorkspaceStatusResult["gates"]> {
  const gates = await import("#checking/operations/stack/gate-readiness.ts");
  const readiness = await gates.readGateReadiness(engine).catch(() => undefined);
  if (!readiness || (readiness.trust === "nothing" && readiness.problems.length === 0)) return undefined;
  const missing = [...gates.describeSettingProblems(readiness), ...gates.describeAbsentTools(readiness.absent)];
  const isUntrusted = readiness.trust === "untrusted";
  return { trust: isUntrusted ? "untrusted" : "given", commands: readiness.commands, missing };
}

async function judgeChangeRecords(engine: OnboardingEngine) {
  const { loadChangeRecords } = await import("#planning/operations/change/change-records.ts");
  return engine.store.read((tree) => loadChangeRecords(tree, [paths.CHANGES_FOLDER]));
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
