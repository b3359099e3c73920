import { DELIVERY_COMPONENT, ROOT_COMPONENT } from "../adopt/design-draft.ts";
import { findIdMentions } from "#kernel/model/document/id-references.ts";

export class CodeMentionSearch {
  readonly mentioned = new Map<string, string[]>();
  readonly #unseen: Map<string, RegExp>;
  readonly #paths = new Set<string>();

  constructor(components: readonly string[]) {
    this.#unseen = new Map(
      components.flatMap((name): [string, RegExp][] => {
        const words = name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").match(/[\p{L}\p{N}]+/gu);
        // A single word must start at a word boundary; several words in a row may also follow a prefix.
        const start = words?.length === 1 ? "(?<![\\p{L}\\p{N}])" : "";
        // `Token store` also matches `TokenStore`, `token_store` and `token-store`.
        return words ? [[name, new RegExp(`${start}${words.join("[^\\p{L}\\p{N}\\n]{0,3}")}`, "iu")]] : [];
      }),
    );
  }

  get unseen(): string[] {
    return [...this.#unseen.keys()];
  }

  path(path: string): void {
    this.#paths.add(path);
    this.#see(path);
    if (!path.includes("/")) this.#unseen.delete(ROOT_COMPONENT);
    this.#unseen.delete(DELIVERY_COMPONENT);
  }

  /** Counts an evidence link as a mention while its file exists, so code need not repeat the id. */
  evidence(id: string, links: readonly string[]): void {
    for (const link of links) if (this.#paths.has(link.replace(/:\d+$|#.*$/, ""))) this.#mention(id, link);
  }

  text(path: string, text: string): void {
    this.#see(text);
    // Most files contain no id, and splitting into lines is the expensive part.
    if (!/(?:FR|BR)-\d{3}/.test(text)) return;
    const lines = text.split(/\r\n|\r|\n/).map((line, i) => ({ number: i + 1, text: line }));
    for (const family of ["requirement", "rule"] as const) {
      for (const { id, line } of findIdMentions(lines, family)) this.#mention(id, `${path}:${line}`);
    }
  }

  #mention(id: string, place: string): void {
    const places = this.mentioned.get(id) ?? [];
    this.mentioned.set(id, places);
    if (places.at(-1) !== place) places.push(place);
  }

  #see(text: string): void {
    for (const [name, pattern] of this.#unseen) if (pattern.test(text)) this.#unseen.delete(name);
  }
}

export const isProsePath = (path: string): boolean => /\.(?:md|mdx|markdown|txt|rst|adoc|org)$/i.test(path);
