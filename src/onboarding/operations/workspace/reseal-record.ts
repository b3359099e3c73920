import { buildChangeFlow, type ChangeId, parseChangeId } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import { hasExpectedChangeFlow } from "#planning/model/change/change-lifecycle.ts";
import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { findUnearnedStages } from "#planning/model/project/project-lifecycle.ts";
import { PROJECT_STAGES } from "#kernel/model/stages/project-stages.ts";
import type { ProjectRecord } from "#planning/model/project/project-record.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { TraceId } from "#kernel/model/ids/trace-id.ts";
import {
  getAcceptancePath,
  getChangeRecordPath,
  CHANGES_FOLDER,
  getFeatureRecordPath,
  HISTORY_FOLDER,
  type WorkspacePath,
  PROJECT_RECORD_PATH,
  type ChangeShelf,
  getWaveRecordPath,
} from "#kernel/model/workspace-paths.ts";
import { createChangeShape } from "#planning/operations/change/change-records.ts";
import { inspectStoredChange } from "#planning/operations/change/change-inspection.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { OnboardingEngine } from "../engine.ts";
import { createFeatureShape, parseWaveFileName, createWaveShape } from "#roadmap/operations/feature/feature-records.ts";
import { inspectFeatureDocuments } from "#roadmap/operations/feature/inspect-features.ts";
import { findProjectProblems } from "#planning/operations/project/project-document-files.ts";
import { projectRecordShape, createProjectRecordStep } from "#planning/operations/project/project-record-file.ts";
import { createAcceptanceShape, parseAcceptanceFileName } from "#code/operations/trace/acceptance-records.ts";

const RESEALABLE_RECORDS =
  "sdd/sdd.json, sdd/changes/<id>/change.json, sdd/features/<name>/spec.yaml, sdd/waves/<n>.yaml and sdd/trace/<id>.json";

/** Accepts a hand-edited record that the rules allow: the flow is complete, and every stage has its artifact. */
export async function resealEditedRecord(engine: OnboardingEngine, named: string): Promise<void> {
  const config = await engine.settings.load();
  if (/^(?:\.\/)?sdd\/sdd\.json$/.test(named)) return resealProjectRecord(engine);
  const accepted = parseAcceptanceFileName(/^(?:\.\/)?sdd\/trace\/([^/]+)$/.exec(named)?.[1] ?? "");
  if (accepted !== undefined) return resealAcceptance(engine, accepted);
  const feature = /^(?:\.\/)?sdd\/features\/([^/]+)\/spec\.yaml$/.exec(named)?.[1] ?? "";
  if (isFeatureName(feature)) return resealFeatureRecord(engine, feature);
  const wave = parseWaveFileName(/^(?:\.\/)?sdd\/waves\/([^/]+)$/.exec(named)?.[1] ?? "");
  if (wave !== undefined) return resealWaveRecord(engine, wave);
  await commitStoreWrite(engine, (tree) => {
    const { shelf, path, id } = parseChangeRecordPath(named);
    const record = tree.unsealed(path, createChangeShape(id));
    if (!record) throw createUnknownRecordFault(named);
    const problems = [...checkChangeFlow(record), ...inspectStoredChange(tree, { shelf, record }, config).problems];
    if (problems.length > 0) throw createUnsoundRecordFault(path, problems);
    return {
      steps: [{ kind: "record", path, record: { ...record, rev: record.rev + 1 }, shape: createChangeShape(id) }],
      occurrences: [{ kind: "record.resealed", subject: id, data: { path } }],
      result: undefined,
    };
  });
}

async function resealProjectRecord(engine: OnboardingEngine): Promise<void> {
  await commitStoreWrite(engine, (tree) => {
    const record = tree.unsealed(PROJECT_RECORD_PATH, projectRecordShape);
    if (!record) throw createUnknownRecordFault(PROJECT_RECORD_PATH);
    const problems = [...checkProjectFlow(record), ...findProjectProblems(tree, record)];
    if (problems.length > 0) throw createUnsoundRecordFault(PROJECT_RECORD_PATH, problems);
    return {
      steps: [createProjectRecordStep({ ...record, rev: record.rev + 1 })],
      occurrences: [{ kind: "record.resealed", subject: record.name, data: { path: PROJECT_RECORD_PATH } }],
      result: undefined,
    };
  });
}

/** Only the shape is checked. The drift check decides if the acceptance is still true. */
async function resealAcceptance(engine: OnboardingEngine, id: TraceId): Promise<void> {
  const path = getAcceptancePath(id);
  await commitStoreWrite(engine, (tree) => {
    const record = tree.unsealed(path, createAcceptanceShape(id));
    if (!record) throw createUnknownRecordFault(path);
    return {
      steps: [{ kind: "record", path, record: { ...record, rev: record.rev + 1 }, shape: createAcceptanceShape(id) }],
      occurrences: [{ kind: "record.resealed", subject: id, data: { path } }],
      result: undefined,
    };
  });
}

async function resealFeatureRecord(engine: OnboardingEngine, name: FeatureName): Promise<void> {
  const path = getFeatureRecordPath(name);
  await commitStoreWrite(engine, (tree) => {
    const record = tree.unsealed(path, createFeatureShape(name));
    if (!record) throw createUnknownRecordFault(path);
    const { problems } = inspectFeatureDocuments(tree, record);
    if (problems.length > 0) throw createUnsoundRecordFault(path, problems);
    return {
      steps: [{ kind: "record", path, record: { ...record, rev: record.rev + 1 }, shape: createFeatureShape(name) }],
      occurrences: [{ kind: "record.resealed", subject: name, data: { path } }],
      result: undefined,
    };
  });
}

async function resealWaveRecord(engine: OnboardingEngine, wave: number): Promise<void> {
  const path = getWaveRecordPath(wave);
  await commitStoreWrite(engine, (tree) => {
    const record = tree.unsealed(path, createWaveShape(wave));
    if (!record) throw createUnknownRecordFault(path);
    return {
      steps: [{ kind: "record", path, record: { ...record, rev: record.rev + 1 }, shape: createWaveShape(wave) }],
      occurrences: [{ kind: "record.resealed", subject: `wave-${wave}`, data: { path } }],
      result: undefined,
    };
  });
}

function checkProjectFlow(record: ProjectRecord): Problem[] {
  const names = record.stages.map(({ name }) => name).join(", ");
  const expected = PROJECT_STAGES.join(", ");
  return names === expected ? findUnearnedStages(record) : [{ problem: `A project has the stages ${expected}.` }];
}

function checkChangeFlow(record: ChangeRecord): Problem[] {
  const names = (stages: readonly { name: string }[]): string => stages.map((stage) => stage.name).join(", ");
  const expected = names(buildChangeFlow(record.type, record.size).stages);
  if (hasExpectedChangeFlow(record)) return [];
  return [{ problem: `A ${record.size} ${record.type} has the stages ${expected}.` }];
}

function createUnsoundRecordFault(path: WorkspacePath, problems: readonly Problem[]): Fault {
  return new Fault("record.unsound", {
    what: `${path} cannot be accepted as it stands.`,
    why: problems.map(({ problem }) => problem).join(" "),
    fix: `Mend it, or go back to a committed one: git checkout -- ${path}`,
  });
}

function parseChangeRecordPath(named: string): { shelf: ChangeShelf; path: WorkspacePath; id: ChangeId } {
  const match = /^(?:\.\/)?sdd\/(changes|history)\/([^/]+)\/change\.json$/.exec(named);
  if (!match) throw createUnknownRecordFault(named);
  const id = parseChangeId(match[2] ?? "");
  const shelf = match[1] === "changes" ? CHANGES_FOLDER : HISTORY_FOLDER;
  return { shelf, path: getChangeRecordPath(shelf, id), id };
}

function createUnknownRecordFault(named: string): Fault {
  return new Fault("record.unknown", {
    what: `${quote(named)} cannot be resealed.`,
    why: `It is not a record of this workspace; those are ${RESEALABLE_RECORDS}.`,
    fix: { operation: "workspace.doctor" },
  });
}
