import { renderPageMarkdown, type Page } from "../model/page.ts";
import type { KernelEngine } from "./engine.ts";

export const DEFAULT_ANSWER_TOKENS = 8_000;
/** The smallest limit that can hold an answer. An answer about one observation must also name it. */
export const MIN_ANSWER_TOKENS = 50;
export const MIN_NAMED_ANSWER_TOKENS = 250;
/** Characters. A shorter excerpt has no value. */
const MIN_EXCERPT_LENGTH = 40;

/** Fits an answer as text and as data. Drops items from the end, and shortens the first one that does not fit. */
export async function fitAnswer<Item, Output>(
  engine: Pick<KernelEngine, "tokens">,
  ceiling: number,
  answer: {
    readonly items: readonly Item[];
    readonly build: (shown: readonly Item[], omitted: number) => Output;
    readonly page: (output: Output) => Page;
    readonly shorten: (item: Item, length: number) => Item | undefined;
  },
): Promise<Output> {
  const { items, build, page, shorten } = answer;
  const whole = build(items, 0);
  // A token has at least one byte, so a text with fewer bytes than the limit fits.
  const bytes = new TextEncoder();
  const renderForms = (output: Output): string[] => [
    JSON.stringify(output),
    renderPageMarkdown(page(output), (fix) => JSON.stringify(fix)),
  ];
  if (renderForms(whole).every((text) => bytes.encode(text).length <= ceiling)) return whole;
  const count = await engine.tokens.counter();
  const fits = (output: Output): boolean => renderForms(output).every((text) => count(text) <= ceiling);
  const most = findLargestFit(items.length, (n) => fits(build(items.slice(0, n), items.length - n)));
  const next = items[most];
  if (next === undefined) return whole;
  const withPart = (length: number): Output | undefined => {
    const part = shorten(next, length);
    return part && build([...items.slice(0, most), part], items.length - most - 1);
  };
  const length = findLargestFit(ceiling * 4, (n) => {
    const output = withPart(n);
    return output !== undefined && fits(output);
  });
  const shortened = length >= MIN_EXCERPT_LENGTH ? withPart(length) : undefined;
  return shortened ?? build(items.slice(0, most), items.length - most);
}

/** Binary search. `holds` must be true for all smaller numbers. */
function findLargestFit(most: number, holds: (n: number) => boolean): number {
  if (holds(most)) return most;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
