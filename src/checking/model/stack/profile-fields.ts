import { quote } from "#kernel/model/text-format.ts";

/** Reads fields of an untrusted document and collects problems with their location. */
export class ProfileFields {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #name: string;
  readonly #problems: string[];

  /** An unknown key is a problem, and so is a value that is not a mapping. */
  constructor(value: unknown, name: string, keys: readonly string[], problems: string[]) {
    this.#name = name;
    this.#problems = problems;
    const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isMapping) problems.push(`${name === "" ? "the file" : name} must be a mapping`);
    const entries = isMapping ? Object.entries(value) : [];
    for (const [key] of entries) {
      if (!keys.includes(key))
        problems.push(
          `${quote(key, 40)} is not a key of ${name === "" ? "a profile" : name}, which has ${keys.join(", ")}`,
        );
    }
    this.#values = new Map(entries.filter(([key, inner]) => keys.includes(key) && inner !== null));
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  raw(key: string): unknown {
    return this.#values.get(key);
  }

  place(key: string): string {
    return this.#name === "" ? key : `${this.#name}.${key}`;
  }

  problem(key: string, what: string): void {
    this.#problems.push(`${this.place(key)} ${what}`);
  }

  text(key: string, most = 2_000): string | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (typeof value === "string" && value.trim() !== "" && value.length <= most && !value.includes("\0")) return value;
    this.problem(key, `must be a text of at most ${most} characters`);
    return undefined;
  }

  /** A single text counts as a list of one. */
  texts(key: string, most = 2_000): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const isRight = (item: unknown): item is string =>
      typeof item === "string" && item !== "" && item.length <= most && !item.includes("\0");
    if (list.length > 0 && list.length <= 200 && list.every(isRight)) return list;
    this.problem(key, "must be a list of texts");
    return undefined;
  }

  number(key: string, least: number, most: number): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (typeof value === "number" && value >= least && value <= most) return value;
    this.problem(key, `must be a number from ${least} to ${most}`);
    return undefined;
  }

  oneOf<T extends string>(key: string, words: readonly T[]): T | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) this.problem(key, `must be one of ${words.join(", ")}`);
    return word;
  }

  isTrue(key: string): boolean {
    const value = this.raw(key) ?? false;
    if (typeof value !== "boolean") this.problem(key, "must be true or false");
    return value === true;
  }

  items<T>(key: string, read: (item: unknown, place: string) => T | undefined): readonly T[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || value.length > 200) {
      this.problem(key, "must be a list");
      return undefined;
    }
    return value.flatMap((item, i) => {
      const one = read(item, `${this.place(key)}[${i}]`);
      return one === undefined ? [] : [one];
    });
  }

  table(key: string, most = 2_000): Readonly<Record<string, string>> | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
    const entries = isTable ? Object.entries(value) : [];
    if (isTable && entries.every(([, text]) => typeof text === "string" && text !== "" && text.length <= most))
      return Object.fromEntries(entries);
    this.problem(key, "must name a text for each word");
    return undefined;
  }
}
