import { findClosestWord } from "../../closest.ts";
import { formatCount } from "../../count.ts";
import type { Problem } from "../../gate/verdict.ts";
import { quote } from "../../quote.ts";
import { type Entry, isNothing, type Located, type Mapping, nameOf, type Place, textOf } from "./located.ts";
import { type Depth, type ListShape, type RecordShape, type Shape, shapeFor, type TextShape } from "./shape.ts";

export interface SpecProblem extends Problem {
  readonly line: number;
  readonly field: string;
}

/** Reads a document by its schema and reports every violation. Missing lists are empty. */
export function conform(root: Located, shape: Shape, depth: Depth): { value: unknown; problems: SpecProblem[] } {
  const reader = new Reader(depth);
  return { value: reader.read(root, shape, []), problems: reader.problems };
}

class Reader {
  readonly problems: SpecProblem[] = [];
  readonly #depth: Depth;

  constructor(depth: Depth) {
    this.#depth = depth;
  }

  read(node: Located, given: Shape, place: Place): unknown {
    const shape = shapeFor(given, node);
    switch (shape.kind) {
      case "text":
        return this.#text(node, shape, place);
      case "word": {
        const word = this.#text(node, WORD, place);
        if (word === undefined || shape.of.includes(word)) return word;
        return this.#tell(node, place, `must be ${listed(shape.of)}, not ${quote(word, 40)}`);
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
        if (node.kind !== "mapping") return this.#tell(node, place, `must be a mapping, not ${kindOf(node)}`);
        return Object.fromEntries(
          node.entries.map(({ key, value }) => [key, this.read(value, shape.of, [...place, key])]),
        );
      case "free":
        return isNothing(node) ? this.#tell(node, place, "is empty") : plainText(node);
      case "either":
        return undefined;
    }
  }

  #text(node: Located, { least, most, pattern, says }: TextShape, place: Place): string | undefined {
    const text = textOf(node);
    if (node.kind !== "scalar") return this.#tell(node, place, `must be a text, not ${kindOf(node)}`);
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

  #list(node: Located, { of, most }: ListShape, place: Place): unknown[] | undefined {
    if (node.kind !== "sequence") return this.#tell(node, place, `must be a list, not ${kindOf(node)}`);
    if (node.items.length > most)
      return this.#tell(node, place, `has ${node.items.length} items, and at most ${most} fit`);
    return node.items.map((item, i) => this.read(item, of, [...place, i]));
  }

  #record(node: Located, shape: RecordShape, place: Place): Record<string, unknown> | undefined {
    if (node.kind !== "mapping") return this.#tell(node, place, `must be a mapping, not ${kindOf(node)}`);
    for (const entry of node.entries) {
      if (!Object.hasOwn(shape.fields, entry.key)) this.#unknown(entry, shape, node, place);
    }
    const fields = Object.entries(shape.fields).flatMap(([key, { shape: inner, need }]): [string, unknown][] => {
      const value = node.entries.find((entry) => entry.key === key)?.value;
      const where = [...place, key];
      if (!isNothing(value)) {
        const read = this.read(value, inner, where);
        return read === undefined ? [] : [[key, read]];
      }
      if (need === "draft" || (need !== undefined && this.#depth === "complete")) {
        this.#tell(value ?? lineOf(node, key), where, "is missing");
      }
      const blank = blankOf(inner);
      return blank === undefined ? [] : [[key, blank]];
    });
    return Object.fromEntries(fields);
  }

  #unknown({ key, line }: Entry, { fields }: RecordShape, node: Mapping, place: Place): void {
    const known = Object.keys(fields);
    const newer = known.find((name) => fields[name]?.older?.includes(key) || name === key.replaceAll("-", "_"));
    // With many unknown keys a typo is unlikely, so the hints stop.
    const near = this.problems.length < MOST_HINTS ? findClosestWord(key, known) : undefined;
    const where = place.length === 0 ? "of a spec" : `of ${nameOf(place)}`;
    const isTwice = newer !== undefined && node.entries.some((entry) => entry.key === newer);
    const hint = isTwice
      ? `It is the older name of ${newer}, which is there too.`
      : near
        ? `Is ${near} meant?`
        : `There are ${known.join(", ")}.`;
    this.problems.push({
      problem: `${quote(key, 40)} is not a field ${where}. ${hint}`,
      line,
      field: nameOf([...place, key]),
    });
  }

  #tell({ line }: { readonly line: number }, place: Place, what: string): undefined {
    const field = nameOf(place);
    this.problems.push({ problem: `${field === "" ? "The document" : field} ${what}.`, line, field });
  }
}

const MOST_HINTS = 100;
const WORD: TextShape = { kind: "text", least: 1, most: 200 };

const lineOf = (node: Mapping, key: string): { readonly line: number } =>
  node.entries.find((entry) => entry.key === key) ?? node;

function blankOf(shape: Shape): unknown {
  if (shape.kind === "list") return [];
  if (shape.kind === "table") return {};
  if (shape.kind !== "record") return undefined;
  const fields = Object.entries(shape.fields).map(([key, field]) => [key, blankOf(field.shape)] as const);
  return Object.fromEntries(fields.filter(([, blank]) => blank !== undefined));
}

function plainText(node: Located): unknown {
  if (node.kind === "scalar") return textOf(node);
  if (node.kind === "sequence") return node.items.map(plainText);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainText(value)]));
}

function kindOf(node: Located): string {
  if (node.kind === "scalar") return node.value === null ? "nothing" : "a single value";
  return node.kind === "sequence" ? "a list" : "a mapping";
}

const listed = (all: readonly string[]): string =>
  all.length < 2 ? String(all[0]) : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
