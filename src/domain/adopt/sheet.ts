import type { Finding, Kind } from "./finding.ts";

export interface Hit {
  /** What a group matched; nothing where it did not. */
  group(n: number): string;
  /** The line in which a group stands. */
  lineOf(n: number): number;
  readonly from: number;
  readonly to: number;
}

type Told = Pick<Finding, "by" | "basis"> & { readonly of?: string | undefined; readonly says?: string | undefined };

/** What one file can say of one kind. */
const MOST_HITS = 2_000;
/** Characters. A longer line is no code that somebody wrote, and patterns take too long over it. */
const LONGEST_LINE = 1_000;
/** Characters between two brackets. */
const LONGEST_BLOCK = 20_000;

/** The text of one file, in which every match knows its line. */
export class Sheet {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly #starts: readonly number[];
  readonly #hits = new Map<string, readonly Hit[]>();

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.lines = text.split("\n");
    let at = 0;
    this.#starts = this.lines.map((line) => {
      const start = at;
      at += line.length + 1;
      return start;
    });
  }

  /** Counted from 1. */
  lineAt(index: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** The matches of a pattern with the flags `g` and `d`; each pattern goes over the text once. */
  hits(pattern: RegExp): readonly Hit[] {
    const known = this.#hits.get(pattern.source);
    if (known) return known;
    const hits: Hit[] = [];
    for (const match of this.text.matchAll(pattern)) {
      if (hits.length >= MOST_HITS) break;
      hits.push({
        group: (n) => match[n] ?? "",
        lineOf: (n) => this.lineAt(match.indices?.[n]?.[0] ?? match.index),
        from: match.index,
        to: match.index + match[0].length,
      });
    }
    this.#hits.set(pattern.source, hits);
    return hits;
  }

  /** Something found at a line, borne out by words that stand in it. */
  found(kind: Kind, name: string, line: number, words: string, { of, says, ...told }: Told): Finding {
    return {
      kind,
      name,
      ...(of === undefined || of === "" ? {} : { of }),
      ...(says === undefined || says === "" ? {} : { says }),
      ...told,
      path: this.path,
      line,
      words: words.split("\n", 1)[0] ?? "",
    };
  }

  /** The first line that says anything, for a file that speaks by being there. */
  whole(kind: Kind, name: string, told: Told): Finding {
    const first = Math.max(
      0,
      this.lines.findIndex((line) => line.trim() !== ""),
    );
    return this.found(kind, name, first + 1, (this.lines[first] ?? "").trim().slice(0, 60), told);
  }

  /** The line of a text at or after another line; the latter where it stands nowhere. */
  lineWith(words: string, from = 1): number {
    const at = this.text.indexOf(words, this.#starts[from - 1] ?? 0);
    return at < 0 ? from : this.lineAt(at);
  }
}

const COMMENTS: readonly (readonly [endings: RegExp, line: RegExp])[] = [
  [/\.(?:[cm]?[jt]sx?|go|rs|java|kt|kts|cs|php|prisma|gradle|scala|swift|dart)$/, /^[ \t]*(?:\/\/|\/?\*(?!\/)).*$/gm],
  [/\.(?:py|rb|ya?ml|toml|ex|exs|sh)$/, /^[ \t]*#(?!\[).*$/gm],
  // What tells the way forward from the way back is a comment too.
  [/\.sql$/, /--(?! *(?:\+goose|\+migrate|migrate:)).*$/gm],
];

/** The text with comments that have a line of their own, and with overlong lines, made blank; everything keeps its place. */
export function withoutComments(path: string, text: string): string {
  const pattern = COMMENTS.find(([endings]) => endings.test(path))?.[1];
  const short = text.replace(/.+/g, (line) => (line.length > LONGEST_LINE ? " ".repeat(line.length) : line));
  return pattern ? short.replace(pattern, (comment) => " ".repeat(comment.length)) : short;
}

/**
 * Where the bracket that opens at a place is closed; as far as was looked where it is not. What cannot stand inside,
 * because blocks of its kind do not nest, ends it too.
 */
export function closing(text: string, open: number, next = text.length): number {
  const mate = { "(": ")", "{": "}", "[": "]" }[text[open] ?? ""];
  const end = Math.min(next, open + LONGEST_BLOCK);
  let depth = 0;
  for (let at = open; at < end; at++) {
    if (text[at] === text[open]) depth++;
    else if (text[at] === mate && --depth === 0) return at;
  }
  return end;
}
