import type { StackProfile } from "#checking/model/stack/stack-profile.ts";
import type { StackSurvey } from "#checking/operations/ports/stacks.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { TemplateValues } from "#kernel/model/template.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import {
  DECISIONS_PATH,
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureReviewPath,
  getReviewPath,
  getSteeringFilePath,
  KNOWLEDGE_FOLDER,
  STEERING_FOLDER,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { type RoadmapRole, ROLE_FACTS } from "../../model/agent/agent-roles.ts";
import type { BriefMaterial, BriefPiece } from "../../model/agent/brief-composition.ts";
import { quoteForeignName, splitPrintableLines } from "../../model/agent/brief-composition.ts";
import type { FeatureRecord, PendingFix } from "../../model/feature/feature-record.ts";
import { isUserDecision, type LoggedDecision, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { selectRelevantKnowledge } from "../../model/knowledge/knowledge-document.ts";
import { deriveRolePhase } from "../../model/knowledge/lesson.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import {
  FINDING_SEVERITIES,
  type InspectionResult,
  isBatchId,
  type ReviewFinding,
  type StoredFinding,
  type StoredReview,
} from "../../model/review/review-finding.ts";
import { formatInspectionReport } from "../../model/review/review-report.ts";
import { parseStoredReview } from "../../model/review/stored-review.ts";
import { matchSteeringName } from "../../model/steering/steering-name.ts";
import type { RoadmapEngine } from "../engine.ts";
import { loadKnowledgeFolder } from "../knowledge/knowledge-folder.ts";

/** A lower rank keeps more when space is short. The share is guaranteed, relative to the others, from 0 to 1. */
export type PieceWeight = readonly [rank: number, share?: number | undefined];

export const formatInlinePath = (path: string): string => `\`${quoteForeignName(path, 300)}\``;

const splitTextLines = (text: string): string[] => (text.trim() === "" ? [] : splitPrintableLines(text.trimEnd()));

const createPiece = (
  label: string,
  items: readonly string[],
  unit: string,
  where: string,
  [rank, share]: PieceWeight,
): BriefPiece[] => (items.length === 0 ? [] : [{ label, items, unit, where, rank, share }]);

export const createDocumentPiece = (label: string, path: WorkspacePath, text = "", weight: PieceWeight): BriefPiece[] =>
  createPiece(`${label}: ${formatInlinePath(path)}`, splitTextLines(text), "line", formatInlinePath(path), weight);

/** One item per entry, even with several lines. */
export const createListPiece: typeof createPiece = (label, items, unit, where, weight) => {
  const printable = items.map((item) => splitPrintableLines(item.trim()).join("\n"));
  return createPiece(label, printable, unit, where, weight);
};

export const createTextPiece = (label: string, text: string, where: string, weight: PieceWeight): BriefPiece[] =>
  createPiece(label, splitTextLines(text), "line", where, weight);

export const createTemplatePiece = (name: string, template: string, weight: PieceWeight): BriefPiece[] =>
  createTextPiece(`The form of ${name}`, template, "what the engine says when it checks it", weight);

export interface BriefSource {
  readonly tree: StoreTree;
  readonly lead: Lead;
  readonly yaml: YamlEditor;
  readonly templates: Readonly<Record<"design" | "research" | "tasks", string>>;
}

export interface RoleMaterial {
  readonly values: TemplateValues;
  readonly material: BriefMaterial;
}

/** The Lead creates actions from records, so the record exists. */
export function getActionRecord({ features }: Lead, name: FeatureName): FeatureRecord {
  const record = features.get(name);
  if (!record) throw new Error(`The action names ${name}, which has no record.`);
  return record;
}

export function createFeatureMaterial(tree: StoreTree, record: FeatureRecord): BriefMaterial {
  const { feature_name, description, version, roadmap } = record;
  const [on, without] = [roadmap?.dependencies ?? [], roadmap?.skipped ?? []];
  const builds = on.length === 0 ? "" : ` It builds on ${sanitizeText(on.join(", "), 600)}.`;
  const skipped = without.length === 0 ? "" : ` The user skipped ${sanitizeText(without.join(", "), 600)}: do without.`;
  const placed = roadmap === null ? " It is independent." : ` Wave ${roadmap.wave} of the roadmap.${builds}${skipped}`;
  const where = formatInlinePath(getFeatureRecordPath(feature_name));
  return [
    { label: "The feature", remark: `\`${feature_name}\`, version ${version}.${placed}` },
    ...createTextPiece("What it is for", description, where, [1, 0.2]),
    ...createUserDecisionPiece(tree, feature_name),
  ];
}

function createUserDecisionPiece(tree: StoreTree, feature: FeatureName): BriefPiece[] {
  const isMeant = (each: LoggedDecision): boolean =>
    isUserDecision(each) && `${each.summary} ${each.impact}`.split(/[^\w-]+/).includes(feature);
  const said = parseDecisionLog(tree.text(DECISIONS_PATH) ?? "").filter(isMeant);
  const latest = said.toReversed().slice(0, 5).map(formatLoggedDecision);
  const label = "What the user decided about this feature";
  return createListPiece(label, latest, "decision", formatInlinePath(DECISIONS_PATH), [2, 0.1]);
}

export function formatLoggedDecision({
  number,
  type,
  summary,
  decision,
  reason,
  steeringRef = "",
}: LoggedDecision): string {
  const details = Object.entries({ Decision: decision, Reason: reason, "Steering-ref": steeringRef });
  const lines = details.flatMap(([label, text]) => (text === "" ? [] : [`- ${label}: ${text}`]));
  return [`D${number}: ${type} | ${summary}`, ...lines].join("\n");
}

/** In the inspectors' format, most severe first, so agents can report them again verbatim. */
export const createFindingsPiece = (
  label: string,
  found: readonly ReviewFinding[],
  where: string,
  weight: PieceWeight,
): BriefPiece[] => createListPiece(label, sortBySeverity(found).map(formatFindingRow), "finding", where, weight);

export function formatFindingRow(finding: ReviewFinding): string {
  // `SCOPE:` and `ISSUES:` come first.
  const [, , row = ""] = formatInspectionLines({ scope: "", findings: [finding], notes: [] });
  return row;
}

export const formatInspectionLines = (inspection: InspectionResult): string[] =>
  formatInspectionReport({ ...inspection, findings: sortBySeverity(inspection.findings) })
    .trimEnd()
    .split("\n");

export const sortBySeverity = <T extends ReviewFinding>(found: readonly T[]): T[] =>
  found.toSorted((a, b) => FINDING_SEVERITIES.indexOf(a.severity) - FINDING_SEVERITIES.indexOf(b.severity));

type FindingFilter = (finding: StoredFinding) => boolean;

export function createFixMaterial(tree: StoreTree, record: FeatureRecord, concerns: FindingFilter = () => true) {
  const { feature_name, fix } = record;
  if (!fix) return [];
  const where = formatInlinePath(getFeatureRecordPath(feature_name));
  return [
    ...createTextPiece(FIX_SOURCE_LABELS[fix.source], fix.detail, where, [1, 0.3]),
    ...(fix.batch === null ? [] : createBatchMaterial(tree, fix.batch, concerns)),
  ];
}

const FIX_SOURCE_LABELS: Readonly<Record<PendingFix["source"], string>> = {
  design: "What the review of the design said",
  impl: "What the review of the code said",
  "spec-update": "Why the specs have to change",
  wave: "What the review of the wave said",
  "dead-code": "What the review of dead code said",
  gate: "What the gate said",
  blocker: "What was in the way",
  revise: "What the user wants changed",
};

function createBatchMaterial(tree: StoreTree, place: string, concerns: FindingFilter): BriefMaterial {
  const [, feature, batch = ""] = /^sdd\/(?:features\/([^/]+)\/)?reviews\/([^/]+)\.yaml$/.exec(place) ?? [];
  let path: WorkspacePath | undefined;
  if (isBatchId(batch) && feature === undefined) path = getReviewPath(batch);
  else if (isBatchId(batch) && feature !== undefined && isFeatureName(feature))
    path = getFeatureReviewPath(feature, batch);
  const review = path && readReviewFile(tree, path);
  if (!path || !review) {
    const remark = `The review \`${quoteForeignName(place)}\` cannot be read. Report that as the blocker.`;
    return [{ label: "Findings", remark }];
  }
  const where = formatInlinePath(path);
  const standing = review.findings.filter(({ waived }) => waived === undefined);
  const own = standing.filter(concerns);
  const feedback = review.spec_feedback.map(({ part, spec, description }) => `${part}|${spec}|${description}`);
  return [
    ...createListPiece("What is wrong with the specs", feedback, "line", where, [1, 0.3]),
    ...createFindingsPiece("What to fix", own.length > 0 ? own : standing, where, [1, 0.4]),
    ...createListPiece("What the inspectors could not agree on", review.unresolved, "conflict", where, [3, 0.1]),
  ];
}

export function readReviewFile(tree: StoreTree, path: WorkspacePath): StoredReview | undefined {
  const text = tree.text(path);
  const read = text === undefined ? undefined : parseStoredReview(text);
  return read && "problems" in read ? undefined : read;
}

/** In order of importance. Other files follow. */
const FIRST_STEERING_FILES = ["product.md", "tech.md", "structure.md"];
const MAX_STEERING_SHOWN = 8;

function listSteeringNames(tree: StoreTree): string[] {
  const names = tree
    .names(STEERING_FOLDER)
    .filter((name) => name.endsWith(".md") && matchSteeringName(name) !== undefined);
  return [
    ...FIRST_STEERING_FILES.filter((name) => names.includes(name)),
    ...names.filter((name) => !FIRST_STEERING_FILES.includes(name)),
  ];
}

export function createSteeringTexts(tree: StoreTree, [rank, share]: PieceWeight, without: readonly string[] = []) {
  const names = listSteeringNames(tree).filter((name) => !without.includes(name));
  const shown = names.slice(0, MAX_STEERING_SHOWN).flatMap((name, i) => {
    const path = getSteeringFilePath(name);
    return createDocumentPiece("Steering", path, tree.text(path), [rank + i / 10, share]);
  });
  return [...shown, ...createSteeringList(tree, rank, names.slice(MAX_STEERING_SHOWN))];
}

/** Lists the files without their text. */
export function createSteeringList(tree: StoreTree, rank: number, names = listSteeringNames(tree)): BriefMaterial {
  const paths = names.map(getSteeringFilePath);
  return createListPiece("Steering files to read", paths, "file", formatInlinePath(STEERING_FOLDER), [rank, 0.1]);
}

/** Cached, because a survey takes longer than the rest of a brief and stacks rarely change. */
const surveyCache = new Map<string, { readonly at: string; readonly survey: Promise<StackSurvey> }>();
/** Surveys older than this are repeated. */
const MAX_SURVEY_SECONDS = 60;

export async function createProfileMaterial(
  { stacks, root, clock }: Pick<RoadmapEngine, "stacks" | "root" | "clock">,
  more: (profile: StackProfile) => readonly string[] = () => [],
): Promise<BriefMaterial> {
  const at = clock.now();
  const known = surveyCache.get(root);
  const isFresh = known !== undefined && Math.abs(countSecondsBetween(known.at, at)) < MAX_SURVEY_SECONDS;
  const survey = isFresh ? known.survey : stacks.survey();
  if (!isFresh) {
    surveyCache.set(root, { at, survey });
    survey.catch(() => surveyCache.delete(root));
  }
  const { detections, profiles, definitions } = await survey;
  const primary = detections.find(({ isPrimary }) => isPrimary);
  const profile = profiles.find(({ id }) => id === primary?.profile);
  if (!primary || !profile || primary.confidence === 0) return [];
  const use = definitions.stacks.find((stack) => stack.directory === primary.directory && stack.profile === profile.id);
  const tools = (use?.checks ?? []).map(({ kind, tool }) => `${kind} by ${tool}`);
  const lines = [
    `${profile.title}; tests: ${profile.test_framework}`,
    ...(tools.length > 0 ? [`It is judged by: ${tools.join(", ")}`] : []),
    ...profile.conventions,
    ...more(profile),
  ];
  return createListPiece("How code is written here", lines, "line", "the answer of `sdd_stack`", [6, 0.1]);
}

/** Lessons are material by others, not rules. */
export function createKnowledgeMaterial(tree: StoreTree, role: RoadmapRole, features: readonly FeatureRecord[]) {
  const { lessons: types } = ROLE_FACTS[role];
  if (types.length === 0 || features.length === 0) return [];
  const { known } = loadKnowledgeFolder(tree);
  if (known.length === 0) return [];
  const about = features
    .slice(0, 20)
    .map(({ feature_name, description }) => `${description}\n${tree.text(getFeatureDesignPath(feature_name)) ?? ""}`)
    .join("\n");
  const found = selectRelevantKnowledge({ phase: deriveRolePhase(role), types, about }, known);
  const lessons = found.map(({ file, summary }) => `${file}: ${sanitizeText(summary.replace(/\s+/g, " "), 400)}`);
  return createListPiece("What was learned before", lessons, "lesson", formatInlinePath(KNOWLEDGE_FOLDER), [6, 0.1]);
}
