import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import { type BugSpec, BUG_SCHEMA, type ResearchSpec, RESEARCH_SCHEMA } from "./bug-research-specs.ts";
import { type SpecAlias, canonicalizeSpec } from "./canonical-form.ts";
import {
  type YamlEdit,
  findYamlLine,
  type LocatedNode,
  formatYamlPath,
  findYamlNode,
  type YamlPath,
  readYamlText,
  type LocatedEntry,
  isYamlNull,
  type LocatedMapping,
} from "#kernel/model/yaml-tree.ts";
import { type FeatureSpec, FEATURE_SCHEMA } from "./feature-spec.ts";
import {
  type RecordFieldShape,
  type SpecDepth,
  type ListFieldShape,
  type SpecShape,
  selectNodeShape,
  type TextFieldShape,
} from "./field-shapes.ts";
import { quote, findClosestWord, formatCount } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";

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

export interface SpecProblem extends Problem {
  readonly line: number;
  readonly field: string;
}

/** Reads a document by its schema and reports every violation. Missing lists are empty. */
export function checkSchemaConformance(
  root: LocatedNode,
  shape: SpecShape,
  depth: SpecDepth,
): { value: unknown; problems: SpecProblem[] } {
  const reader = new SchemaReader(depth);
  return { value: reader.read(root, shape, []), problems: reader.problems };
}

class SchemaReader {
  readonly problems: SpecProblem[] = [];
  readonly #depth: SpecDepth;

  constructor(depth: SpecDepth) {
    this.#depth = depth;
  }

  read(node: LocatedNode, given: SpecShape, place: YamlPath): unknown {
    const shape = selectNodeShape(given, node);
    switch (shape.kind) {
      case "text":
        return this.#text(node, shape, place);
      case "word": {
        const word = this.#text(node, SINGLE_WORD_SHAPE, place);
        if (word === undefined || shape.of.includes(word)) return word;
        return this.#tell(node, place, `must be ${formatAlternatives(shape.of)}, not ${quote(word, 40)}`);
      }
      case "number": {
        const { value } = node.kind === "scalar" ? node : { value: undefined };
        if (typeof value === "number" && value >= shape.least && value <= shape.most) return value;
        const range = shape.least === shape.most ? shape.least : `a number from ${shape.least} to ${shape.most}`;
        return this.#tell(node, place, `must be ${range}`);
      }
      case "list":
        return this.#list(node, shape, place);
      case "record":
        return this.#record(node, shape, place);
      case "table":
        if (node.kind !== "mapping") return this.#tell(node, place, `must be a mapping, not ${describeNodeKind(node)}`);
        return Object.fromEntries(
          node.entries.map(({ key, value }) => [key, this.read(value, shape.of, [...place, key])]),
        );
      case "free":
        return isYamlNull(node) ? this.#tell(node, place, "is empty") : readFreeValue(node);
      case "either":
        return undefined;
    }
  }

  #text(node: LocatedNode, { least, most, pattern, says }: TextFieldShape, place: YamlPath): string | undefined {
    const text = readYamlText(node);
    if (node.kind !== "scalar") return this.#tell(node, place, `must be a text, not ${describeNodeKind(node)}`);
    if (text === undefined || text.trim() === "") return this.#tell(node, place, "is empty");
    if (text.length > most)
      return this.#tell(node, place, `is too long: ${text.length} characters, and at most ${most} fit`);
    if (text.trim().length < least) {
      return this.#tell(
        node,
        place,
        `is too short: ${formatCount(text.trim().length, "character")}, and ${least} are needed`,
      );
    }
    if (pattern && !pattern.test(text)) return this.#tell(node, place, `must be ${says}, not ${quote(text, 40)}`);
    return text;
  }

  #list(node: LocatedNode, { of, most }: ListFieldShape, place: YamlPath): unknown[] | undefined {
    if (node.kind !== "sequence") return this.#tell(node, place, `must be a list, not ${describeNodeKind(node)}`);
    if (node.items.length > most)
      return this.#tell(node, place, `has ${node.items.length} items, and at most ${most} fit`);
    return node.items.map((item, i) => this.read(item, of, [...place, i]));
  }

  #record(node: LocatedNode, shape: RecordFieldShape, place: YamlPath): Record<string, unknown> | undefined {
    if (node.kind !== "mapping") return this.#tell(node, place, `must be a mapping, not ${describeNodeKind(node)}`);
    for (const entry of node.entries) {
      if (!Object.hasOwn(shape.fields, entry.key)) this.#unknown(entry, shape, node, place);
    }
    const fields = Object.entries(shape.fields).flatMap(([key, { shape: inner, need }]): [string, unknown][] => {
      const value = node.entries.find((entry) => entry.key === key)?.value;
      const where = [...place, key];
      if (!isYamlNull(value)) {
        const read = this.read(value, inner, where);
        return read === undefined ? [] : [[key, read]];
      }
      if (need === "draft" || (need !== undefined && this.#depth === "complete")) {
        this.#tell(value ?? findKeyLine(node, key), where, "is missing");
      }
      const blank = createBlankValue(inner);
      return blank === undefined ? [] : [[key, blank]];
    });
    return Object.fromEntries(fields);
  }

  #unknown({ key, line }: LocatedEntry, { fields }: RecordFieldShape, node: LocatedMapping, place: YamlPath): void {
    const known = Object.keys(fields);
    const newer = known.find((name) => fields[name]?.older?.includes(key) || name === key.replaceAll("-", "_"));
    // With many unknown keys a typo is unlikely, so the hints stop.
    const near = this.problems.length < MAX_KEY_HINTS ? findClosestWord(key, known) : undefined;
    const where = place.length === 0 ? "of a spec" : `of ${formatYamlPath(place)}`;
    const isTwice = newer !== undefined && node.entries.some((entry) => entry.key === newer);
    const hint = isTwice
      ? `It is the older name of ${newer}, which is there too.`
      : near
        ? `Is ${near} meant?`
        : `There are ${known.join(", ")}.`;
    this.problems.push({
      problem: `${quote(key, 40)} is not a field ${where}. ${hint}`,
      line,
      field: formatYamlPath([...place, key]),
    });
  }

  #tell({ line }: { readonly line: number }, place: YamlPath, what: string): undefined {
    const field = formatYamlPath(place);
    this.problems.push({ problem: `${field === "" ? "The document" : field} ${what}.`, line, field });
  }
}

const MAX_KEY_HINTS = 100;
const SINGLE_WORD_SHAPE: TextFieldShape = { kind: "text", least: 1, most: 200 };

const findKeyLine = (node: LocatedMapping, key: string): { readonly line: number } =>
  node.entries.find((entry) => entry.key === key) ?? node;

function createBlankValue(shape: SpecShape): unknown {
  if (shape.kind === "list") return [];
  if (shape.kind === "table") return {};
  if (shape.kind !== "record") return undefined;
  const fields = Object.entries(shape.fields).map(([key, field]) => [key, createBlankValue(field.shape)] as const);
  return Object.fromEntries(fields.filter(([, blank]) => blank !== undefined));
}

function readFreeValue(node: LocatedNode): unknown {
  if (node.kind === "scalar") return readYamlText(node);
  if (node.kind === "sequence") return node.items.map(readFreeValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, readFreeValue(value)]));
}

function describeNodeKind(node: LocatedNode): string {
  if (node.kind === "scalar") return node.value === null ? "nothing" : "a single value";
  return node.kind === "sequence" ? "a list" : "a mapping";
}

const formatAlternatives = (all: readonly string[]): string =>
  all.length < 2 ? String(all[0]) : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
