import {
  type BriefMaterial,
  type BriefPiece,
  splitVisibleLines,
  quoteForeignName,
  splitPrintableLines,
} from "../../model/agent/brief-composition.ts";
import {
  type WorkspacePath,
  getFeatureRecordPath,
  getFeatureReviewPath,
  getReviewPath,
} from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, PendingFix } from "../../model/feature/feature-record.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import type { TemplateValues } from "#kernel/model/template.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import {
  type ReviewFinding,
  type InspectionResult,
  type KnownReviewFinding,
  FINDING_SEVERITIES,
  isBatchId,
} from "../../model/review/review-finding.ts";
import { formatInspectionReport } from "../../model/review/review-report.ts";
import { parseStoredReview } from "../../model/review/stored-review.ts";
import type { StoredFinding, StoredReview } from "../../model/lead/lead-events.ts";

export interface PieceWeight {
  readonly rank: number;
  readonly share?: number;
}

export const formatInlinePath = (path: string): string => `\`${quoteForeignName(path, 300)}\``;

export function createDocumentPiece(
  label: string,
  path: WorkspacePath,
  text: string | undefined,
  weight: PieceWeight,
): BriefPiece[] {
  if (text === undefined || text.trim() === "") return [];
  return [
    {
      label: `${label}: ${formatInlinePath(path)}`,
      where: formatInlinePath(path),
      items: splitVisibleLines(text),
      unit: "line",
      ...weight,
    },
  ];
}

/** One item per entry, even with several lines. */
export function createListPiece(
  label: string,
  items: readonly string[],
  of: PieceWeight & Pick<BriefPiece, "unit" | "where">,
): BriefPiece[] {
  if (items.length === 0) return [];
  return [{ label, ...of, items: items.map((item) => splitPrintableLines(item.trim()).join("\n")) }];
}

export function createTextPiece(
  label: string,
  text: string,
  of: PieceWeight & Pick<BriefPiece, "where">,
): BriefPiece[] {
  return text.trim() === "" ? [] : [{ label, items: splitVisibleLines(text), unit: "line", ...of }];
}

export const createTemplatePiece = (name: string, template: string, weight: PieceWeight): BriefPiece[] =>
  createTextPiece(`The form of ${name}`, template, { ...weight, where: "what the engine says when it checks it" });

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
      const isDocument = each.unit === "line";
      const { text } = await engine.secrets.mask(each.items.join(isDocument ? "\n" : ITEM_SEPARATOR));
      return { ...each, items: text.split(isDocument ? "\n" : ITEM_SEPARATOR) };
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
  return [
    { label: "The feature", remark: `\`${feature_name}\`, version ${version}.${placed}` },
    ...createTextPiece("What it is for", description, {
      rank: 1,
      share: 0.2,
      where: formatInlinePath(getFeatureRecordPath(feature_name)),
    }),
  ];
}

/** In the inspectors' format, most severe first, so agents can report them again verbatim. */
export function createFindingsPiece(
  label: string,
  found: readonly ReviewFinding[],
  of: PieceWeight & Pick<BriefPiece, "where">,
): BriefPiece[] {
  const rows = formatInspectionLines({ scope: "", findings: found, notes: [] }).slice(INSPECTION_HEADER_LINES);
  return createListPiece(label, rows, { unit: "finding", ...of });
}

export const createWaivedPiece = (
  label: string,
  found: readonly KnownReviewFinding[],
  of: PieceWeight & Pick<BriefPiece, "where">,
): BriefPiece[] =>
  createListPiece(
    label,
    sortBySeverity(found).flatMap((finding) => {
      const [row = ""] = formatInspectionLines({ scope: "", findings: [finding], notes: [] }).slice(
        INSPECTION_HEADER_LINES,
      );
      return [`${row}\nWaived: ${finding.waived ?? ""}`];
    }),
    { unit: "finding", ...of },
  );

/** `SCOPE:` and `ISSUES:`. */
const INSPECTION_HEADER_LINES = 2;

export const formatInspectionLines = (inspection: InspectionResult): string[] =>
  formatInspectionReport({ ...inspection, findings: sortBySeverity(inspection.findings) })
    .trimEnd()
    .split("\n");

function sortBySeverity<T extends ReviewFinding>(found: readonly T[]): T[] {
  const rank = ({ severity }: ReviewFinding): number => FINDING_SEVERITIES.indexOf(severity);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

export function createFixMaterial(
  tree: StoreTree,
  { feature_name, fix }: FeatureRecord,
  concerns: (finding: StoredFinding) => boolean = () => true,
): BriefMaterial {
  if (!fix) return [];
  return [
    ...createTextPiece(FIX_SOURCE_LABELS[fix.source], fix.detail, {
      rank: 1,
      share: 0.3,
      where: formatInlinePath(getFeatureRecordPath(feature_name)),
    }),
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
  if (!path || !review)
    return [
      {
        label: "Findings",
        remark: `The review \`${quoteForeignName(place)}\` cannot be read. Report that as what is in the way.`,
      },
    ];
  const where = formatInlinePath(path);
  const standing = review.findings.filter(({ waived }) => waived === undefined);
  const own = standing.filter(concerns);
  const feedback = review.spec_feedback.map(({ part, spec, description }) => `${part}|${spec}|${description}`);
  return [
    ...createListPiece("What is wrong with the specs", feedback, { rank: 1, share: 0.3, unit: "line", where }),
    ...createFindingsPiece("What has to be mended", own.length > 0 ? own : standing, { rank: 1, share: 0.4, where }),
    ...createListPiece("What the inspectors could not agree on", review.unresolved, {
      rank: 3,
      share: 0.1,
      unit: "conflict",
      where,
    }),
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
