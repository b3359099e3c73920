import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { TemplateValues } from "#kernel/model/template.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import {
  getFeatureRecordPath,
  getFeatureReviewPath,
  getReviewPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import {
  type BriefMaterial,
  type BriefPiece,
  quoteForeignName,
  splitPrintableLines,
  splitVisibleLines,
} from "../../model/agent/brief-composition.ts";
import type { FeatureRecord, PendingFix } from "../../model/feature/feature-record.ts";
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
import type { RoadmapEngine } from "../engine.ts";

/**
 * Pieces with a lower rank keep more when space is short. The share is the guaranteed part of the space, relative to the
 * other shares, from 0 to 1.
 */
export type PieceWeight = readonly [rank: number, share?: number | undefined];

export const formatInlinePath = (path: string): string => `\`${quoteForeignName(path, 300)}\``;

const splitTextLines = (text: string): string[] => (text.trim() === "" ? [] : splitVisibleLines(text));

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
export const createListPiece = (
  label: string,
  items: readonly string[],
  unit: string,
  where: string,
  weight: PieceWeight,
): BriefPiece[] => {
  const printable = items.map((item) => splitPrintableLines(item.trim()).join("\n"));
  return createPiece(label, printable, unit, where, weight);
};

export const createTextPiece = (label: string, text: string, where: string, weight: PieceWeight): BriefPiece[] =>
  createPiece(label, splitTextLines(text), "line", where, weight);

export const createTemplatePiece = (name: string, template: string, weight: PieceWeight): BriefPiece[] =>
  createTextPiece(`The form of ${name}`, template, "what the engine says when it checks it", weight);

/** Items cannot contain this separator, because control characters in them were made visible. */
const ITEM_SEPARATOR = "\n\u001e\n";

/** Masks secrets before anything is cut: half a secret would not be recognized. */
export async function maskMaterialSecrets(
  engine: Pick<RoadmapEngine, "secrets">,
  material: BriefMaterial,
): Promise<BriefMaterial> {
  return Promise.all(
    material.map(async (each) => {
      if (!("items" in each)) return each;
      const separator = each.unit === "line" ? "\n" : ITEM_SEPARATOR;
      const { text } = await engine.secrets.mask(each.items.join(separator));
      return { ...each, items: text.split(separator) };
    }),
  );
}

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

export function createFeatureMaterial(record: FeatureRecord): BriefMaterial {
  const { feature_name, description, version, roadmap } = record;
  const builds = roadmap?.dependencies.length
    ? ` It builds on ${sanitizeText(roadmap.dependencies.join(", "), 600)}.`
    : "";
  const skipped = roadmap?.skipped.length
    ? ` The user let go of ${sanitizeText(roadmap.skipped.join(", "), 600)}: do without.`
    : "";
  const placed = roadmap === null ? " It stands alone." : ` Wave ${roadmap.wave} of the roadmap.${builds}${skipped}`;
  const where = formatInlinePath(getFeatureRecordPath(feature_name));
  return [
    { label: "The feature", remark: `\`${feature_name}\`, version ${version}.${placed}` },
    ...createTextPiece("What it is for", description, where, [1, 0.2]),
  ];
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

export function createFixMaterial(
  tree: StoreTree,
  { feature_name, fix }: FeatureRecord,
  concerns: (finding: StoredFinding) => boolean = () => true,
): BriefMaterial {
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

function createBatchMaterial(
  tree: StoreTree,
  place: string,
  concerns: (finding: StoredFinding) => boolean,
): BriefMaterial {
  const path = parseBatchPath(place);
  const review = path && readReviewFile(tree, path);
  if (!path || !review) {
    const remark = `The review \`${quoteForeignName(place)}\` cannot be read. Report that as what is in the way.`;
    return [{ label: "Findings", remark }];
  }
  const where = formatInlinePath(path);
  const standing = review.findings.filter(({ waived }) => waived === undefined);
  const own = standing.filter(concerns);
  const feedback = review.spec_feedback.map(({ part, spec, description }) => `${part}|${spec}|${description}`);
  return [
    ...createListPiece("What is wrong with the specs", feedback, "line", where, [1, 0.3]),
    ...createFindingsPiece("What has to be mended", own.length > 0 ? own : standing, where, [1, 0.4]),
    ...createListPiece("What the inspectors could not agree on", review.unresolved, "conflict", where, [3, 0.1]),
  ];
}

export function readReviewFile(tree: StoreTree, path: WorkspacePath): StoredReview | undefined {
  const text = tree.text(path);
  const read = text === undefined ? undefined : parseStoredReview(text);
  return read && "problems" in read ? undefined : read;
}

function parseBatchPath(place: string): WorkspacePath | undefined {
  const [, feature, batch = ""] = /^sdd\/(?:features\/([^/]+)\/)?reviews\/([^/]+)\.yaml$/.exec(place) ?? [];
  if (!isBatchId(batch)) return undefined;
  if (feature === undefined) return getReviewPath(batch);
  return isFeatureName(feature) ? getFeatureReviewPath(feature, batch) : undefined;
}
