import { buildChangeFlow, parseChangeId } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import { hasExpectedChangeFlow } from "#planning/model/change/change-lifecycle.ts";
import { Fault } from "#kernel/model/fault.ts";
import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { findUnearnedStages } from "#planning/model/project/project-lifecycle.ts";
import { PROJECT_STAGES } from "#kernel/model/stages/project-stages.ts";
import type { ProjectRecord } from "#planning/model/project/project-record.ts";
import { quote } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { createChangeShape } from "#planning/operations/change/change-records.ts";
import { inspectStoredChange } from "#planning/operations/change/change-inspection.ts";
import type { RevisedRecord, StoredRecordShape, StoreTree } from "#store/operations/ports/store.ts";
import type { OnboardingEngine } from "../engine.ts";
import { createFeatureShape, parseWaveFileName, createWaveShape } from "#roadmap/operations/feature/feature-records.ts";
import { inspectFeatureDocuments } from "#roadmap/operations/feature/inspect-features.ts";
import { findProjectProblems } from "#planning/operations/project/project-document-files.ts";
import { projectRecordShape } from "#planning/operations/project/project-record-file.ts";
import type * as z from "zod";
import { commitApproved } from "#planning/operations/approval/commit-approved.ts";
import type { OpenQuestionOutput } from "#planning/operations/approval/schema.ts";
import { APPROVAL_LOG_SHAPE, parseApprovalLogName } from "#planning/operations/approval/approval-log-files.ts";
import { createAcceptanceShape, parseAcceptanceFileName } from "#code/operations/trace/acceptance-records.ts";

type OpenQuestion = z.infer<typeof OpenQuestionOutput>;

const RESEALABLE_RECORDS =
  "sdd/sdd.json, sdd/changes/<id>/change.json, sdd/features/<name>/spec.yaml, sdd/waves/<n>.yaml, sdd/trace/<id>.json and sdd/approvals/<subject>.json";

/** Accepts a hand-edited record that the rules allow: the flow is complete, and every stage has its artifact. */
export async function resealEditedRecord(engine: OnboardingEngine, named: string): Promise<OpenQuestion | undefined> {
  const config = await engine.settings.load();
  const path = named.replace(/^\.\//, "");
  if (path === paths.PROJECT_RECORD_PATH)
    return resealRecord(engine, {
      path: paths.PROJECT_RECORD_PATH,
      shape: projectRecordShape,
      subject: ({ name }) => name,
      check: (tree, record) => [...checkProjectFlow(record), ...findProjectProblems(tree, record)],
    });
  const accepted = parseAcceptanceFileName(/^sdd\/trace\/([^/]+)$/.exec(path)?.[1] ?? "");
  // Only the shape is checked. The drift check decides if the acceptance is still true.
  if (accepted !== undefined)
    return resealRecord(engine, {
      path: paths.getAcceptancePath(accepted),
      shape: createAcceptanceShape(accepted),
      subject: () => accepted,
    });
  const feature = /^sdd\/features\/([^/]+)\/spec\.yaml$/.exec(path)?.[1] ?? "";
  if (isFeatureName(feature))
    return resealRecord(engine, {
      path: paths.getFeatureRecordPath(feature),
      shape: createFeatureShape(feature),
      subject: () => feature,
      check: (tree, record) => inspectFeatureDocuments(tree, record).problems,
    });
  const wave = parseWaveFileName(/^sdd\/waves\/([^/]+)$/.exec(path)?.[1] ?? "");
  if (wave !== undefined)
    return resealRecord(engine, {
      path: paths.getWaveRecordPath(wave),
      shape: createWaveShape(wave),
      subject: () => `wave-${wave}`,
    });
  const subject = parseApprovalLogName(/^sdd\/approvals\/([^/]+)$/.exec(path)?.[1] ?? "");
  if (subject !== undefined)
    return resealRecord(engine, {
      path: paths.getApprovalLogPath(subject),
      shape: APPROVAL_LOG_SHAPE,
      subject: () => subject,
    });
  const [, folder, name = ""] = /^sdd\/(changes|history)\/([^/]+)\/change\.json$/.exec(path) ?? [];
  if (folder === undefined) throw createUnknownRecordFault(path);
  const id = parseChangeId(name);
  const shelf = folder === "changes" ? paths.CHANGES_FOLDER : paths.HISTORY_FOLDER;
  return resealRecord(engine, {
    path: paths.getChangeRecordPath(shelf, id),
    shape: createChangeShape(id),
    subject: () => id,
    check: (tree, record) => [
      ...checkChangeFlow(record),
      ...inspectStoredChange(tree, { shelf, record }, config).problems,
    ],
  });
}

interface EditedRecord<T extends RevisedRecord> {
  readonly path: paths.WorkspacePath;
  readonly shape: StoredRecordShape<T>;
  readonly subject: (record: T) => string;
  readonly check?: (tree: StoreTree, record: T) => readonly Problem[];
}

/** An edit by hand can skip every check, so only the user may accept it. Returns the question that is still open. */
async function resealRecord<T extends RevisedRecord>(
  engine: OnboardingEngine,
  { path, shape, subject, check }: EditedRecord<T>,
): Promise<OpenQuestion | undefined> {
  const { result, question } = await commitApproved(engine, (tree, { problem }) => {
    const record = tree.unsealed(path, shape);
    if (!record) throw createUnknownRecordFault(path);
    const problems = check?.(tree, record) ?? [];
    if (problems.length > 0) {
      throw new Fault("record.unsound", {
        what: `${path} cannot be accepted as it is now.`,
        why: problems.map((each) => each.problem).join(" "),
        fix: `Fix it, or restore the committed file: git checkout -- ${path}`,
      });
    }
    if (problem !== undefined) return { steps: [], occurrences: [], result: problem };
    return {
      steps: [{ kind: "record", path, record: { ...record, rev: record.rev + 1 }, shape }],
      occurrences: [{ kind: "record.resealed", subject: subject(record), data: { path } }],
      result: undefined,
      needs: {
        // The log of these answers cannot record its own repair.
        subject: path === paths.getApprovalLogPath("records") ? "approvals" : "records",
        what: `the edit of ${path}`,
        request: {
          id: path,
          area: "record",
          stage: "reseal",
          question: `${path} was edited by hand. Do you accept it as it is now?`,
          path,
          text: engine.digest(tree.text(path) ?? ""),
        },
      },
    };
  });
  if (result === undefined || question) return question;
  throw new Fault("record.unsound", {
    what: `${path} was not accepted.`,
    why: result,
    fix: `Restore the committed file: git checkout -- ${path}`,
  });
}

function checkProjectFlow(record: ProjectRecord): Problem[] {
  const names = record.stages.map(({ name }) => name).join(", ");
  const expected = PROJECT_STAGES.join(", ");
  return names === expected ? findUnearnedStages(record) : [{ problem: `A project has the stages ${expected}.` }];
}

function checkChangeFlow(record: ChangeRecord): Problem[] {
  if (hasExpectedChangeFlow(record)) return [];
  const { stages } = buildChangeFlow(record.type, record.size);
  const expected = stages.map(({ name }) => name).join(", ");
  return [{ problem: `A ${record.size} ${record.type} has the stages ${expected}.` }];
}

const createUnknownRecordFault = (named: string): Fault =>
  new Fault("record.unknown", {
    what: `${quote(named)} cannot be resealed.`,
    why: `It is not a record of this workspace; those are ${RESEALABLE_RECORDS}.`,
    fix: { operation: "workspace.doctor" },
  });
