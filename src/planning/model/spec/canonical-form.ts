import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import {
  applyYamlEdit,
  convertYamlValue,
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
import type { SchemaNotes } from "./field-shapes.ts";

export interface SpecAlias {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

const MAX_CANONICAL_ITEMS = 200;

/** Replaces older names, locations and words, and adds defaults. Leaves uncertain cases for the schema to reject. */
export function canonicalizeSpec(root: LocatedNode, notes: SchemaNotes) {
  const rewriting = new SpecRewrite(root);
  // Each step can reveal work for the others, such as a moved list under an older name. So two steps run twice.
  const steps = [renameFields, convertForms, moveFields, renameFields, convertForms, normalizeWords, addMissingFields];
  for (const step of steps) step(rewriting, notes, []);
  return rewriting;
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

type RewriteStep = (rewriting: SpecRewrite, notes: SchemaNotes, place: YamlPath) => void;

export const selectNotes = (notes: SchemaNotes, node: LocatedNode | undefined): SchemaNotes =>
  notes.options?.find(({ kind }) => kind === node?.kind) ?? notes.options?.[0] ?? notes;

function applyStepInside(rewriting: SpecRewrite, given: SchemaNotes, place: YamlPath, step: RewriteStep): void {
  const node = rewriting.at(place);
  const { items, fields } = selectNotes(given, node);
  if (items && node?.kind === "sequence") {
    for (const i of node.items.slice(0, MAX_CANONICAL_ITEMS).keys()) step(rewriting, items, [...place, i]);
  } else if (fields && node?.kind === "mapping") {
    for (const [key, field] of Object.entries(fields)) step(rewriting, field, [...place, key]);
  }
}

const renameFields: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const { fields } = selectNotes(given, node);
  if (fields && node?.kind === "mapping") {
    const taken = new Set(node.entries.map(({ key }) => key));
    for (const { key } of node.entries) {
      if (Object.hasOwn(fields, key)) continue;
      const plain = key.replaceAll("-", "_").toLowerCase();
      const isCurrent = Object.hasOwn(fields, plain);
      const to = isCurrent ? plain : Object.keys(fields).find((name) => fields[name]?.older?.includes(plain));
      if (to === undefined || taken.has(to)) continue;
      taken.add(to);
      rewriting.do({ kind: "rename", at: [...place, key], to }, key, to);
    }
  }
  applyStepInside(rewriting, given, place, renameFields);
};

const convertForms: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  if (isYamlNull(node)) return;
  const [value] = (given.options ?? [given]).flatMap(({ form }) => form?.(node) ?? []);
  if (value !== undefined) {
    const was = node.kind === "scalar" ? quote(readYamlText(node) ?? "", 40) : describeValue(convertYamlValue(node));
    rewriting.do({ kind: "replace", at: place, value }, was, describeValue(value));
  }
  const only = rewriting.at(place);
  // A single value becomes a list of one.
  if (given.items && only && !isYamlNull(only) && only.kind === given.items.kind) {
    const text = readYamlText(only);
    if (text !== undefined) rewriting.do({ kind: "replace", at: place, value: [text] }, "a single value", "a list");
  }
  applyStepInside(rewriting, given, place, convertForms);
};

const moveFields: RewriteStep = (rewriting, { fields = {} }, place) => {
  for (const [key, { stood = [] }] of Object.entries(fields)) {
    const to = [...place, key];
    for (const earlier of stood) {
      const from = earlier.split(".");
      const target = rewriting.at(place);
      const isFree = target === undefined || (target.kind === "mapping" && !hasMappingKey(target, key));
      if (!isFree || isYamlNull(rewriting.at(from))) continue;
      rewriting.do({ kind: "move", from, to }, formatYamlPath(from), formatYamlPath(to));
    }
  }
  for (const [key, field] of Object.entries(fields)) moveFields(rewriting, field, [...place, key]);
};

const hasMappingKey = (node: LocatedNode | undefined, key: string): boolean =>
  node?.kind === "mapping" && node.entries.some((entry) => entry.key === key);

const normalizeWords: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const { words = {} } = selectNotes(given, node);
  const word = readYamlText(node)?.trim();
  const small = word?.toLowerCase() ?? "";
  const value = Object.hasOwn(words, small) ? words[small] : undefined;
  if (word !== undefined && value !== undefined && value !== readYamlText(node)) {
    const from = `${formatYamlPath(place)}: ${quote(word, 40)}`;
    rewriting.do({ kind: "replace", at: place, value }, from, describeValue(value));
  }
  applyStepInside(rewriting, given, place, normalizeWords);
};

const addMissingFields: RewriteStep = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const { fields = {}, items } = selectNotes(given, node);
  if (node?.kind === "mapping") {
    for (const [key, { otherwise }] of Object.entries(fields)) {
      if (otherwise !== undefined) setFieldValue(rewriting, [...place, key], otherwise, key === "schema_version");
    }
  }
  const numbered = items?.numbered ?? items?.options?.find((option) => option.numbered)?.numbered;
  if (numbered !== undefined) assignItemNumbers(rewriting, numbered, place);
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

function assignItemNumbers(rewriting: SpecRewrite, prefix: string, place: YamlPath): void {
  const node = rewriting.at(place);
  if (node?.kind !== "sequence") return;
  const taken = new Set(node.items.map((_, i) => readYamlText(rewriting.at([...place, i, "id"]))));
  let n = 0;
  for (const [i, item] of node.items.slice(0, MAX_CANONICAL_ITEMS).entries()) {
    if (item.kind !== "mapping" || !isYamlNull(rewriting.at([...place, i, "id"]))) continue;
    do n++;
    while (taken.has(`${prefix}-${n}`));
    setFieldValue(rewriting, [...place, i, "id"], `${prefix}-${n}`, true);
  }
}

function describeValue(value: YamlValue): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return sanitizeText(Object.keys(value).join(", "), 80);
  return String(value);
}
