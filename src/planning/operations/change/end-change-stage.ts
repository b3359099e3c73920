import type * as z from "zod";
import { isUntouchedTemplate, stripTemplateMark } from "../../model/change/artifact-template.ts";
import { checkChangeArtifact } from "../../model/change/change-artifact.ts";
import { advanceChange } from "../../model/change/change-lifecycle.ts";
import type { ChangeGrowth, ChangeRecord, ChangeView } from "../../model/change/change-record.ts";
import { describeOutgrownLimits } from "../../model/change/change-size.ts";
import { listGuidePlaceholders } from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import { limitShownProblems, type Problem, type Verdict } from "#kernel/model/verdict.ts";
import { getChangeArtifactPath, CHANGES_FOLDER, getSupersededFolder } from "#kernel/model/workspace-paths.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import { loadTemplateLines } from "../context/context-snapshot.ts";
import { findContextCheckProblems } from "../context/context-sources.ts";
import type { PlanningEngine } from "../engine.ts";
import { type ApprovalNeed, commitApproved } from "../approval/commit-approved.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { planStageEnd } from "../stage-end.ts";
import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import type { ChangeId } from "#kernel/model/stages/change-stages.ts";
import { describeEditedArtifact, listEditedArtifacts, loadArtifactReferences } from "./change-inspection.ts";
import { extractHeldText, isHeldStage } from "../../model/change/held-artifacts.ts";
import { calculateChangeGrowth, measureChangeGrowth, storeKeptGrowth } from "./change-growth.ts";
import {
  fillGuideIds,
  findMisplacedDeltas,
  findUncoveredSpec,
  getDeltaStage,
  loadFreeIds,
  numberNewItems,
  stampSpecDeltas,
} from "./change-deltas.ts";
import { listNewIds } from "../../model/living-spec/delta-merge.ts";
import { readArtifactText } from "./artifact-files.ts";
import { type ArtifactForms, loadArtifactForms, planArtifactTemplates } from "./artifact-templates.ts";
import type { ChangeAdvance } from "./schema.ts";
import { chooseActiveChange, createChangeRecordStep } from "./change-records.ts";
import { loadOpenChangeStage, createChangeView } from "./change-page.ts";

/** What the last stage needs beside its artifact: the result of the checks, and what to write if they passed. */
export interface ChangeVerification {
  readonly change: ChangeId;
  readonly problems: readonly Problem[];
  readonly record: Pick<ChangeRecord, "no_code">;
  /** What the user has to accept once nothing else is missing. */
  readonly needs?: readonly ApprovalNeed[] | undefined;
  /** Writes the receipt. Called only without problems. */
  readonly plan: (tree: StoreTree, at: string) => PlannedReceipt;
}

interface PlannedReceipt extends Pick<StorePlan<unknown>, "steps" | "occurrences"> {
  readonly keeps: NonNullable<StorePlan<unknown>["keeps"]>;
  readonly receipt: string;
}

interface EndedChangeStage extends Verdict {
  readonly record: ChangeRecord;
  readonly artifact: string | undefined;
  readonly outgrown: ChangeGrowth | undefined;
  readonly overlaps: ReturnType<typeof stampSpecDeltas>["overlaps"];
  readonly notes: readonly string[];
  readonly receipt?: string;
  readonly unverified?: UnverifiedChange;
}

export interface UnverifiedChange {
  readonly record: ChangeRecord;
  readonly text: string;
}

/** The last stage also needs a verification. Without one, `unverified` is the change, and nothing is written. */
export async function endChangeStage(
  engine: PlanningEngine,
  input: z.infer<typeof ChangeAdvance>,
  verified?: ChangeVerification,
) {
  const config = await engine.settings.load();
  const forms = await loadArtifactForms(engine);
  const own = await loadTemplateLines(engine);
  const measured = await measureChangeGrowth(engine, input.change_id);
  const prepared = { config, forms, own, measured };
  const { result: ended, question } = await commitApproved(engine, (tree, { problem }) => {
    const plan = planChangeStageEnd(engine, tree, input, prepared, verified && addProblem(verified, problem));
    return { ...plan, needs: plan.result.receipt === undefined ? undefined : verified?.needs };
  });
  const { passed, problems, record, artifact, outgrown, overlaps, receipt, unverified } = ended;
  if (unverified) return { unverified };
  const isUnmeasured = measured?.why !== undefined && measured.change === record.id && record.status === "completed";
  const notes = [
    ...ended.notes,
    ...(isUnmeasured ? [`Tenon could not measure whether it outgrew its size: ${measured.why}.`] : []),
  ];
  return {
    passed,
    problems: limitShownProblems(problems),
    change: createChangeView(record),
    ...(passed && artifact !== undefined ? { artifact } : {}),
    ...(receipt === undefined ? {} : { receipt }),
    ...(passed && overlaps.length > 0 ? { overlaps } : {}),
    ...(passed && record.status === "active" ? { next: await loadOpenChangeStage(engine, record) } : {}),
    ...(outgrown ? { outgrown } : {}),
    ...(question ? { user_question: question } : {}),
    ...(passed && notes.length > 0 ? { notes } : {}),
  };
}

const addProblem = (verified: ChangeVerification, problem: string | undefined): ChangeVerification =>
  problem === undefined ? verified : { ...verified, problems: [...verified.problems, { problem }] };

/** Read before the store's lock is taken. */
interface PreparedStageEnd {
  readonly config: Config;
  readonly forms: ArtifactForms;
  readonly own: Awaited<ReturnType<typeof loadTemplateLines>>;
  readonly measured: Awaited<ReturnType<typeof measureChangeGrowth>>;
}

function planChangeStageEnd(
  engine: PlanningEngine,
  tree: StoreTree,
  input: z.infer<typeof ChangeAdvance>,
  { config, forms, own, measured }: PreparedStageEnd,
  verified: ChangeVerification | undefined,
): StorePlan<EndedChangeStage> {
  const change = chooseActiveChange(tree, input.change_id, "change.advance");
  const { id, current_stage: stage, stages } = change.record;
  const [moved, effects] = advanceChange(change.record, engine.clock.now());
  if (input.stage !== undefined && input.stage !== stage) {
    throw new Fault("change.other-stage", {
      what: `Stage ${input.stage} of ${id} is not open.`,
      why: `Stage ${stage} is open: the call was repeated, or the change has moved on.`,
      fix: { operation: "change.status", input: { change_id: id } },
    });
  }
  const isDeltaStage = stage === getDeltaStage(change.record);
  const { artifact, named } = numberArtifact(tree, prepareArtifact(tree, input, change.record), change.record);
  const text = artifact?.text ?? "";
  const uncovered = findUncoveredSpec(tree, change.record, stage, text);
  const nextIds = stage === "spec" ? loadFreeIds(tree, id).ids : [];
  const guide = forms.guideByStage.get(stage) ?? "";
  const blanks = listGuidePlaceholders(stage === "spec" ? fillGuideIds(guide, nextIds) : guide);
  const stamped = isDeltaStage ? stampSpecDeltas(engine, tree, change.record, text) : undefined;
  const added = stamped ? { deltaIds: stamped.deltas.flatMap(listNewIds) } : {};
  const references = { ...loadArtifactReferences(tree, change, stage, config), ...added, blanks, nextIds };
  const growth = calculateChangeGrowth(tree, change, measured, text);
  const measuredNow = storeKeptGrowth(moved, stage, growth);
  const { deltas: _, ...withoutDeltas } = measuredNow;
  const restamped = stamped?.deltas.length ? { ...withoutDeltas, deltas: stamped.deltas } : withoutDeltas;
  const { size } = change.record;
  const beyond = growth ? describeOutgrownLimits(change.record, growth) : [];
  const outgrew = `It has outgrown ${size} since it started: ${beyond.join("; ")}`;
  const missing = stages
    .filter(({ status }) => status === "completed")
    .map(({ name }) => getChangeArtifactPath(change.shelf, id, name))
    .filter((each) => readArtifactText(tree, each) === undefined);
  const proof = stages.at(-1)?.name !== stage ? "not needed" : verified?.change === id ? verified : "missing";
  const { no_code: __, ...after } = stamped ? restamped : measuredNow;
  const accepted = isHeldStage(stage)
    ? { accepted: { ...after.accepted, [stage]: engine.digest(extractHeldText(stage, text)) } }
    : {};
  const plan = planStageEnd(tree, {
    area: "change",
    subject: id,
    record: change.record,
    end: () => [{ ...after, ...accepted, ...(typeof proof === "object" ? proof.record : {}) }, effects],
    problems: [
      ...missing.map((each) => ({ problem: `${each} is missing: restore it, or reopen its stage.` })),
      ...listEditedArtifacts(engine, tree, change).map((edited) => ({
        problem: describeEditedArtifact(edited.path, edited.stage),
      })),
      ...(artifact ? checkChangeArtifact(stage, text, references).problems : []),
      ...(isContextOwed(change.record) ? findContextCheckProblems(engine, tree, { change, own }, text) : []),
      ...(stamped?.problems ?? []),
      ...findMisplacedDeltas(change.record, stage, text),
      ...uncovered.problems,
      ...(beyond.length > 0 ? [{ problem: `${outgrew}. Make it larger, or keep its size with a reason.` }] : []),
      ...(typeof proof === "object" ? proof.problems : []),
    ],
    ...(artifact ? { artifact } : {}),
    data: { ...(artifact ? { artifact: artifact.path } : {}), ...(input.title ? { title: input.title } : {}) },
    createStep: createChangeRecordStep,
  });
  const { overlaps = [], repeats = [] } = stamped ?? {};
  const outgrown = beyond.length > 0 ? growth : undefined;
  const templates = plan.result.passed ? planArtifactTemplates(tree, plan.result.record, forms, true) : [];
  const steps = [...templates, ...plan.steps];
  const notes = [...named, ...repeats, ...uncovered.notes];
  const result = { ...plan.result, artifact: artifact?.path, outgrown, overlaps, notes };
  if (proof === "not needed" || !result.passed) return { ...plan, steps, result };
  if (proof === "missing")
    return { steps: [], occurrences: [], result: { ...result, unverified: { record: change.record, text } } };
  return addReceipt({ ...plan, result }, proof.plan(tree, engine.clock.now()));
}

const addReceipt = (
  plan: StorePlan<EndedChangeStage>,
  { steps, keeps, occurrences, receipt }: PlannedReceipt,
): StorePlan<EndedChangeStage> => ({
  steps: [...steps, ...plan.steps],
  keeps,
  occurrences: [...occurrences, ...plan.occurrences],
  result: { ...plan.result, receipt },
});

/** A stale file is not taken: it has to be written again, or confirmed. */
export const hasNextArtifact = async (engine: PlanningEngine, change: ChangeView): Promise<boolean> =>
  change.status === "active" &&
  !isOpenStageStale(change) &&
  engine.store.read(
    (tree) =>
      readArtifactText(tree, getChangeArtifactPath(CHANGES_FOLDER, change.id, change.current_stage)) !== undefined,
  );

/** A quick change has no stage for its check, so the check is owed at its end. */
const isContextOwed = ({ current_stage, size, context_check }: ChangeRecord): boolean =>
  current_stage === "context-check" || (size === "quick" && context_check === undefined);

/** Undefined for a quick change without a document: its sentence and its diff are the record. */
function prepareArtifact(tree: StoreTree, input: z.infer<typeof ChangeAdvance>, record: ChangeRecord) {
  const { content, keep = false } = input;
  if (record.size === "quick" && content === undefined && !keep) return undefined;
  const path = getChangeArtifactPath(CHANGES_FOLDER, record.id, record.current_stage);
  const before = tree.text(path);
  const superseded = { folder: getSupersededFolder(record.id), name: record.current_stage };
  // A file that is taken in place, or a template, is not an earlier text.
  const isReplaced = content !== undefined && before !== undefined && !isUntouchedTemplate(before);
  return {
    path,
    text: buildArtifactText(input, record, before),
    superseded,
    generated: isReplaced ? undefined : before,
  };
}

/** Requirements that have only a name get their ids, which the stored text then shows. */
function numberArtifact<Artifact extends { readonly text: string }>(
  tree: StoreTree,
  artifact: Artifact | undefined,
  record: ChangeRecord,
) {
  if (!artifact || record.current_stage !== getDeltaStage(record)) return { artifact, named: [] };
  const { text, named } = numberNewItems(tree, record, artifact.text);
  return { artifact: { ...artifact, text }, named: named.map(({ id, name }) => `${id} is "${name}".`) };
}

/** An agent may hand in its text as the guide shows it: in a block of Markdown. */
const removeOuterFence = (text: string): string =>
  /^```(?:markdown|md)\n([\s\S]*)\n```$/.exec(text)?.[1]?.trim() ?? text;

function buildArtifactText(
  { content, keep, title }: z.infer<typeof ChangeAdvance>,
  record: ChangeRecord,
  before: string | undefined,
): string {
  const stage = `Stage ${record.current_stage} of ${record.id}`;
  const fix = { operation: "change.advance", input: { change_id: record.id, content: "…" } };
  if (keep) {
    if (content === undefined && isOpenStageStale(record) && before !== undefined) return before;
    throw new Fault("change.nothing-to-keep", {
      what: `${stage} cannot be kept.`,
      why: content === undefined ? "Only a stale artifact can be confirmed." : "Give content or keep, not both.",
      fix,
    });
  }
  const isUnwritten = before === undefined || before.trim() === "" || isUntouchedTemplate(before);
  if (content === undefined && (isUnwritten || isOpenStageStale(record))) {
    const path = getChangeArtifactPath(CHANGES_FOLDER, record.id, record.current_stage);
    const state = before === undefined ? "does not exist" : before.trim() === "" ? "is empty" : "is still the template";
    const why = `${path} ${isOpenStageStale(record) ? "is stale" : state}.`;
    const write = `Write ${path}, then: tenon change advance --change-id ${record.id}`;
    const fixes = isOpenStageStale(record) ? fix : [write, fix];
    throw new Fault("input.missing", { what: `${stage} cannot end.`, why, fix: fixes });
  }
  const body = removeOuterFence(stripTemplateMark((content ?? before ?? "").replace(/\r\n?/g, "\n").trim()));
  const heading = title && !body.startsWith("# ") ? `# ${title.trim().replace(/\s+/g, " ")}\n\n` : "";
  return `${heading}${body}\n`;
}
