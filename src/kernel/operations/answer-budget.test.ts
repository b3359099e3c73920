import fc from "fast-check";
import { expect, test } from "vitest";
import { countTokens } from "../adapters/token-count.ts";
import { renderPageMarkdown, type Page } from "../model/page.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer, MIN_ANSWER_TOKENS } from "./answer-budget.ts";

interface Item {
  readonly id: number;
  readonly text: string;
  readonly is_part?: boolean;
}
interface Output {
  readonly items: readonly Item[];
  readonly omitted: number;
}

const page = ({ items, omitted }: Output): Page => ({
  title: `Found ${items.length + omitted}.`,
  quotes: items.map(({ id, text, is_part }) => ({ label: `#${id}${is_part ? " in part" : ""}`, text })),
  points: omitted > 0 ? [`${omitted} more left out.`] : [],
});

let counted = 0;
const engine = {
  tokens: {
    counter: () => {
      counted++;
      return Promise.resolve(countTokens);
    },
  },
};

const answer = (items: readonly Item[], ceiling: number): Promise<Output> =>
  fitAnswer(engine, ceiling, {
    items,
    build: (shown, omitted) => ({ items: shown, omitted }),
    page,
    shorten: (item, length) =>
      item.text.length <= length
        ? undefined
        : { ...item, text: item.text.slice(0, length).toWellFormed(), is_part: true },
  });

const tokensOf = (output: Output): number =>
  Math.max(
    countTokens(JSON.stringify(output)),
    countTokens(renderPageMarkdown(page(output), (fix) => JSON.stringify(fix))),
  );

const items = (...texts: string[]): Item[] => texts.map((text, i) => ({ id: i + 1, text }));
const words = (n: number): string => "word ".repeat(n).trim();

test("gives everything that fits, and does not count a small answer", async () => {
  const small = items("a", "b");
  const before = counted;
  expect(await answer(small, DEFAULT_ANSWER_TOKENS)).toEqual({ items: small, omitted: 0 });
  expect(counted).toBe(before);
});

test("gives an item that fits to the token, and not one with a token more", async () => {
  const all = items(words(60), words(60));
  const needed = tokensOf({ items: all, omitted: 0 });
  expect(await answer(all, needed)).toEqual({ items: all, omitted: 0 });
  expect((await answer(all, needed - 1)).items).not.toEqual(all);
});

test("shortens the first item that does not fit, reports it, and leaves out the rest", async () => {
  const { items: shown, omitted } = await answer(items(words(40), words(500), words(500)), 200);
  expect(shown.map(({ id, is_part = false }) => [id, is_part])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect({ begins: words(500).startsWith(shown[1]?.text ?? "?"), omitted }).toEqual({ begins: true, omitted: 1 });
});

test("shortens a first item that is far too large", async () => {
  const output = await answer(items("🚀 déjà vu ".repeat(5_000)), MIN_ANSWER_TOKENS);
  expect({ shown: output.items.map(({ id, is_part }) => [id, is_part]), omitted: output.omitted }).toEqual({
    shown: [[1, true]],
    omitted: 0,
  });
  expect(tokensOf(output)).toBeLessThanOrEqual(MIN_ANSWER_TOKENS);
});

test("leaves out a text of which less than forty letters fit", async () => {
  const all = items(words(60), "x7Q ".repeat(100));
  const part = { id: 2, text: "x7Q ".repeat(7), is_part: true };
  const room = tokensOf({ items: [...all.slice(0, 1), part], omitted: 0 });
  expect(await answer(all, room)).toEqual({ items: all.slice(0, 1), omitted: 1 });
});

test("counts a short text of letters that cost three tokens each", async () => {
  const dear = "\ua66e".repeat(120);
  const { items: shown } = await answer(items(dear), 200);
  expect(shown.map(({ is_part }) => is_part)).toEqual([true]);
});

test("leaves out an item that cannot be shortened", async () => {
  const all = items(words(10), words(400));
  const output = await fitAnswer(engine, 100, {
    items: all,
    build: (shown: readonly Item[], omitted): Output => ({ items: shown, omitted }),
    page,
    shorten: () => undefined,
  });
  expect(output).toEqual({ items: all.slice(0, 1), omitted: 1 });
});

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc
    .tuple(fc.constantFrom("word ", "修复登录", "🚀", '"\\\n', "x7Q_", "\u0000\u202e"), fc.nat({ max: 300 }))
    .map(([piece, times]) => piece.repeat(times)),
);

test("stays under the limit in order, and reports what it left out, for any items", async () => {
  const anyItems = fc.array(anyText, { maxLength: 8 }).map((texts) => items(...texts));
  await fc.assert(
    fc.asyncProperty(anyItems, fc.integer({ min: MIN_ANSWER_TOKENS, max: 1_500 }), async (all, ceiling) => {
      fc.pre(tokensOf({ items: [], omitted: all.length }) <= ceiling);
      const output = await answer(all, ceiling);
      const isWhole = output.omitted === 0 && output.items.every(({ is_part }) => !is_part);
      expect(isWhole).toBe(tokensOf({ items: all, omitted: 0 }) <= ceiling);
      expect({ fits: tokensOf(output) <= ceiling, total: output.items.length + output.omitted }).toEqual({
        fits: true,
        total: all.length,
      });
      expect(output.items.map(({ id }) => id)).toEqual(all.slice(0, output.items.length).map(({ id }) => id));
      expect(output.items.slice(0, -1)).toEqual(all.slice(0, Math.max(0, output.items.length - 1)));
      const last = output.items.at(-1);
      const whole = all[output.items.length - 1];
      expect(last?.is_part ? whole?.text.startsWith(last.text.slice(0, -1)) : last).toEqual(
        last?.is_part ? true : whole,
      );
    }),
    { numRuns: 200 },
  );
});
