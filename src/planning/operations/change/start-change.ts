import type * as z from "zod";
import { beginChange } from "../../model/change/change-lifecycle.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { ChangeStart } from "./schema.ts";
import {
  CHANGE_FOLDERS,
  listActiveChanges,
  createChangeRecordStep,
  countUnfinishedWorkflows,
} from "./change-records.ts";
import { loadArtifactForms, planArtifactTemplates } from "./artifact-templates.ts";
import { formatChangePage, loadOpenChangeStage, createChangeView } from "./change-page.ts";
import { nextLargerSize, nextSmallerSize, proposeChangeSize } from "../../model/change/change-size.ts";
import { measureChangeOutlook } from "./change-outlook.ts";
import { storeWorkBaseline } from "../workflow/attributed-work.ts";
import { WORK_SPACE } from "../workflow/ledger-spaces.ts";
import { commitDraft } from "../workflow/workflow-runtime.ts";
import {
  dropSnapshotRefs,
  keepBaselineRef,
  parkSessionWork,
  pruneExpiredSnapshots,
  storeParkedWork,
  writeWithSnapshots,
} from "../workflow/workflow-snapshots.ts";
import { formatParkedNote } from "../workflow/workflow-view.ts";
import { focusSessionWork, syncWorkflowState } from "../workflow/workflow-writes.ts";

export const startChangeOperation = defineOperation({
  id: "change.start",
  effect: "append",
  input: async () => (await import("./schema.ts")).ChangeStart,
  output: async () => (await import("./schema.ts")).ChangeStarted,
  async run(engine: PlanningEngine, wanted) {
    const { type, size } = wanted;
    if (type === undefined || size === undefined) return { proposed: await proposeChangeStart(engine, wanted) };
    return startChange(engine, { ...wanted, type, size });
  },
  page({ change, next, proposed, notes = [] }) {
    if (proposed) {
      const { type, size, because, unmeasured, begin } = proposed;
      const isSmall = size === "small";
      return {
        title: `Nothing was started. Proposed: ${type === "enhancement" ? "an" : "a"} ${type} of size ${size}.`,
        points: [...because, ...unmeasured, ...(isSmall ? ["For only a few lines, take `sdd_quick`."] : [])],
        next: [
          ...begin.map((input) => ({ operation: "change.start", input })),
          ...(isSmall ? [{ operation: "change.quick", input: { description: begin[0]?.description } }] : []),
        ],
      };
    }
    if (!change || !next) throw new Error("A change is started or proposed.");
    const page = formatChangePage(`Change ${change.id} started; stage ${next.stage} is open.`, change, next.guide);
    const inPlace = `Each document has its template in ${change.path}. Write as many as you can, then advance once.`;
    return { ...page, points: [inPlace, ...(page.points ?? []), ...notes] };
  },
});

/** Starts a change of any size. Its files of this moment are the baseline of its work. */
export async function startChange(
  engine: PlanningEngine,
  wanted: Pick<ChangeRecord, "type" | "size" | "description"> & { readonly concurrent?: boolean | undefined },
) {
  const { type, size } = wanted;
  const forms = await loadArtifactForms(engine);
  const { session, runtime } = await syncWorkflowState(engine);
  const proposal = { ...wanted, base_commit: await engine.source.head() };
  const parked = await parkSessionWork(engine, runtime, session);
  const baseline = await storeWorkBaseline(engine);
  const write = () =>
    commitDraft(engine, (draft, tree) => {
      const workflows = countUnfinishedWorkflows(tree);
      // A folder without a record also takes a name.
      const names = CHANGE_FOLDERS.flatMap((shelf) => tree.names(shelf).map((name) => name.toLowerCase()));
      const isTaken = (id: string): boolean => names.includes(id);
      const record = beginChange(proposal, listActiveChanges(tree), isTaken, draft.at, workflows);
      const gone = storeParkedWork(draft, tree, session, parked);
      focusSessionWork(draft, record.id, { session, checkout: engine.checkout, tree: parked.tree });
      if (baseline) draft.put(WORK_SPACE, record.id, baseline);
      for (const step of planArtifactTemplates(tree, record, forms)) draft.step(step);
      draft.step(createChangeRecordStep(record));
      draft.say("change.started", record.id, { type, size, description: record.description });
      return { record, gone };
    });
  const { record, gone } = await writeWithSnapshots(engine, [parked.snapshot], write);
  if (baseline) await keepBaselineRef(engine, record.id, baseline.commit);
  await dropSnapshotRefs(engine, gone);
  await pruneExpiredSnapshots(engine);
  return {
    change: createChangeView(record),
    next: await loadOpenChangeStage(engine, record),
    notes: [...formatParkedNote(parked.snapshot), ...(await engine.missingTools())],
  };
}

const MAX_LISTED_REQUIREMENTS = 50;

async function proposeChangeStart(engine: PlanningEngine, wanted: z.infer<typeof ChangeStart>) {
  const { outlook, unmeasured } = await measureChangeOutlook(engine, wanted.description);
  const { type, size, because } = proposeChangeSize(wanted.description, outlook, wanted);
  const { type: _, size: given, ...rest } = wanted;
  // A given size is the only choice.
  const sizes = given ? [size] : [size, nextSmallerSize(size), nextLargerSize(size)];
  const { files, requirements = [] } = outlook;
  return {
    type,
    size,
    because: [...because],
    measured: {
      files: files?.count ?? 0,
      best: [...(files?.best ?? [])],
      requirements: requirements.slice(0, MAX_LISTED_REQUIREMENTS),
    },
    unmeasured: [
      ...unmeasured,
      ...((await engine.snapshots.isPossible())
        ? []
        : ["There is no git repository here, so Tenon cannot warn you when it outgrows its size."]),
    ],
    begin: sizes.flatMap((each) => (each ? [{ type, size: each, ...rest }] : [])),
  };
}
