import type * as z from "zod";
import { isChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import type { FlowStatus } from "#domain/flow/flow.ts";
import { plain } from "#domain/quote.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { CHANGES, HISTORY, PROJECT, REQUIREMENTS } from "#domain/workspace/path.ts";
import { everyChange } from "../change/census.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../ports/store.ts";
import { WORKFLOWS } from "../workflow/spaces.ts";
import type { WorkspaceStatus } from "./schema.ts";

type Output = z.infer<typeof WorkspaceStatus>;

export const statusOfWorkspace = operation<Record<string, never>, Output>({
  id: "workspace.status",
  effect: "read",
  output: async () => (await import("./schema.ts")).WorkspaceStatus,
  async run(engine) {
    const { census, archived, hasProject, specs, workflows } = await engine.store.read((tree) => ({
      census: everyChange(tree, [CHANGES]),
      hasProject: tree.has(PROJECT),
      specs: tree.has(REQUIREMENTS),
      archived: tree.names(HISTORY).filter(isChangeId).length,
      workflows: workflowsIn(tree),
    }));
    const project = hasProject ? await lookAt(engine) : undefined;
    const ledger = await lookAtLedger(engine);
    const records = census.changes.map(({ record }) => record);
    const count = (status: FlowStatus): number => records.filter((record) => record.status === status).length;
    return {
      root: engine.root,
      ...(project?.found ? { project: project.found } : {}),
      specs,
      changes: records
        .filter((record) => record.status === "active")
        .map(({ id, type, size, current_stage, updated_at }) => ({ id, type, size, stage: current_stage, updated_at })),
      workflows: await inQueue(workflows),
      completed: records.filter((record) => record.status === "completed").map((record) => record.id),
      counts: { active: count("active"), completed: count("completed"), abandoned: count("abandoned"), archived },
      unfinished_writes: ledger.pending,
      damaged: [...(project?.damaged ?? []), ...census.damaged, ...ledger.damaged],
    };
  },
  page({ root, project, specs, changes, workflows, completed, counts, unfinished_writes, damaged }) {
    const next = [
      ...(workflows.length > 0 ? [{ operation: "workflow.status" }] : []),
      ...(project?.status === "active" ? [{ operation: "project.context" }] : []),
      ...changes.map((change) => ({ operation: "change.status", input: { change_id: change.id } })),
      ...completed.map((change_id) => ({ operation: "change.archive", input: { change_id } })),
    ];
    return {
      title: titleOf(changes.length, workflows.length),
      facts: [
        ["workspace", root],
        ...(project ? [["project", projectLine(project)] as const] : []),
        [
          "changes",
          Object.entries(counts)
            .map(([status, n]) => `${n} ${status}`)
            .join(", "),
        ],
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
        ...(unfinished_writes > 0
          ? [`${unfinished_writes} unfinished: the next command that writes finishes it.`]
          : []),
      ],
      next:
        damaged.length > 0
          ? [{ operation: "workspace.doctor" }]
          : next.length === 0
            ? [{ operation: "change.start", input: { description: "…" } }, ...(project || specs ? [] : BEGINNINGS)]
            : next,
    };
  },
});

function titleOf(changes: number, workflows: number): string {
  const said =
    changes === 0 ? "No change is active." : `${changes} ${changes === 1 ? "change is" : "changes are"} active.`;
  if (workflows === 0) return said;
  const running = `${workflows} ${workflows === 1 ? "workflow is" : "workflows are"} under way.`;
  return changes === 0 ? running : `${running} ${said}`;
}

/** A ledger that cannot be read is told below. */
function workflowsIn(tree: Tree): WorkflowRecord[] {
  try {
    return [...tree.kept(WORKFLOWS).values()].filter(({ status }) => status === "active");
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

/** The most urgent first. */
async function inQueue(running: readonly WorkflowRecord[]): Promise<Output["workflows"]> {
  if (running.length === 0) return [];
  const { inOrder } = await import("#domain/workflow/queue.ts");
  return inOrder(running).map(({ id, kind, current_stage, priority }) => ({
    id,
    kind,
    stage: current_stage,
    priority,
  }));
}

/** Loaded where there is one: this command is asked for more often than any other. */
const lookAt = async ({ store }: Pick<Engine, "store">) =>
  store.read((await import("../project/look.ts")).lookAtProject);

/** For a workspace without specs: a new project, or code that is there already. */
const BEGINNINGS = [
  { operation: "project.init", input: { name: "…", description: "…" } },
  { operation: "adopt.bootstrap" },
];

function projectLine({ name, stage, status }: NonNullable<z.infer<typeof WorkspaceStatus>["project"]>): string {
  return `${plain(name, 80)} (${status === "active" ? `stage ${stage}` : status})`;
}

/** A ledger that cannot be read is one of the things to be told, not a reason to tell nothing. */
async function lookAtLedger(engine: Engine): Promise<{ pending: number; damaged: { path: string; why: string }[] }> {
  try {
    return { pending: (await engine.store.pending()).length, damaged: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { pending: 0, damaged: [{ path: "the ledger", why: error.why }] };
  }
}
