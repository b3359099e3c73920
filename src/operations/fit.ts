import { renderMarkdown } from "#domain/markdown.ts";
import type { Page } from "#domain/page.ts";
import type { Engine } from "./engine.ts";

/** Tokens of an answer whose caller names no ceiling. */
export const CEILING = 8_000;
/** A ceiling below this holds no answer at all; one about a certain observation has to name it as well. */
export const LOWEST_CEILING = 50;
export const LOWEST_NAMING = 250;
/** Characters. Less of a text says nothing. */
const SHORTEST = 40;

/** An answer that is made of items, best first, and can be given with fewer of them. */
export interface Answer<Item, Output> {
  readonly items: readonly Item[];
  readonly build: (shown: readonly Item[], omitted: number) => Output;
  readonly page: (output: Output) => Page;
  /** The item with so many characters of its text; nothing where it has no text to shorten. */
  readonly shorten: (item: Item, length: number) => Item | undefined;
}

/**
 * As much of an answer as fits under the ceiling, as text and as data, with what is said about the rest. Items are left
 * out from the end; the first that does not fit is shortened if that helps.
 */
export async function fit<Item, Output>(
  engine: Pick<Engine, "tokens">,
  ceiling: number,
  { items, build, page, shorten }: Answer<Item, Output>,
): Promise<Output> {
  const whole = build(items, 0);
  // A token is a byte at least, so a text with fewer bytes need not be counted.
  const bytes = new TextEncoder();
  if (textsOf(whole, page(whole)).every((text) => bytes.encode(text).length <= ceiling)) return whole;
  const count = await engine.tokens.counter();
  const fits = (output: Output): boolean => textsOf(output, page(output)).every((text) => count(text) <= ceiling);
  const most = largest(items.length, (n) => fits(build(items.slice(0, n), items.length - n)));
  const next = items[most];
  if (next === undefined) return whole;
  const withPart = (length: number): Output | undefined => {
    const part = shorten(next, length);
    return part && build([...items.slice(0, most), part], items.length - most - 1);
  };
  const length = largest(ceiling * 4, (n) => {
    const output = withPart(n);
    return output !== undefined && fits(output);
  });
  const shortened = length >= SHORTEST ? withPart(length) : undefined;
  return shortened ?? build(items.slice(0, most), items.length - most);
}

/** The two forms in which an answer travels. */
function textsOf(output: unknown, page: Page): string[] {
  return [JSON.stringify(output), renderMarkdown(page, (fix) => JSON.stringify(fix))];
}

/** The largest number up to `most` for which it holds, given that it holds for all below. */
function largest(most: number, holds: (n: number) => boolean): number {
  if (holds(most)) return most;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
