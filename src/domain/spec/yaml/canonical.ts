import { quote } from "../../quote.ts";
import { applyEdit, type Edit } from "./edit.ts";
import { isNothing, lineAt, type Located, nameOf, nodeAt, type Place, type Plain, textOf } from "./located.ts";
import { nodeKind, type RecordShape, type Shape, shapeFor } from "./shape.ts";

export interface Alias {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

export interface Canonical {
  readonly tree: Located;
  readonly edits: readonly Edit[];
  readonly aliases: readonly Alias[];
}

const MOST_ITEMS = 200;

/**
 * Replaces older names, locations, forms and words, and adds defaults. Uncertain cases stay unchanged, for the schema
 * to reject.
 */
export function canonical(root: Located, shape: RecordShape): Canonical {
  const rewriting = new Rewriting(root);
  // Each step can reveal work for the others, such as a moved list under an older name. So two steps run twice.
  for (const step of [names, forms, moves, names, forms, spelling, missing]) step(rewriting, shape, []);
  return { tree: rewriting.tree, edits: rewriting.edits, aliases: rewriting.aliases };
}

class Rewriting {
  tree: Located;
  readonly edits: Edit[] = [];
  readonly aliases: Alias[] = [];

  constructor(tree: Located) {
    this.tree = tree;
  }

  at(place: Place): Located | undefined {
    return nodeAt(this.tree, place);
  }

  do(edit: Edit, from: string, to: string): void {
    this.aliases.push({ line: lineAt(this.tree, edit.kind === "move" ? edit.from : edit.at), from, to });
    this.edits.push(edit);
    this.tree = applyEdit(this.tree, edit);
  }
}

type Step = (rewriting: Rewriting, shape: Shape, place: Place) => void;

function inside(rewriting: Rewriting, given: Shape, place: Place, step: Step): void {
  const node = rewriting.at(place);
  if (!node) return;
  const shape = shapeFor(given, node);
  if (shape.kind === "list" && node.kind === "sequence") {
    for (const i of node.items.slice(0, MOST_ITEMS).keys()) step(rewriting, shape.of, [...place, i]);
  } else if (shape.kind === "record" && node.kind === "mapping") {
    for (const [key, field] of Object.entries(shape.fields)) step(rewriting, field.shape, [...place, key]);
  }
}

const names: Step = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const shape = node && shapeFor(given, node);
  if (shape?.kind === "record" && node?.kind === "mapping") {
    const taken = new Set(node.entries.map(({ key }) => key));
    for (const { key } of node.entries) {
      const to = newerName(key, shape);
      if (to === undefined || taken.has(to)) continue;
      taken.add(to);
      rewriting.do({ kind: "rename", at: [...place, key], to }, key, to);
    }
  }
  inside(rewriting, given, place, names);
};

function newerName(key: string, { fields }: RecordShape): string | undefined {
  if (Object.hasOwn(fields, key)) return undefined;
  const plain = key.replaceAll("-", "_").toLowerCase();
  if (Object.hasOwn(fields, plain)) return plain;
  return Object.keys(fields).find((name) => fields[name]?.older?.includes(plain));
}

const forms: Step = (rewriting, given, place) => {
  const node = rewriting.at(place);
  if (!node) return;
  const shapes = given.kind === "either" ? given.of : [given];
  for (const shape of shapes) {
    if ((shape.kind !== "record" && shape.kind !== "text") || isNothing(node)) continue;
    const value = shape.form?.(node);
    if (value === undefined) continue;
    rewriting.do({ kind: "replace", at: place, value }, shown(node), shownPlain(value));
    break;
  }
  const only = rewriting.at(place);
  // A single value becomes a list of one.
  if (given.kind === "list" && only && !isNothing(only) && only.kind === nodeKind(given.of)) {
    const value = textOf(only);
    if (value !== undefined) rewriting.do({ kind: "replace", at: place, value: [value] }, "a single value", "a list");
  }
  inside(rewriting, given, place, forms);
};

const moves: Step = (rewriting, given, place) => {
  if (given.kind !== "record") return;
  for (const [key, { stood = [] }] of Object.entries(given.fields)) {
    const to = [...place, key];
    for (const earlier of stood) {
      const from = earlier.split(".");
      const target = rewriting.at(place);
      const isFree = target === undefined || (target.kind === "mapping" && !hasKey(target, key));
      if (!isFree || isNothing(rewriting.at(from))) continue;
      rewriting.do({ kind: "move", from, to }, nameOf(from), nameOf(to));
    }
  }
  for (const [key, field] of Object.entries(given.fields)) moves(rewriting, field.shape, [...place, key]);
};

const hasKey = (node: Located | undefined, key: string): boolean =>
  node?.kind === "mapping" && node.entries.some((entry) => entry.key === key);

const spelling: Step = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const shape = node && shapeFor(given, node);
  const word = textOf(node)?.trim();
  if ((shape?.kind === "word" || shape?.kind === "number") && word !== undefined) {
    const small = word.toLowerCase();
    const older: Readonly<Record<string, Plain>> = shape.older ?? {};
    const isKnown = shape.kind === "word" && shape.of.includes(small);
    const value = isKnown ? small : Object.hasOwn(older, small) ? older[small] : undefined;
    if (value !== undefined && value !== textOf(node)) {
      rewriting.do({ kind: "replace", at: place, value }, `${nameOf(place)}: ${quote(word, 40)}`, shownPlain(value));
    }
  }
  inside(rewriting, given, place, spelling);
};

const missing: Step = (rewriting, given, place) => {
  const node = rewriting.at(place);
  const shape = node && shapeFor(given, node);
  if (shape?.kind === "record" && node?.kind === "mapping") {
    for (const [key, { otherwise }] of Object.entries(shape.fields)) {
      if (otherwise !== undefined) say(rewriting, [...place, key], otherwise, key === "schema_version");
    }
  }
  if (shape?.kind === "list" && shape.of.kind !== "text" && node?.kind === "sequence")
    number(rewriting, shape.of, place);
  inside(rewriting, given, place, missing);
};

function say(rewriting: Rewriting, place: Place, value: Plain, isFirst: boolean): void {
  const at = place.slice(0, -1);
  const key = String(place.at(-1));
  if (!isNothing(rewriting.at(place))) return;
  const edit: Edit = hasKey(rewriting.at(at), key)
    ? { kind: "replace", at: place, value }
    : { kind: "insert", at, key, value, ...(isFirst ? { isFirst } : {}) };
  rewriting.do(edit, `no ${nameOf(place)}`, shownPlain(value));
}

function number(rewriting: Rewriting, of: Shape, place: Place): void {
  const shapes = of.kind === "either" ? of.of : [of];
  const prefix = shapes.flatMap((shape) => (shape.kind === "record" && shape.numbered ? [shape.numbered] : []))[0];
  const node = rewriting.at(place);
  if (prefix === undefined || node?.kind !== "sequence") return;
  const taken = new Set(node.items.map((_, i) => textOf(rewriting.at([...place, i, "id"]))));
  let n = 0;
  for (const [i, item] of node.items.slice(0, MOST_ITEMS).entries()) {
    if (item.kind !== "mapping" || !isNothing(rewriting.at([...place, i, "id"]))) continue;
    do n++;
    while (taken.has(`${prefix}-${n}`));
    say(rewriting, [...place, i, "id"], `${prefix}-${n}`, true);
  }
}

const shown = (node: Located): string =>
  node.kind === "scalar"
    ? quote(textOf(node) ?? "", 40)
    : node.kind === "sequence"
      ? "a list"
      : keysOf(node.entries.map(({ key }) => key));

function shownPlain(value: Plain): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return keysOf(Object.keys(value));
  return String(value);
}

const keysOf = (keys: readonly string[]): string => quote(keys.join(", "), 80).slice(1, -1);
