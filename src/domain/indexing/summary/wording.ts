import { plain } from "../../quote.ts";

/** So many are worded at once. */
export const BATCH = 10;
/** Characters of a thing that whoever words it is shown. */
export const LONGEST_SHOWN = 2_000;

/** Something to be worded. */
export interface Shown {
  readonly key: string;
  readonly kind: string;
  /** What it is, with whatever looks like a secret masked. */
  readonly text: string;
}

/** A line that occurs in none of the texts, and that nobody who wrote them could have known. */
export function fenceFor(texts: readonly string[], digest: (text: string) => string): string {
  for (let n = 0; ; n++) {
    const fence = `data-${digest(`${n}\n${texts.join("\n")}`).slice(0, 16)}`;
    if (!texts.some((text) => text.includes(fence))) return fence;
  }
}

/** The things with their numbers, each between two fences. Even what they are called was written by others. */
export function fenced(things: readonly Shown[], fence: string): string {
  return things
    .map(({ key, kind, text }, i) => `${i + 1}.\n${fence}\n${kind} ${plain(key, 300)}\n\n${text.trim()}\n${fence}`)
    .join("\n\n");
}

/**
 * What was said of each number from 1, as far as it can be read: a JSON object from number to text, or a list of objects
 * with `n` and `summary`, with whatever stands around it. What is no text, or of no number that was asked, is not there.
 */
export function readWording(said: string, asked: number): ReadonlyMap<number, string> {
  const value = jsonIn(said.replace(/^[\s\S]*<\/think(?:ing)?>/, ""));
  const pairs: [unknown, unknown][] = Array.isArray(value)
    ? value.map((each: unknown) => [fieldOf(each, "n") ?? fieldOf(each, "number"), fieldOf(each, "summary")])
    : typeof value === "object" && value !== null
      ? Object.entries(value)
      : [];
  const worded = new Map<number, string>();
  for (const [name, text] of pairs) {
    const n = /^[1-9]\d?$/.test(String(name)) ? Number(name) : 0;
    if (n >= 1 && n <= asked && typeof text === "string" && text.trim() !== "") worded.set(n, text);
  }
  return worded;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** The whole text, what stands in its first fence, or what stands between its first and last bracket. */
function jsonIn(said: string): unknown {
  const inFence = /```[\w-]*\n([\s\S]*?)\n?```/.exec(said)?.[1];
  const [object, list] = [between(said, "{", "}"), between(said, "[", "]")];
  for (const text of [said, inFence, object, list]) {
    if (text === undefined) continue;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null) return value;
    } catch {
      // The next may be read.
    }
  }
  return undefined;
}

function between(text: string, open: string, close: string): string | undefined {
  const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
  return from !== -1 && to > from ? text.slice(from, to + 1) : undefined;
}
