import type { WorkflowId } from "../../workflow/id.ts";
import { type BugSpec, BUG_SCHEMA } from "./bug.ts";
import { type SpecAlias, canonicalizeSpec } from "./canonical.ts";
import { checkSchemaConformance, type SpecProblem } from "./conform.ts";
import type { YamlEdit } from "./edit.ts";
import { type FeatureSpec, FEATURE_SCHEMA } from "./feature.ts";
import {
  findYamlLine,
  type LocatedNode,
  formatYamlPath,
  findYamlNode,
  type YamlPath,
  readYamlText,
} from "./located.ts";
import { type ResearchSpec, RESEARCH_SCHEMA } from "./research.ts";
import type { RecordFieldShape } from "./shape.ts";
import { quote } from "../../quote.ts";

export type SpecKind = "feature" | "bug" | "research";
export type AnySpec = FeatureSpec | BugSpec | ResearchSpec;

export const SPEC_SCHEMAS: Readonly<Record<SpecKind, RecordFieldShape>> = {
  feature: FEATURE_SCHEMA,
  bug: BUG_SCHEMA,
  research: RESEARCH_SCHEMA,
};

/** The id determines the kind: `BUG-042` is a bug, `RES-001` research, any other id a feature. */
export function getSpecKind(id: WorkflowId): SpecKind {
  if (id.startsWith("BUG-")) return "bug";
  return id.startsWith("RES-") ? "research" : "feature";
}

/** A valid draft with the tree that knows its lines. */
export interface SpecDocument<Kind extends AnySpec = AnySpec> {
  readonly spec: Kind;
  readonly tree: LocatedNode;
}

export interface SpecReadResult {
  readonly kind: SpecKind;
  readonly document?: SpecDocument;
  readonly problems: readonly SpecProblem[];
  readonly aliases: readonly SpecAlias[];
  readonly edits: readonly YamlEdit[];
}

export function readSpecTree(located: LocatedNode, fileId: WorkflowId): SpecReadResult {
  const kind = getSpecKind(fileId);
  const { tree, edits, aliases } = canonicalizeSpec(located, SPEC_SCHEMAS[kind]);
  const { value, problems } = checkSchemaConformance(tree, SPEC_SCHEMAS[kind], "draft");
  const all = [
    ...problems,
    ...checkSpecFileName(tree, fileId),
    ...checkDuplicateItems(tree),
    ...checkItemReferences(tree),
  ];
  return {
    kind,
    ...(all.length === 0 ? { document: { spec: value as AnySpec, tree } } : {}),
    problems: all.toSorted((a, b) => a.line - b.line),
    aliases,
    edits,
  };
}

export const createSpecProblem = (tree: LocatedNode, place: YamlPath, problem: string): SpecProblem => ({
  problem,
  line: findYamlLine(tree, place),
  field: formatYamlPath(place),
});

function checkSpecFileName(tree: LocatedNode, fileId: WorkflowId): SpecProblem[] {
  const id = readYamlText(findYamlNode(tree, ["id"]));
  if (id === undefined || id === fileId) return [];
  return [createSpecProblem(tree, ["id"], `The id is ${quote(id, 40)}, but the file is called ${fileId}.yaml.`)];
}

const NUMBERED_LISTS = ["user_stories", "acceptance_criteria", "test_scenarios"] as const;

function checkDuplicateItems(tree: LocatedNode): SpecProblem[] {
  return NUMBERED_LISTS.flatMap((field) => {
    const seen = new Set<string>();
    return listItemIds(tree, field).flatMap(({ id, place }) => {
      const isTwin = seen.has(id);
      seen.add(id);
      return isTwin ? [createSpecProblem(tree, place, `${quote(id, 40)} is there twice.`)] : [];
    });
  });
}

/** A criterion may name a story, and a scenario names criteria. Both must exist. */
function checkItemReferences(tree: LocatedNode): SpecProblem[] {
  const known = (field: (typeof NUMBERED_LISTS)[number]) => new Set(listItemIds(tree, field).map(({ id }) => id));
  const [stories, criteria] = [known("user_stories"), known("acceptance_criteria")];
  const named = [
    ...listItemPaths(tree, ["acceptance_criteria"]).map((place) => ({ place: [...place, "story"], among: stories })),
    ...listItemPaths(tree, ["test_scenarios"])
      .flatMap((place) => listItemPaths(tree, [...place, "covers"]))
      .map((place) => ({ place, among: criteria })),
  ];
  return named.flatMap(({ place, among }) => {
    const id = readYamlText(findYamlNode(tree, place));
    if (id === undefined || among.has(id)) return [];
    return [createSpecProblem(tree, place, `${quote(id, 40)} is named, but it is not in this spec.`)];
  });
}

function listItemPaths(tree: LocatedNode, place: YamlPath): YamlPath[] {
  const node = findYamlNode(tree, place);
  return node?.kind === "sequence" ? node.items.map((_, i) => [...place, i]) : [];
}

function listItemIds(tree: LocatedNode, field: string): { readonly id: string; readonly place: YamlPath }[] {
  return listItemPaths(tree, [field]).flatMap((item) => {
    const place = [...item, "id"];
    const id = readYamlText(findYamlNode(tree, place));
    return id === undefined ? [] : [{ id, place }];
  });
}
