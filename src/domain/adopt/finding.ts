import { escapeUnprintable } from "../quote.ts";

export const FINDING_SECTIONS = {
  project: "manifests",
  purpose: "manifests",
  dependency: "manifests",
  script: "manifests",
  runtime: "manifests",
  tool: "tech stack",
  entry: "entry points",
  command: "entry points",
  symbol: "exports",
  route: "routes",
  entity: "data model",
  field: "data model",
  relation: "data model",
  rule: "data model",
  enum: "data model",
  derivation: "data model",
  variable: "environment",
  test: "tests",
  decision: "decisions",
  convention: "conventions",
} as const;

export type CodeFindingKind = keyof typeof FINDING_SECTIONS;
export type CodeFindingSection = (typeof FINDING_SECTIONS)[CodeFindingKind];
export const FINDING_SECTION_NAMES: readonly CodeFindingSection[] = [...new Set(Object.values(FINDING_SECTIONS))];

type FindingBasis =
  /** A file made for machines declares it: a manifest, a migration, a schema, an API description. */
  | "declared"
  /** Code of a form that a framework gives meaning to. */
  | "coded"
  | "tested"
  /** Only a name, of a dependency or of an exported symbol. */
  | "named";

export type FindingConfidence = "high" | "medium" | "low";

export interface FindingLink {
  readonly path: string;
  readonly line: number;
}

export interface CodeFinding extends FindingLink {
  readonly kind: CodeFindingKind;
  readonly name: string;
  /** Its owner: the entity of a field, the group of a test. */
  readonly of?: string;
  /** Details: the type of a field, the handler of a route. */
  readonly says?: string;
  /** The framework or the form that identified it. */
  readonly by: string;
  readonly basis: FindingBasis;
  /** The words in the line that prove it. */
  readonly words: string;
  readonly also?: readonly FindingLink[];
}

/**
 * High: declared, or coded for a framework that the project depends on. Medium: coded for a framework that no manifest
 * names, or named by a test. Low: only a name.
 */
export function rateFindingConfidence(
  { basis, by }: Pick<CodeFinding, "basis" | "by">,
  frameworks: ReadonlySet<string>,
): FindingConfidence {
  if (basis === "declared") return "high";
  if (basis === "coded") return frameworks.has(by) ? "high" : "medium";
  return basis === "tested" ? "medium" : "low";
}

const MAX_CITATION_LENGTH = 160;

/** Quotes text of a file safely in our documents: one line, no active markup, no text that could pass for an id. */
export function citeFileText(text: string, longest = MAX_CITATION_LENGTH): string {
  const line = escapeUnprintable(text.replace(/\s+/g, " ").trim())
    .replaceAll("`", "'")
    .replaceAll("<!--", "<!-")
    .replace(/\b(N?FR|BR|TASK|ADR)-(?=\d)/g, "$1 ");
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

export const citeAsCode = (text: string): string => `\`${citeFileText(text)}\``;

export const formatFindingLink = ({ path, line }: FindingLink): string => `${citeFileText(path, 400)}:${line}`;

export const listFindingLinks = (finding: CodeFinding): FindingLink[] => [
  { path: finding.path, line: finding.line },
  ...(finding.also ?? []),
];
