import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeUnprintable } from "#kernel/model/text-format.ts";
import { DECISION_TYPES } from "../lead/lead-state.ts";
import {
  appendDecisionEntries,
  type DecisionEntry,
  findLastDecisionNumber,
  formatDecisionEntry,
  formatProductLogLine,
  parseDecisionLog,
} from "./decision-log.ts";

const at = "2026-01-31T12:00:00Z";
const DECISION: DecisionEntry = {
  type: "USER_DECISION",
  summary: "Keep state in SQLite",
  context: "Two stores drift",
  decision: "One SQLite file",
  reason: "One truth",
  impact: "store",
  source: "user instruction",
};

test("formats an entry for the log", () => {
  expect(formatDecisionEntry(12, at, { ...DECISION, steeringRef: "tech.md: no SQL" })).toMatchInlineSnapshot(`
    "[2026-01-31T12:00:00Z] D12: USER_DECISION | Keep state in SQLite

    - Context: Two stores drift
    - Decision: One SQLite file
    - Reason: One truth
    - Impact: store
    - Source: user instruction
    - Steering-ref: tech.md: no SQL"
  `);
});

test("leaves out empty fields", () => {
  const light = { ...DECISION, type: "SESSION_START" as const, context: "", decision: " ", reason: "", impact: "" };
  expect(formatDecisionEntry(1, at, light)).toBe(
    "[2026-01-31T12:00:00Z] D1: SESSION_START | Keep state in SQLite\n\n- Source: user instruction",
  );
});

const ENTRY = formatDecisionEntry(1, at, DECISION);

test.each([
  ["no log", undefined, `# Decisions\n\n${ENTRY}\n`],
  ["an empty log", "", `# Decisions\n\n${ENTRY}\n`],
  ["a log without a line end", "# Mine", `# Mine\n\n${ENTRY}\n`],
  ["a log with a line end", "# Mine\n", `# Mine\n\n${ENTRY}\n`],
  ["a log with a blank line", "# Mine\n\n", `# Mine\n\n${ENTRY}\n`],
  ["a log with Windows line ends", "# Mine\r\n", `# Mine\r\n\r\n${ENTRY.replaceAll("\n", "\r\n")}\r\n`],
])("appends to %s", (_, log, expected) => {
  expect(appendDecisionEntries(log, [ENTRY])).toBe(expected);
});

test("changes nothing without an entry", () => {
  expect([appendDecisionEntries(undefined, []), appendDecisionEntries("x", [])]).toEqual(["", "x"]);
});

const LOG = appendDecisionEntries("# Mine\n\nNotes.\n", [
  ENTRY,
  formatDecisionEntry(2, at, { ...DECISION, type: "STEERING_EXCEPTION", summary: "a | b", steeringRef: "tech.md" }),
]);

test("reads decisions back", () => {
  const read = [
    { ...DECISION, number: 1, at },
    { ...DECISION, number: 2, at, type: "STEERING_EXCEPTION", summary: "a | b", steeringRef: "tech.md" },
  ];
  expect(parseDecisionLog(LOG)).toEqual(read);
  expect(parseDecisionLog("")).toEqual([]);
});

const NOTHING = { context: "", decision: "", reason: "", impact: "", source: "" };

test.each([
  [
    "- [2026-01-01] D7: USER_DECISION | Begin",
    { number: 7, at: "2026-01-01", type: "USER_DECISION", summary: "Begin" },
  ],
  ["## [now] **D7**: OTHER - Begin", { number: 7, at: "now", type: "OTHER", summary: "Begin" }],
  ["D7: USER_DECISION", { number: 7, at: "", type: "USER_DECISION", summary: "" }],
])("reads the handwritten entry %j", (line, head) => {
  const log = `${line}\n- **Reason**: because\n- reason: not this one\n- Mood: good\nwhatever\n`;
  expect(parseDecisionLog(log)).toEqual([{ ...NOTHING, ...head, reason: "because" }]);
});

test.each([
  ["", 0],
  [LOG, 2],
  [`${LOG}\n[x] D40 by hand`, 40],
  [`${LOG}\n- Reason: see [x] D99: USER_DECISION | y`, 2],
  [`${LOG}\nD9999999999999999999: no number`, 2],
])("finds the last number of a log", (log, expected) => {
  expect(findLastDecisionNumber(log)).toBe(expected);
});

test("formats a decision on one line", () => {
  expect(formatProductLogLine(3, at, { summary: "Two\nlines" })).toBe("2026-01-31 D3: Two lines");
});

const said = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc
    .array(
      fc.constantFrom(
        "\n",
        "\r\n",
        "\r",
        "[x] D9: USER_DECISION | y",
        "- Reason: z",
        "\\n",
        "\\",
        "|",
        "D9: A",
        " ",
        "\u2028",
      ),
      {
        maxLength: 12,
      },
    )
    .map((pieces) => pieces.join("")),
);
const decision: fc.Arbitrary<DecisionEntry> = fc.record({
  type: fc.constantFrom(...DECISION_TYPES),
  summary: said,
  context: said,
  decision: said,
  reason: said,
  impact: said,
  source: said,
  steeringRef: said,
});

/** A text as it can be had back: its lines, and nothing in them that hides. */
const seen = (text: string): string =>
  text
    .trim()
    .split(/\r\n|[\r\n\u0085\u2028\u2029]/)
    .map((line) => escapeUnprintable(line.replaceAll("\t", " ")))
    .join("\n")
    .trim();

test("reads any decisions back in order, and keeps the earlier text", () => {
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 5 }), said, (all, before) => {
      const log = appendDecisionEntries(
        before,
        all.map((each, i) => formatDecisionEntry(i + 1, at, each)),
      );
      expect(log.startsWith(before)).toBe(true);
      const own = parseDecisionLog(log.slice(before.length));
      expect(
        own.map(({ number, type, summary, reason, steeringRef = "" }) => [number, type, summary, reason, steeringRef]),
      ).toEqual(
        all.map((each, i) => [i + 1, each.type, seen(each.summary), seen(each.reason), seen(each.steeringRef ?? "")]),
      );
    }),
    { numRuns: 500 },
  );
});
