import { quote } from "#kernel/model/text-format.ts";
import {
  applyYamlEdit,
  type YamlEdit,
  isYamlNull,
  findYamlLine,
  type LocatedNode,
  formatYamlPath,
  findYamlNode,
  type YamlPath,
  type YamlValue,
  readYamlText,
} from "#kernel/model/yaml-tree.ts";
import { getShapeNodeKind, type RecordFieldShape, type SpecShape, selectNodeShape } from "./field-shapes.ts";

export interface SpecAlias {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

export interface CanonicalSpec {
  readonly tree: LocatedNode;
  readonly edits: readonly YamlEdit[];
  readonly aliases: readonly SpecAlias[];
}

const MAX_CANONICAL_ITEMS = 200;

/**
 * Replaces older names, locations, forms and words, and adds defaults. Uncertain cases stay unchanged, for the schema
 * to reject.
 */
export function canonicalizeSpec(root: LocatedNode, shape: RecordFieldShape): CanonicalSpec {
  const rewriting = new SpecRewrite(root);
  // Each step can reveal work for the others, such as a moved list under an older name. So two steps run twice.
  for (const step of [
    renameFields,
    convertForms,
    moveFields,
    renameFields,
    convertForms,
    normalizeWords,
    addMissingFields,
  ])
    step(rewriting, shape, []);
  return { tree: rewriting.tree, edits: rewriting.edits, aliases: rewriting.aliases };
}

class SpecRewrite {
  tree: LocatedNode;
  readonly edits: YamlEdit[] = [];
  readonly aliases: SpecAlias[] = [];

  constructor(tree: LocatedNode) {
    this.tree = tree;
  }

  at(place: YamlPath): LocatedNode | undefined {
    return findYamlNode(this.tree, place);
  }

  do(edit: YamlEdit, from: string, to: string): void {
    this.aliases.push({ line: findYamlLine(this.tree, edit.kind === "move" ? edit.from : edit.at), from, to });
    this.edits.push(edit);
    this.tree = applyYamlEdit(this.tree, edit);
  }
}

type RewriteStep = (rewriting: SpecRewrite, shape: SpecShape, place: YamlPath) => void;

function applyStepInside(rewriting: SpecRewrite, given: SpecShape, place: YamlPath, step: RewriteStep): void {
  const node = rewriting.at(place);
  if (!node) return;
  const shape = selectNodeShape(given, node);
  if (shape.kind === "list" && node.kind === "sequence") {
    for (const i of node.items.slice(0, MAX_CANONICAL_ITEMS).keys()) step(rewriting, shape.of, [...place, i]);
  } else if (shape.kind === "record" && node.kind === "mapping") {
    for (const [key, field] of Object.entries(shape.fields)) step(rewriting, field.shape, [...place, key]);
  }
}

const renameFields: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const shape = node && selectNodeShape(given, node);
  if (shape?.kind === "record" && node?.kind === "mapping") {
    const taken = new Set(node.entries.map(({ key }) => key));
    for (const { key } of node.entries) {
      const to = findCurrentName(key, shape);
      if (to === undefined || taken.has(to)) continue;
      taken.add(to);
      rewriting.do({ kind: "rename", at: [...place, key], to }, key, to);
    }
  }
  applyStepInside(rewriting, given, place, renameFields);
};

function findCurrentName(key: string, { fields }: RecordFieldShape): string | undefined {
  if (Object.hasOwn(fields, key)) return undefined;
  const plain = key.replaceAll("-", "_").toLowerCase();
  if (Object.hasOwn(fields, plain)) return plain;
  return Object.keys(fields).find((name) => fields[name]?.older?.includes(plain));
}

const convertForms: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  if (!node) return;
  const shapes = given.kind === "either" ? given.of : [given];
  for (const shape of shapes) {
    if ((shape.kind !== "record" && shape.kind !== "text") || isYamlNull(node)) continue;
    const value = shape.form?.(node);
    if (value === undefined) continue;
    rewriting.do({ kind: "replace", at: place, value }, describeNode(node), describeValue(value));
    break;
  }
  const only = rewriting.at(place);
  // A single value becomes a list of one.
  if (given.kind === "list" && only && !isYamlNull(only) && only.kind === getShapeNodeKind(given.of)) {
    const value = readYamlText(only);
    if (value !== undefined) rewriting.do({ kind: "replace", at: place, value: [value] }, "a single value", "a list");
  }
  applyStepInside(rewriting, given, place, convertForms);
};

const moveFields: RewriteStep = (rewriting, given, place) => {
  if (given.kind !== "record") return;
  for (const [key, { stood = [] }] of Object.entries(given.fields)) {
    const to = [...place, key];
    for (const earlier of stood) {
      const from = earlier.split(".");
      const target = rewriting.at(place);
      const isFree = target === undefined || (target.kind === "mapping" && !hasMappingKey(target, key));
      if (!isFree || isYamlNull(rewriting.at(from))) continue;
      rewriting.do({ kind: "move", from, to }, formatYamlPath(from), formatYamlPath(to));
    }
  }
  for (const [key, field] of Object.entries(given.fields)) moveFields(rewriting, field.shape, [...place, key]);
};

const hasMappingKey = (node: LocatedNode | undefined, key: string): boolean =>
  node?.kind === "mapping" && node.entries.some((entry) => entry.key === key);

const normalizeWords: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const shape = node && selectNodeShape(given, node);
  const word = readYamlText(node)?.trim();
  if ((shape?.kind === "word" || shape?.kind === "number") && word !== undefined) {
    const small = word.toLowerCase();
    const older: Readonly<Record<string, YamlValue>> = shape.older ?? {};
    const isKnown = shape.kind === "word" && shape.of.includes(small);
    const value = isKnown ? small : Object.hasOwn(older, small) ? older[small] : undefined;
    if (value !== undefined && value !== readYamlText(node)) {
      rewriting.do(
        { kind: "replace", at: place, value },
        `${formatYamlPath(place)}: ${quote(word, 40)}`,
        describeValue(value),
      );
    }
  }
  applyStepInside(rewriting, given, place, normalizeWords);
};

const addMissingFields: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const shape = node && selectNodeShape(given, node);
  if (shape?.kind === "record" && node?.kind === "mapping") {
    for (const [key, { otherwise }] of Object.entries(shape.fields)) {
      if (otherwise !== undefined) setFieldValue(rewriting, [...place, key], otherwise, key === "schema_version");
    }
  }
  if (shape?.kind === "list" && shape.of.kind !== "text" && node?.kind === "sequence")
    assignItemNumbers(rewriting, shape.of, place);
  applyStepInside(rewriting, given, place, addMissingFields);
};

function setFieldValue(rewriting: SpecRewrite, place: YamlPath, value: YamlValue, isFirst: boolean): void {
  const at = place.slice(0, -1);
  const key = String(place.at(-1));
  if (!isYamlNull(rewriting.at(place))) return;
  const edit: YamlEdit = hasMappingKey(rewriting.at(at), key)
    ? { kind: "replace", at: place, value }
    : { kind: "insert", at, key, value, ...(isFirst ? { isFirst } : {}) };
  rewriting.do(edit, `no ${formatYamlPath(place)}`, describeValue(value));
}

function assignItemNumbers(rewriting: SpecRewrite, of: SpecShape, place: YamlPath): void {
  const shapes = of.kind === "either" ? of.of : [of];
  const prefix = shapes.flatMap((shape) => (shape.kind === "record" && shape.numbered ? [shape.numbered] : []))[0];
  const node = rewriting.at(place);
  if (prefix === undefined || node?.kind !== "sequence") return;
  const taken = new Set(node.items.map((_, i) => readYamlText(rewriting.at([...place, i, "id"]))));
  let n = 0;
  for (const [i, item] of node.items.slice(0, MAX_CANONICAL_ITEMS).entries()) {
    if (item.kind !== "mapping" || !isYamlNull(rewriting.at([...place, i, "id"]))) continue;
    do n++;
    while (taken.has(`${prefix}-${n}`));
    setFieldValue(rewriting, [...place, i, "id"], `${prefix}-${n}`, true);
  }
}

const describeNode = (node: LocatedNode): string =>
  node.kind === "scalar"
    ? quote(readYamlText(node) ?? "", 40)
    : node.kind === "sequence"
      ? "a list"
      : formatKeyList(node.entries.map(({ key }) => key));

function describeValue(value: YamlValue): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return formatKeyList(Object.keys(value));
  return String(value);
}

const formatKeyList = (keys: readonly string[]): string => quote(keys.join(", "), 80).slice(1, -1);
