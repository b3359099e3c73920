import type { AnySpec } from "#planning/model/spec/spec-reader.ts";
import { escapeUnprintable } from "#kernel/model/text-format.ts";

export interface SpecContent {
  readonly isBinding: boolean;
  readonly title: string;
  /** All other fields, without criteria and status. */
  readonly rest: unknown;
  readonly criteria: ReadonlyMap<string, CriterionContent>;
}

export type CriterionContent = string | Readonly<Record<string, unknown>>;

/** Status, priority and dependencies are not requirements on code. */
const NON_BINDING_FIELDS = new Set([
  "trace",
  "metadata",
  "status",
  "priority",
  "owner",
  "tags",
  "notes",
  "risks",
  "dependencies",
]);

export function extractSpecContent(spec: AnySpec): SpecContent {
  const criteria = extractCriteriaContent(spec);
  const fields = Object.entries(spec).filter(
    ([name]) => name !== "acceptance_criteria" && !NON_BINDING_FIELDS.has(name),
  );
  const rest = Object.fromEntries(fields) as ContentFields;
  const { acceptance_criteria: _, risks: __, ...fix } = (rest["fix_approach"] ?? {}) as ContentFields;
  return {
    isBinding: spec.status !== "draft" && criteria.size > 0,
    title: spec.type === "research" ? spec.topic : spec.title,
    rest: spec.type === "bug" ? { ...rest, fix_approach: fix } : rest,
    criteria,
  };
}

type ContentFields = Readonly<Record<string, unknown>>;

/** Criteria of a bug have no ids, so they are numbered. */
function extractCriteriaContent(spec: AnySpec): ReadonlyMap<string, CriterionContent> {
  if (spec.type === "feature")
    return new Map(spec.acceptance_criteria.map(({ id, ...said }) => [id, said as Readonly<Record<string, unknown>>]));
  if (spec.type === "bug")
    return new Map(spec.fix_approach.acceptance_criteria.map((said, i) => [`AC-${i + 1}`, said]));
  return new Map();
}

export function formatSortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatSortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${formatSortedJson(each)}`)
    .join(",")}}`;
}

export interface DriftEvidence {
  readonly title: string;
  /** A line diff; empty if the text is unknown. */
  readonly diff: string;
}

const MAX_EVIDENCE_LINES = 40;

/** A delta for the spec stage of a change: the current text to edit, with the code changes as a comment. */
export function formatRequirementDelta(id: string, text: string, evidence: readonly DriftEvidence[]): string {
  const noted = listEvidenceLines(evidence).map((line) => line.replaceAll("--", "- -"));
  return [
    "## Requirements",
    "",
    "### MODIFIED",
    `- **${id}**: ${collapseEvidenceText(text)}`,
    "",
    "<!--",
    ...noted,
    "-->",
    "",
  ].join("\n");
}

export function formatCriterionDraft(
  file: string,
  { id, said }: { readonly id: string; readonly said: CriterionContent },
  evidence: readonly DriftEvidence[],
): string {
  const noted = listEvidenceLines(evidence).map((line) => `    # ${line}`.trimEnd());
  const lines =
    typeof said === "string"
      ? ["fix_approach:", "  acceptance_criteria:", `    - ${formatDraftScalar(said)} # ${id}`]
      : [
          "acceptance_criteria:",
          `  - id: ${id}`,
          ...Object.entries(said).flatMap(([name, value]) => formatCriterionField(name, value)),
        ];
  return [`# ${file}`, ...lines, ...noted, ""].join("\n");
}

const formatCriterionField = (name: string, value: unknown): string[] =>
  typeof value === "string" ? [`    ${name}: ${formatDraftScalar(value)}`] : [];

/** For a change that concerns no single criterion. */
export function formatSummaryDraft(
  file: string,
  key: string,
  text: string,
  evidence: readonly DriftEvidence[],
): string {
  const noted = listEvidenceLines(evidence).map((line) => `# ${line}`.trimEnd());
  return [`# ${file}`, `${key}: ${formatDraftScalar(text)}`, ...noted, ""].join("\n");
}

/** Quotes as JSON, which is valid YAML, unless the text is plain words. */
const formatDraftScalar = (text: string): string =>
  /^[\p{L}][\p{L}\p{N} ,.()/+-]*[\p{L}\p{N}.)]$/u.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);

const collapseEvidenceText = (text: string): string => text.replace(/\s+/g, " ").trim();

function listEvidenceLines(evidence: readonly DriftEvidence[]): string[] {
  return evidence.flatMap(({ title, diff }) => {
    const lines = diff === "" ? [] : diff.split("\n");
    const shown = lines.slice(0, MAX_EVIDENCE_LINES).map((line) => escapeUnprintable(line.replace(/\t/g, "  ")));
    return [
      escapeUnprintable(collapseEvidenceText(title)),
      ...shown,
      ...(lines.length > MAX_EVIDENCE_LINES ? ["…"] : []),
    ];
  });
}
