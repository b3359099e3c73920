import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinReceipts, digest, createTestReceipt } from "../../../../test/kit/receipts.ts";
import { appendReceiptLine, CHAIN_START_HASH, readReceiptChain } from "./receipt-chain.ts";

const three = joinReceipts(createTestReceipt(1), createTestReceipt(2), createTestReceipt(3));
const [first = "", second = "", third = ""] = three.split("\n");
const written = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const problemsIn = (text: string, workflow?: string): unknown => readReceiptChain(text, digest, workflow).problems;

test("reads appended receipts again, each with its line and hash", () => {
  const found = readReceiptChain(three, digest, "AUTH-001");
  expect(found.problems).toEqual([]);
  expect(found.receipts.map(({ receipt, line }) => [line, receipt])).toEqual([
    [1, createTestReceipt(1)],
    [2, createTestReceipt(2)],
    [3, createTestReceipt(3)],
  ]);
  expect(appendReceiptLine(written(first, second), createTestReceipt(3), digest)).toEqual({
    text: three,
    hash: found.receipts[2]?.hash,
  });
});

test("links each line to the one before it, in one order of fields", () => {
  const shuffled = Object.fromEntries(Object.entries(createTestReceipt(1)).toReversed()) as unknown as ReturnType<
    typeof createTestReceipt
  >;
  expect(joinReceipts(shuffled)).toBe(written(first));
  expect(Object.keys(JSON.parse(first) as object).join(" ")).toBe(
    "id gate workflow stage passed checks tree base trust spec_ids criteria environment at prev hash",
  );
  expect([first, second, third].map((line) => (JSON.parse(line) as { prev: string }).prev)).toEqual([
    CHAIN_START_HASH,
    digest(first),
    digest(second),
  ]);
});

test("leaves out facts that a receipt does not have", () => {
  const { tree: _, ...outside } = createTestReceipt(1);
  expect(readReceiptChain(joinReceipts(outside), digest).receipts.map(({ receipt }) => receipt)).toEqual([outside]);
});

/** An attacker who recomputes the hash of the line that was edited, and no others. */
function resealed(line: string, edit: (receipt: Record<string, unknown>) => Record<string, unknown>): string {
  const { hash: _, ...linked } = edit(JSON.parse(line) as Record<string, unknown>);
  return JSON.stringify({ ...linked, hash: digest(JSON.stringify(linked)) });
}

describe("reports each problem with its line", () => {
  const edited = second.replace('"exit":0', '"exit":1');
  test.each<[string, string, [number, string][]]>([
    ["nothing", three, []],
    ["an empty file", "", []],
    ["a checkout with the line ends of Windows", three.replaceAll("\n", "\r\n"), []],
    ["an edited line", written(first, edited, third), [[2, '"AUTH-001.R-2" was edited: its hash does not match.']]],
    [
      "an edited line with a recomputed hash",
      written(
        first,
        resealed(second, (receipt) => ({ ...receipt, passed: false })),
        third,
      ),
      [[3, "It does not follow line 2: a line was removed or edited between them."]],
    ],
    [
      "a line removed in the middle",
      written(first, third),
      [[2, "It does not follow line 1: a line was removed or edited between them."]],
    ],
    [
      "a removed first line",
      written(second, third),
      [[1, "It is not the first receipt: those before it were removed."]],
    ],
    [
      "reordered lines",
      written(first, third, second),
      [
        [2, "It follows line 3, not line 1: lines were moved, repeated or inserted."],
        [3, "It follows line 1, not line 2: lines were moved, repeated or inserted."],
      ],
    ],
    [
      "a repeated line",
      written(first, second, second),
      [
        [3, "It follows line 1, not line 2: lines were moved, repeated or inserted."],
        [3, '"AUTH-001.R-2" is already the id of line 2.'],
      ],
    ],
    [
      "a line appended by hand",
      written(first, joinReceipts(createTestReceipt(2)).trim()),
      [[2, "It starts a second chain: two chains were joined."]],
    ],
    [
      "a line appended by hand after other text",
      written(
        first,
        resealed(second, (receipt) => ({ ...receipt, prev: digest("x") })),
      ),
      [[2, "It does not follow line 1: a line was removed or edited between them."]],
    ],
    ["an incomplete last line", three.slice(0, -40), [[3, "The line is cut off."]]],
    ["a missing last line end", three.slice(0, -1), [[3, "The line is cut off."]]],
    [
      "a repeated id",
      joinReceipts(createTestReceipt(1), createTestReceipt(1)),
      [[2, '"AUTH-001.R-1" is already the id of line 1.']],
    ],
    [
      "an unknown field",
      written(resealed(first, (receipt) => ({ note: "x", ...receipt }))),
      [[1, 'It is not a receipt: it has the unknown field "note".']],
    ],
    [
      "an unknown field of a check",
      written(first.replace('"check":"tests"', '"__proto__":{},"check":"tests"')),
      [[1, 'It is not a receipt: it has the unknown field "checks[0].__proto__".']],
    ],
    [
      "a missing field",
      written(resealed(first, (receipt) => ({ ...receipt, stage: undefined }))),
      [[1, "It is not a receipt: stage is missing."]],
    ],
    [
      "a field of another type",
      written(resealed(first, (receipt) => ({ ...receipt, passed: "yes" }))),
      [[1, "It is not a receipt: passed is not true or false."]],
    ],
    [
      "an unknown value",
      written(first.replace('"status":"passed","dir', '"status":"fine","dir')),
      [[1, "It is not a receipt: checks[0].status is not passed, failed or waived."]],
    ],
    [
      "an invalid list",
      written(resealed(first, (receipt) => ({ ...receipt, criteria: "all" }))),
      [[1, "It is not a receipt: criteria is not a list."]],
    ],
    [
      "a repeated field",
      written(first.replace('"passed":true', '"passed":false,"passed":true')),
      [[1, '"AUTH-001.R-1" is not written as Tenon writes it.']],
    ],
    [
      "an additional blank",
      written(first.replace(":", ": ")),
      [[1, '"AUTH-001.R-1" is not written as Tenon writes it.']],
    ],
    ["no JSON", written("hello", first), [[1, "It is not JSON."]]],
    ["a list", written("[]"), [[1, "It is not a receipt: it is not an object."]]],
    ["an empty line", `\n`, [[1, "It is not JSON."]]],
    [
      "conflict marks",
      written("<<<<<<< HEAD", first, "=======", first, ">>>>>>> side"),
      [
        [1, "It has merge marks: keep the lines of one side, then run the gate again."],
        [3, "It has merge marks: keep the lines of one side, then run the gate again."],
        [4, '"AUTH-001.R-1" is already the id of line 2.'],
        [5, "It has merge marks: keep the lines of one side, then run the gate again."],
      ],
    ],
  ])("%s", (_, text, problems) => {
    expect(problemsIn(text)).toEqual(problems.map(([line, problem]) => ({ problem, line })));
  });

  test("a receipt of another workflow", () => {
    expect(problemsIn(joinReceipts(createTestReceipt(1)), "AUTH-002")).toEqual([
      { problem: 'It is a receipt of "AUTH-001", not of AUTH-002.', line: 1 },
    ]);
  });
});

test("reports a chain that is cut inside a line as torn, and accepts one cut at the end of a line", () => {
  for (let end = 1; end < three.length; end++) {
    const { receipts, problems } = readReceiptChain(three.slice(0, end), digest);
    const lines = three.slice(0, end).split("\n");
    expect([end, receipts.length, problems.length]).toEqual([end, lines.length - 1, three[end - 1] === "\n" ? 0 : 1]);
  }
});

/** Only line ends may differ, and only all of them at once. */
const saysTheSame = (text: string): boolean => text === three || text === three.replaceAll("\n", "\r\n");
const place = fc.nat(three.length - 1);
const words = fc.oneof(fc.string({ minLength: 1, maxLength: 3 }), fc.constantFrom("\n", "\r", "\r\n", " ", "0", '"'));

test("detects an edit of any character of any line", () => {
  const edits = fc.oneof(
    fc.tuple(place, words).map(([at, text]) => three.slice(0, at) + text + three.slice(at + 1)),
    fc.tuple(place, words).map(([at, text]) => three.slice(0, at) + text + three.slice(at)),
    fc.tuple(place, fc.integer({ min: 1, max: 50 })).map(([at, n]) => three.slice(0, at) + three.slice(at + n)),
  );
  fc.assert(
    fc.property(edits, (text) => {
      fc.pre(!saysTheSame(text) && !three.startsWith(text));
      expect(problemsIn(text)).not.toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});

test("accepts no order or selection of lines but the beginning of the chain", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(first, second, third), { minLength: 1, maxLength: 5 }), (lines) => {
      const isWhole = three.startsWith(written(...lines));
      expect((problemsIn(written(...lines)) as unknown[]).length === 0).toBe(isWhole);
    }),
  );
});

test("keeps any text in a receipt unchanged", () => {
  const text = fc.string({ unit: "binary", maxLength: 40 });
  fc.assert(
    fc.property(text, text, (name, reason) => {
      const receipt = createTestReceipt(1, { checks: [{ check: name, status: "waived", reason, argv: [name] }] });
      const { receipts, problems } = readReceiptChain(joinReceipts(receipt, createTestReceipt(2)), digest);
      expect([problems, receipts[0]?.receipt]).toEqual([[], receipt]);
    }),
  );
});
