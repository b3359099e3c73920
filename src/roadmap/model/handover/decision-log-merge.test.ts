import { expect, test } from "vitest";
import { appendDecisionEntries, formatDecisionEntry } from "./decision-log.ts";
import { mergeDecisionLogs } from "./handover-merge.ts";

const entry = (number: number, summary = `Number ${number}`): string =>
  formatDecisionEntry(number, "2026-01-31T12:00:00Z", {
    type: "USER_DECISION",
    summary,
    context: "c",
    decision: "d",
    reason: "r",
    impact: "i",
    source: "s",
  });
const log = (...numbers: number[]): string =>
  appendDecisionEntries(
    undefined,
    numbers.map((number) => entry(number)),
  );
const BASE = log(1);

test.each([
  ["keeps what each side adds", BASE, log(1, 2, 5), log(1, 3, 4), log(1, 2, 3, 4, 5)],
  ["keeps what one side adds", BASE, BASE, log(1, 2), log(1, 2)],
  ["keeps an equal addition once", BASE, log(1, 2), log(1, 2, 3), log(1, 2, 3)],
  ["keeps an unchanged log", BASE, BASE, BASE, BASE],
  ["joins two new logs", "", log(1, 3), log(2), log(1, 2, 3)],
  ["joins a log with Windows line ends", ...windows(BASE, log(1, 3), log(1, 2), log(1, 2, 3))],
])("%s", (_, base, ours, theirs, text) => {
  expect(mergeDecisionLogs(base, ours, theirs)).toEqual({ text, conflicts: [] });
});

function windows(...texts: [string, string, string, string]): [string, string, string, string] {
  return texts.map((text) => text.replaceAll("\n", "\r\n")) as typeof texts;
}

test("keeps and reports two decisions with one number", () => {
  const [ours, theirs] = ["Ours", "Theirs"].map((summary) => appendDecisionEntries(BASE, [entry(2, summary)]));
  expect(mergeDecisionLogs(BASE, ours ?? "", theirs ?? "")).toEqual({
    text: appendDecisionEntries(BASE, [entry(2, "Ours"), entry(2, "Theirs")]),
    conflicts: [],
    joined: ["D2"],
  });
});

test.each([
  [
    "an entry was edited",
    BASE.replace("Number 1", "Another"),
    log(1, 2),
    `${BASE.replace("Number 1", "Another")}\n${entry(2)}\n`,
  ],
  ["a note was added", `${BASE}\nA note.\n`, BASE, `${BASE}\nA note.\n`],
])("merges by lines where %s", (_, ours, theirs, text) => {
  expect(mergeDecisionLogs(BASE, ours, theirs)).toEqual({ text, conflicts: [] });
});

test("reports a conflict where both sides did more than add", () => {
  const { conflicts, text } = mergeDecisionLogs(BASE, `${BASE}\nA note.\n`, log(1, 2));
  expect([conflicts, text.includes("A note."), text.includes("Number 2")]).toEqual([["some lines"], true, true]);
});
