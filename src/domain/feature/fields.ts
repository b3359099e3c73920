import { findClosestWord } from "../closest.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import { getYamlChild, isYamlNull, findYamlLine, type LocatedNode, type LocatedScalar } from "../spec/yaml/located.ts";

export class YamlFieldReader {
  readonly line: number;
  readonly #node: LocatedNode;
  readonly #name: string;
  readonly #problems: Problem[];

  constructor(node: LocatedNode, name: string, problems: Problem[]) {
    this.#node = node;
    this.#name = name;
    this.#problems = problems;
    this.line = node.line;
  }

  tell(problem: string, line = this.line): void {
    this.#problems.push({ problem, line });
  }

  /** Returns false unless the node is a mapping. Reports unknown keys. */
  has(keys: readonly string[]): boolean {
    if (this.#node.kind !== "mapping") {
      this.tell(`${this.#name} must be a mapping with the keys ${keys.join(", ")}.`);
      return false;
    }
    for (const { key, line } of this.#node.entries) {
      if (keys.includes(key)) continue;
      const meant = findClosestWord(key, keys);
      const instead = meant === undefined ? `it has ${keys.join(", ")}` : `write ${meant}`;
      this.tell(`${this.#name} has no ${quote(key, 40)}: ${instead}.`, line);
    }
    return true;
  }

  lineOf(key: string): number {
    return findYamlLine(this.#node, [key]);
  }

  node(key: string): LocatedNode | undefined {
    const node = getYamlChild(this.#node, key);
    return isYamlNull(node) ? undefined : node;
  }

  text(key: string, example: string): string {
    const node = this.node(key);
    const said = node?.kind === "scalar" ? (typeof node.value === "string" ? node.value : node.text).trim() : "";
    if (said === "") this.tell(`${this.#name} has no ${key}: write ${key}: ${example}`, this.lineOf(key));
    return said;
  }

  flag(key: string): boolean {
    const node = this.node(key);
    if (node === undefined) return false;
    if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
    this.tell(`${this.#name}: ${key} must be true or false.`, this.lineOf(key));
    return false;
  }

  oneOf<T extends string>(key: string, allowed: readonly [T, ...T[]]): T {
    const node = this.node(key);
    const found = allowed.find((word) => node?.kind === "scalar" && node.value === word);
    if (node !== undefined && found === undefined)
      this.tell(`${this.#name}: ${key} must be ${allowed.join(" or ")}.`, this.lineOf(key));
    return found ?? allowed[0];
  }

  list(key: string): readonly LocatedNode[] {
    const node = this.node(key);
    if (node === undefined) return [];
    if (node.kind === "sequence") return node.items;
    this.tell(`${this.#name}: ${key} must be a list.`, this.lineOf(key));
    return [];
  }

  texts(key: string): { readonly text: string; readonly line: number }[] {
    return this.list(key).flatMap((item) => {
      const text = item.kind === "scalar" && typeof item.value === "string" ? item.value.trim() : "";
      if (text !== "") return [{ text, line: item.line }];
      this.tell(`${this.#name}: ${key} must be a list of texts.`, item.line);
      return [];
    });
  }

  /** Ids such as `1.10` must be text, because YAML reads the number as 1.1. */
  ids(key: string): { readonly text: string; readonly line: number }[] {
    return this.list(key).flatMap((item) => {
      const text = this.#idFrom(item, key);
      return text === undefined ? [] : [{ text, line: item.line }];
    });
  }

  id(key: string, example: string): string {
    const node = this.node(key);
    if (node === undefined) this.tell(`${this.#name} has no ${key}: write ${key}: ${example}`);
    return (node && this.#idFrom(node, key)) ?? "";
  }

  #idFrom(node: LocatedNode, key: string): string | undefined {
    if (node.kind !== "scalar" || node.value === null || typeof node.value === "boolean") {
      this.tell(`${this.#name}: ${key} must be ids, as "1.1".`, node.line);
      return undefined;
    }
    if (typeof node.value === "number" && !isPlainInteger(node)) {
      this.tell(`${this.#name}: ${node.text} is a number to YAML, where 1.10 is 1.1: write "${node.text}".`, node.line);
      return undefined;
    }
    return typeof node.value === "string" ? node.value.trim() : node.text;
  }
}

/** A plain integer reads the same as number and as text. */
const isPlainInteger = ({ text }: LocatedScalar): boolean => /^[1-9]\d{0,5}$/.test(text);
