import type * as z from "zod/mini";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { LocatedNode, YamlEdit, YamlPath } from "#kernel/model/yaml-tree.ts";
import {
  applyYamlEdit,
  findYamlLine,
  findYamlNode,
  formatYamlPath,
  isYamlNull,
  readYamlText,
} from "#kernel/model/yaml-tree.ts";
import { BUG_SCHEMA, FEATURE_SCHEMA, RESEARCH_SCHEMA } from "./spec-schemas.ts";
import { canonicalizeSpec, selectNotes, type SpecAlias } from "./canonical-form.ts";
import { getNotes, type SchemaNotes } from "./field-shapes.ts";

const SPEC_SCHEMAS = { feature: FEATURE_SCHEMA, bug: BUG_SCHEMA, research: RESEARCH_SCHEMA };

export type SpecKind = keyof typeof SPEC_SCHEMAS;
export type AnySpec = { [Kind in SpecKind]: z.infer<(typeof SPEC_SCHEMAS)[Kind]> }[SpecKind];

/** The id determines the kind: `BUG-042` is a bug, `RES-001` research, any other id a feature. */
export function getSpecKind(id: WorkflowId): SpecKind {
  if (id.startsWith("BUG-")) return "bug";
  return id.startsWith("RES-") ? "research" : "feature";
}

export interface SpecDocument<Kind extends AnySpec = AnySpec> {
  readonly spec: Kind;
  readonly tree: LocatedNode;
}

export interface SpecReadResult {
  readonly kind: SpecKind;
  readonly document?: SpecDocument;
  /** The readable rest of a spec with problems, so that one report can list all of them. */
  readonly partial?: SpecDocument;
  readonly problems: readonly SpecProblem[];
  readonly aliases: readonly SpecAlias[];
  readonly edits: readonly YamlEdit[];
}

export function readSpecTree(located: LocatedNode, fileId: WorkflowId): SpecReadResult {
  const kind = getSpecKind(fileId);
  const schema = SPEC_SCHEMAS[kind];
  const { tree, edits, aliases } = canonicalizeSpec(located, getNotes(schema));
  const { data, error } = schema.safeParse(tree);
  const id = readYamlText(findYamlNode(tree, ["id"])) ?? fileId;
  const misnamed = `The id is ${quote(id, 40)}, but the file is called ${fileId}.yaml.`;
  const all = [
    ...locateIssues(error?.issues ?? [], tree, getNotes(schema)),
    ...(id === fileId ? [] : [createSpecProblem(tree, ["id"], misnamed)]),
    ...checkDuplicateItems(tree),
    ...checkItemReferences(tree),
  ];
  const rest = data ?? (error ? readRest(kind, tree, error.issues) : undefined);
  return {
    kind,
    ...(data && all.length === 0 ? { document: { spec: data, tree } } : {}),
    ...(rest && all.length > 0 ? { partial: { spec: rest, tree } } : {}),
    problems: all.toSorted((a, b) => a.line - b.line),
    aliases,
    edits,
  };
}

/** Parses the spec with a placeholder for each value that has a problem, then without those that still have one. */
function readRest(kind: SpecKind, tree: LocatedNode, issues: readonly SchemaIssue[]): AnySpec | undefined {
  const { fields = {} } = getNotes(SPEC_SCHEMAS[kind]);
  const putDefault = (node: LocatedNode, { place }: LocatedIssue): LocatedNode => {
    const value = place.length === 1 ? fields[String(place[0])]?.otherwise : undefined;
    return applyYamlEdit(
      node,
      value === undefined ? { kind: "remove", at: place } : { kind: "replace", at: place, value },
    );
  };
  let [rest, left] = [tree, issues];
  for (const replaceField of [putStandIn, putDefault, clearField]) {
    rest = left.flatMap((issue) => selectIssues(issue, [])).reduce(replaceField, rest);
    const { data, error } = SPEC_SCHEMAS[kind].safeParse(rest);
    if (data !== undefined) return data;
    left = error?.issues ?? [];
  }
  return undefined;
}

const STAND_IN = "Placeholder for an unreadable text";

function putStandIn(tree: LocatedNode, { issue, place }: LocatedIssue): LocatedNode {
  if (issue.code === "unrecognized_keys")
    return issue.keys.reduce((node, key) => applyYamlEdit(node, { kind: "remove", at: [...place, key] }), tree);
  const [key] = place.slice(-1);
  if (typeof key !== "string" || findYamlNode(tree, place) !== undefined)
    return applyYamlEdit(tree, { kind: "replace", at: place, value: STAND_IN });
  return applyYamlEdit(tree, { kind: "insert", at: place.slice(0, -1), key, value: STAND_IN });
}

const clearField = (tree: LocatedNode, { place }: LocatedIssue): LocatedNode =>
  applyYamlEdit(tree, { kind: "remove", at: place.slice(0, 1) });

export const createSpecProblem = (tree: LocatedNode, place: YamlPath, problem: string): SpecProblem => ({
  problem,
  line: findYamlLine(tree, place),
  field: formatYamlPath(place),
});

const NUMBERED_LISTS = ["user_stories", "acceptance_criteria", "test_scenarios"] as const;

const checkDuplicateItems = (tree: LocatedNode): SpecProblem[] =>
  NUMBERED_LISTS.flatMap((field) => {
    const seen = new Set<string>();
    return listItemIds(tree, field).flatMap(({ id, place }) => {
      const isTwin = seen.has(id);
      seen.add(id);
      return isTwin ? [createSpecProblem(tree, place, `${quote(id, 40)} appears twice.`)] : [];
    });
  });

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
    return [createSpecProblem(tree, place, `${quote(id, 40)} is named, but is not in this spec.`)];
  });
}

function listItemPaths(tree: LocatedNode, place: YamlPath): YamlPath[] {
  const node = findYamlNode(tree, place);
  return node?.kind === "sequence" ? node.items.map((_, i) => [...place, i]) : [];
}

const listItemIds = (tree: LocatedNode, field: string): { readonly id: string; readonly place: YamlPath }[] =>
  listItemPaths(tree, [field]).flatMap((item) => {
    const place = [...item, "id"];
    const id = readYamlText(findYamlNode(tree, place));
    return id === undefined ? [] : [{ id, place }];
  });

export interface SpecProblem extends Problem {
  readonly line: number;
  readonly field: string;
}

type SchemaIssue = z.core.$ZodIssue;
type LocatedIssue = Readonly<{ issue: SchemaIssue; place: YamlPath }>;

/** Finds the lines of a schema's issues and puts them into words. Unknown fields come first. */
function locateIssues(issues: readonly SchemaIssue[], tree: LocatedNode, notes: SchemaNotes): SpecProblem[] {
  const all = issues.flatMap((issue) => selectIssues(issue, []));
  const unknown = all.flatMap(({ issue, place }) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...place, key]) : [],
  );
  return [
    ...unknown.map((place, i) => describeUnknownField(tree, place, notes, i < MAX_KEY_HINTS)),
    ...all.flatMap(({ issue, place }) => {
      if (issue.code === "unrecognized_keys") return [];
      const field = formatYamlPath(place);
      return [{ problem: `${field || "The document"} ${issue.message}.`, line: findNodeLine(tree, place), field }];
    }),
  ];
}

/** Of a field with alternatives, only the issues of the alternative that fits the node count, or else of the first. */
function selectIssues(issue: SchemaIssue, above: YamlPath): LocatedIssue[] {
  const place = [...above, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  if (issue.code !== "invalid_union") return [{ issue, place }];
  const isFitting = (option: readonly SchemaIssue[]): boolean =>
    !option.some((each) => each.path.length === 0 && each.code === "custom" && each.params?.["isWrongKind"]);
  const option = issue.errors.find(isFitting) ?? issue.errors[0] ?? [];
  return option.flatMap((each) => selectIssues(each, place));
}

const findNodeLine = (tree: LocatedNode, place: YamlPath): number =>
  (findYamlNode(tree, place) ?? findYamlNode(tree, place.slice(0, -1)) ?? tree).line;

/** With many unknown keys a typo is unlikely, so the hints stop. */
const MAX_KEY_HINTS = 100;

function describeUnknownField(tree: LocatedNode, place: YamlPath, notes: SchemaNotes, hasHint: boolean): SpecProblem {
  const above = place.slice(0, -1);
  const key = String(place.at(-1));
  const fields = findFields(tree, above, notes);
  const known = Object.keys(fields);
  const newer = known.find((name) => fields[name]?.older?.includes(key) || name === key.replaceAll("-", "_"));
  const near = hasHint ? findClosestWord(key, known) : undefined;
  const isTwice = newer !== undefined && findYamlNode(tree, [...above, newer]) !== undefined;
  const hint = isTwice
    ? `It is the old name of ${newer}, which is also given.`
    : near
      ? `Did you mean ${near}?`
      : `Fields: ${known.join(", ")}.`;
  const where = above.length === 0 ? "a spec" : formatYamlPath(above);
  return createSpecProblem(tree, place, `${quote(key, 40)} is not a field of ${where}. ${hint}`);
}

function findFields(tree: LocatedNode, place: YamlPath, root: SchemaNotes): NonNullable<SchemaNotes["fields"]> {
  const notes = place.reduce<SchemaNotes>((above, step, i) => {
    const { items = {}, fields = {} } = selectNotes(above, findYamlNode(tree, place.slice(0, i)));
    return typeof step === "number" ? items : (fields[step] ?? {});
  }, root);
  return selectNotes(notes, findYamlNode(tree, place)).fields ?? {};
}

export const findMissingFields = ({ spec, tree }: SpecDocument): SpecProblem[] =>
  listMissingFields(tree, getNotes(SPEC_SCHEMAS[spec.type]), []).map((place) => ({
    problem: `${formatYamlPath(place)} is missing.`,
    line: findNodeLine(tree, place),
    field: formatYamlPath(place),
  }));

function listMissingFields(tree: LocatedNode, given: SchemaNotes, place: YamlPath): YamlPath[] {
  const node = findYamlNode(tree, place);
  const { items, fields = {} } = selectNotes(given, node);
  if (items && node?.kind === "sequence")
    return node.items.flatMap((_, i) => listMissingFields(tree, items, [...place, i]));
  if (node?.kind !== "mapping") return [];
  return Object.entries(fields).flatMap(([key, field]) => {
    const inner = [...place, key];
    if (!isYamlNull(findYamlNode(tree, inner))) return listMissingFields(tree, field, inner);
    return field.isNeeded ? [inner] : [];
  });
}
