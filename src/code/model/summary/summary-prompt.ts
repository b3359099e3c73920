import { sanitizeText } from "#kernel/model/text-format.ts";

export const SUMMARY_BATCH_SIZE = 10;
export const MAX_SUMMARY_INPUT = 2_000;

export type SummaryInput = Readonly<{ key: string; kind: string; text: string }>;

/** A line that occurs in none of the texts, and that their authors could not predict. */
export function createDataFence(texts: readonly string[], digest: (text: string) => string): string {
  for (let n = 0; ; n++) {
    const fence = `data-${digest(`${n}\n${texts.join("\n")}`).slice(0, 16)}`;
    if (!texts.some((text) => text.includes(fence))) return fence;
  }
}

/** Numbers the inputs and puts each between two fences. Keys are inside too, because they come from the repository. */
export function formatFencedInputs(things: readonly SummaryInput[], fence: string): string {
  const blocks = things.map(({ key, kind, text }, i) => {
    return `${i + 1}.\n${fence}\n${kind} ${sanitizeText(key, 300)}\n\n${text.trim()}\n${fence}`;
  });
  return blocks.join("\n\n");
}

/** An object from number to text, or a list with `n` and `summary`, with any text around it. */
export function parseSummaryReply(said: string, asked: number): ReadonlyMap<number, string> {
  const value = extractReplyJson(said.replace(/^[\s\S]*<\/think(?:ing)?>/, ""));
  const pairs: [unknown, unknown][] = Array.isArray(value)
    ? value.map((each: unknown) => [
        readReplyField(each, "n") ?? readReplyField(each, "number"),
        readReplyField(each, "summary"),
      ])
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

const readReplyField = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Tries the whole reply, its first code fence, then the outermost brackets. */
function extractReplyJson(said: string): unknown {
  const inFence = /```[\w-]*\n([\s\S]*?)\n?```/.exec(said)?.[1];
  const sliceBetween = (open: string, close: string): string =>
    said.slice(said.indexOf(open), said.lastIndexOf(close) + 1);
  for (const text of [said, inFence, sliceBetween("{", "}"), sliceBetween("[", "]")]) {
    try {
      const value: unknown = JSON.parse(text ?? "");
      if (typeof value === "object" && value !== null) return value;
    } catch {
      // Try the next one.
    }
  }
  return undefined;
}
