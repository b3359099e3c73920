import { formatOpenChecks, isOpenCheck } from "#checking/operations/gate/gate-result.ts";
import { advanceChangeOperation } from "#checking/operations/change-gate/advance-change.ts";
import { quickChangeOperation } from "#checking/operations/change-gate/quick-change.ts";
import { advanceWorkflowOperation } from "#checking/operations/workflow-gate/advance-workflow.ts";
import { Fault } from "#kernel/model/fault.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { quote } from "#kernel/model/text-format.ts";
import { CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import { isOpenChange, loadChangeRecords } from "#planning/operations/change/change-records.ts";
import { archiveChangeOperation, resizeChangeOperation } from "#planning/operations/change/revise-change.ts";
import { describeOutgrownLimits, selectSmallestFittingSize } from "#planning/model/change/change-size.ts";
import { formatContextFindings } from "#planning/operations/context/context-findings.ts";
import { contextCheckOperation } from "#planning/operations/context/context-reports.ts";
import { manageWorkOperation } from "#planning/operations/workflow/manage-attribution.ts";
import { loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import type { RunningEngine } from "./engine.ts";

/** Work outside of the roadmap that one agent does. A change without an id is started when its worktree exists. */
export interface SingleWork {
  readonly kind: "change" | "workflow";
  readonly id?: string;
  readonly about: string;
}

/** `question`: the user has to answer before it goes on. */
interface WorkVerdict {
  readonly isDone: boolean;
  readonly problems: readonly string[];
  readonly question?: string;
  /** A stage ended or the change grew, so the agent has more to do and has made no mistake. */
  readonly isProgress?: boolean;
}

const CONTEXT_TOKENS = 1_500;
const MAX_CLAIMED_AT_ONCE = 500;

/** The open change or workflow of this id, or a new quick change if the text is a description. */
export async function findSingleWork(engine: RunningEngine, what: string): Promise<SingleWork> {
  const { workflows, changes } = await engine.store.read(loadWorkRuntime);
  const workflow = workflows.get(what);
  if (workflow?.status === "active") return { kind: "workflow", id: what, about: workflow.title };
  const change = changes.find(({ id }) => id === what);
  if (change) return { kind: "change", id: what, about: change.description };
  if (/\s/.test(what.trim())) return { kind: "change", about: what.trim() };
  const open = [...[...workflows.values()].filter(({ status }) => status === "active"), ...changes];
  throw new Fault("run.unknown-work", {
    what: `${quote(what, 60)} is not an open change or workflow.`,
    why: open.length === 0 ? "Nothing is open." : `Open: ${open.map(({ id }) => id).join(", ")}.`,
    fix: 'Name one, or describe new work: tenon run "Fix the flaky login test"',
  });
}

/** The documents that the agent of a work may write. All other files of `sdd/` are Tenon's. */
export const ownsDocument = ({ kind, id }: SingleWork, path: string): boolean =>
  kind === "workflow"
    ? path === `sdd/specs/${id}.yaml`
    : /^sdd\/changes\/[^/]+\/[\w-]+\.md$/.test(path) && (id === undefined || path.startsWith(`sdd/changes/${id}/`));

/** Starts a new change in the worktree, and composes the task of its agent. */
export async function composeWorkBrief(inner: RunningEngine, work: SingleWork): Promise<string> {
  const guides: string[] = [];
  let found = "";
  if (work.kind === "workflow") {
    const { workflows } = await inner.store.read(loadWorkRuntime);
    const record = workflows.get(work.id ?? "");
    const names = record?.stages.slice(record.stages.findIndex(({ name }) => name === record.current_stage)) ?? [];
    for (const { name } of names) guides.push(await inner.assets.text(`guides/workflow/${record?.kind}/${name}`));
  } else {
    const change = await findOpenChange(inner, work);
    const started =
      change ?? (await quickChangeOperation.run(inner, { description: work.about, concurrent: true })).change;
    const context = await contextCheckOperation.run(inner, { change_id: started.id, max_tokens: CONTEXT_TOKENS });
    const { quotes, points } = formatContextFindings(context.findings, context.omitted);
    const facts = context.facts.map(({ id, severity, fact }) => `${id} ${severity}: ${fact}`);
    found = [...facts, ...points, ...quotes.map(({ label, text }) => `${label}\n${text}`)].join("\n\n");
    if (started.size === "quick") guides.push(await inner.assets.text("guides/quick"));
    else guides.push(...(await listStageGuides(inner, started)));
  }
  const about = work.id === undefined ? work.about : `${work.id}: ${work.about}`;
  return renderTemplate(await inner.assets.text("run/work"), { about, found, guides: guides.join("\n\n") });
}

/** Ends every stage that is complete. In a worktree of its own, everything that changed is the work. */
export async function endWorkStages(
  main: RunningEngine,
  inner: RunningEngine,
  work: SingleWork,
  changed: readonly string[],
): Promise<WorkVerdict> {
  const change = work.kind === "change" ? await findOpenChange(inner, work) : undefined;
  const id = work.kind === "workflow" ? work.id : change?.id;
  if (id === undefined) {
    // A call that was interrupted has archived it.
    const isDone = await isNewlyArchived(main, inner, work);
    return { isDone, problems: isDone ? [] : ["The record of the change is gone. Start it again."] };
  }
  // Work that was started in another checkout has no baseline here, so all of its files count without a claim.
  const paths = work.id === undefined ? changed.filter((path) => !path.startsWith("sdd/")) : [];
  for (let at = 0; at < paths.length; at += MAX_CLAIMED_AT_ONCE)
    await manageWorkOperation.run(inner, { action: "claim", id, paths: paths.slice(at, at + MAX_CLAIMED_AT_ONCE) });
  try {
    return await (change ? endChange(inner, change) : endWorkflow(inner, id));
  } catch (error) {
    // The agent completes its own documents. Everything else waits for the user.
    if (!(error instanceof Fault) || !/^(?:(?:change|flow|spec)\.|input\.missing$)/.test(error.code)) throw error;
    return { isDone: false, problems: [`${error.what} ${error.why}`] };
  }
}

async function isNewlyArchived(main: RunningEngine, inner: RunningEngine, { id, about }: SingleWork): Promise<boolean> {
  const load = async ({ store }: RunningEngine) =>
    (await store.read((tree) => loadChangeRecords(tree, [HISTORY_FOLDER]))).changes.map(({ record }) => record);
  const known = new Set((await load(main)).map((record) => record.id));
  const isIt = (record: { readonly id: string; readonly description: string }): boolean =>
    id === undefined ? record.description === about : record.id === id;
  return (await load(inner)).some((record) => isIt(record) && !known.has(record.id));
}

async function endChange(inner: RunningEngine, before: ChangeRecord): Promise<WorkVerdict> {
  const { id: change_id } = before;
  const ended =
    before.size === "quick"
      ? await quickChangeOperation.run(inner, { done: true, change_id })
      : await advanceChangeOperation.run(inner, { change_id });
  const problems = ended.problems.map(({ problem }) => problem);
  const question = "user_question" in ended ? ended.user_question : undefined;
  if (question) return { isDone: false, problems, question: question.id };
  const { passed, outgrown } = ended;
  let { change } = ended;
  const size = outgrown && selectSmallestFittingSize(outgrown);
  if (outgrown && size !== undefined && size !== change.size) {
    const reason = describeOutgrownLimits(before, outgrown).join("; ");
    ({ change } = await resizeChangeOperation.run(inner, { change_id, size, reason }));
  }
  if (change.size !== before.size || (passed && change.status === "active")) {
    const guides = await listStageGuides(inner, change);
    const more = `It is a ${change.size} change, and these documents are not written yet.\n\n${guides.join("\n\n")}`;
    return { isDone: false, problems: [...problems, more], isProgress: true };
  }
  if (!passed) return { isDone: false, problems, isProgress: change.current_stage !== before.current_stage };
  if (before.size !== "quick") await archiveChangeOperation.run(inner, { change_id });
  return { isDone: true, problems: [] };
}

type ChangeRecord = NonNullable<Awaited<ReturnType<typeof findOpenChange>>>;

interface OpenStages {
  readonly id: string;
  readonly current_stage: string;
  readonly stages: readonly { readonly name: string }[];
}

/** Each stage that is not done, with the file of its document. */
function listStageGuides(inner: RunningEngine, { id, stages, current_stage }: OpenStages): Promise<string[]> {
  const open = stages.slice(stages.findIndex(({ name }) => name === current_stage));
  return Promise.all(
    open.map(
      async ({ name }) =>
        `${await inner.assets.text(`guides/change/${name}`)}\n\nFile: ${CHANGES_FOLDER}/${id}/${name}.md`,
    ),
  );
}

async function endWorkflow(inner: RunningEngine, id: string): Promise<WorkVerdict> {
  for (;;) {
    const { passed, checks, question, workflow } = await advanceWorkflowOperation.run(inner, { id });
    if (workflow.status === "completed") return { isDone: true, problems: [] };
    if (passed) continue;
    const problems = formatOpenChecks(checks.filter(isOpenCheck));
    return { isDone: false, problems, ...(question ? { question: question.id } : {}) };
  }
}

async function findOpenChange(inner: RunningEngine, { id, about }: SingleWork) {
  const { changes } = await inner.store.read((tree) => loadChangeRecords(tree, [CHANGES_FOLDER]));
  const open = changes.map(({ record }) => record).filter(isOpenChange);
  return open.find((record) => (id === undefined ? record.description === about : record.id === id));
}
