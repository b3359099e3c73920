import type { MatrixRow } from "../../trace/matrix.ts";
import { cell, code, countOrCross, linkTo, tableOf } from "./tables.ts";

export interface CataloguedComponent {
  readonly ref: string;
  readonly kind: string;
  readonly path: string;
  readonly summary: string;
  readonly specs: readonly string[];
}

export interface ListedDocument {
  readonly path: string;
  readonly type: string;
  readonly title: string;
  readonly summary: string;
}

/** Has no line numbers: they would change the document with every edit. */
export interface FeatureFacts {
  readonly id: string;
  readonly title: string;
  readonly status?: string;
  readonly specPath: string;
  readonly summary: string;
  readonly criteria: readonly { readonly id: string; readonly text: string; readonly tests: number }[];
  readonly code: readonly { readonly path: string; readonly ref?: string }[];
  readonly tests: readonly { readonly path: string; readonly name?: string }[];
  readonly docs: readonly string[];
}

export interface DocsMaterial {
  readonly components: readonly CataloguedComponent[];
  readonly otherComponents: number;
  readonly matrix: readonly MatrixRow[];
  readonly summaries: ReadonlyMap<string, string>;
  readonly docs: readonly ListedDocument[];
  readonly feature: (id: string) => FeatureFacts | undefined;
}

type Kind = "components" | "matrix" | "specs" | "docs";

const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  components: ["components", "component-list", "component-catalog", "component-catalogue", "catalog", "catalogue"],
  matrix: ["matrix", "traceability", "traceability-matrix", "trace-matrix"],
  specs: ["specs", "spec-list", "specifications"],
  docs: ["docs", "doc-list", "documents", "document-list"],
};

export function contentOf(material: DocsMaterial, path: string, name: string): string | undefined {
  const [word = "", id] = name.split(":");
  const kind = word.toLowerCase();
  if (kind === "feature") {
    const facts = material.feature(id ?? path.replace(/^.*\//, "").replace(/\.md$/i, ""));
    return facts && featureContent(facts, path);
  }
  if (id !== undefined) return undefined;
  const found = (Object.keys(NAMES) as Kind[]).find((each) => NAMES[each].includes(kind));
  return found && CONTENT[found](material, path);
}

const CONTENT: Readonly<Record<Kind, (material: DocsMaterial, path: string) => string>> = {
  components: ({ components, otherComponents }, from) =>
    tableOf(
      ["Component", "Type", "File", "What it does", "Specs"],
      components.map(({ ref, kind, path, summary, specs }) => [
        code(ref),
        kind,
        linkTo(from, path, code(path)),
        cell(summary),
        specs.join(", "),
      ]),
      otherComponents,
    ),
  matrix: ({ matrix }) =>
    tableOf(
      ["Spec ID", "Title", "Code", "Tests", "Docs"],
      matrix.map(({ id, title, code: carried, tests, docs }) => [
        id,
        cell(title),
        ...[carried, tests, docs].map(countOrCross),
      ]),
    ),
  specs: ({ matrix, summaries }) =>
    tableOf(
      ["Spec", "Title", "Status", "Criteria with tests", "Summary"],
      matrix
        .filter(({ kind }) => kind !== "requirement" && kind !== "rule")
        .map(({ id, title, status = "", criteria, covered }) => [
          id,
          cell(title),
          status,
          criteria === 0 ? "" : `${covered} of ${criteria}`,
          cell(summaries.get(id) ?? ""),
        ]),
    ),
  docs: ({ docs }, from) =>
    tableOf(
      ["Document", "Type", "Summary"],
      docs.map(({ path, type, title, summary }) => [linkTo(from, path, cell(title)), type, cell(summary)]),
    ),
};

const MOST_LISTED = 50;

function featureContent(facts: FeatureFacts, from: string): string {
  const { id, title, status, specPath, summary, criteria, code: carried, tests, docs } = facts;
  const blocks = [
    `# ${id}: ${cell(title)}`,
    cell(summary),
    `Spec: ${linkTo(from, specPath, code(specPath))}${status === undefined ? "" : `, ${status}`}`,
    "## Acceptance criteria",
    tableOf(
      ["Criterion", "Text", "Tests"],
      criteria.map((each) => [each.id, cell(each.text), countOrCross(each.tests)]),
    ),
    "## Code",
    listOf(
      carried.map(({ path, ref }) => `${linkTo(from, path, code(path))}${ref === undefined ? "" : `: ${code(ref)}`}`),
    ),
    "## Tests",
    listOf(
      tests.map(({ path, name }) => `${linkTo(from, path, code(path))}${name === undefined ? "" : `: ${cell(name)}`}`),
    ),
    "## Documents",
    listOf(docs.filter((path) => path !== from).map((path) => linkTo(from, path, code(path)))),
  ];
  return blocks.join("\n\n");
}

function listOf(items: readonly string[]): string {
  const each = [...new Set(items)];
  if (each.length === 0) return "None yet.";
  const more = each.length - MOST_LISTED;
  return [...each.slice(0, MOST_LISTED).map((item) => `- ${item}`), ...(more > 0 ? [`- and ${more} more`] : [])].join(
    "\n",
  );
}
