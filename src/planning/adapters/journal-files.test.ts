import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJournalLines, type JournalNote, parseJournalLine } from "./journal-files.ts";

const CLOCK = { boot: "b", nowMs: () => 5000 };
const NOTE: JournalNote = {
  id: "1",
  event: "Stop",
  session: "a",
  at: "2026-01-31T12:00:00Z",
  steady: 2000,
  boot: "b",
  ms: 7,
};
const LINE = {
  event: "Stop",
  session: "a",
  at: "2026-01-31T12:00:00Z",
  ageMs: 3000,
  steady: { boot: "b", ms: 2000 },
  paths: [],
  changed: [],
  ms: 7,
};

test.each<[string, Partial<JournalNote>, object]>([
  ["plain", {}, {}],
  ["with paths", { paths: ["a.ts", "b/c.ts"] }, { paths: ["a.ts", "b/c.ts"], changed: [0, 0] }],
  [
    "with times of change",
    { paths: ["a.ts", "b.ts"], changed: [12, 34] },
    { paths: ["a.ts", "b.ts"], changed: [12, 34] },
  ],
  ["with the context that was shown", { told: "AUTH-001 specify-fix" }, { told: "AUTH-001 specify-fix" }],
  [
    "from before the machine restarted",
    { boot: "c" },
    { ageMs: Number.POSITIVE_INFINITY, steady: { boot: "c", ms: 2000 } },
  ],
  [
    "from before the clock restarted",
    { steady: 6000 },
    { ageMs: Number.POSITIVE_INFINITY, steady: { boot: "b", ms: 6000 } },
  ],
])("reads back what it wrote: %s", (_, changes, expected) => {
  const lines = formatJournalLines({ ...NOTE, ...changes });
  expect(lines.map((line) => parseJournalLine(line.trimEnd(), CLOCK))).toEqual([{ ...LINE, ...expected }]);
});

test.each<[string, object]>([
  ["another version", { v: 2 }],
  ["an unknown event", { event: "Explode" }],
  ["an invalid session name", { session: "a b" }],
  ["an invalid time", { at: "yesterday" }],
  ["an invalid age", { steady: -1 }],
  ["a missing boot id", { boot: null }],
  ["an invalid duration", { ms: "7" }],
])("does not read %s as a line", (_, changes) => {
  expect(parseJournalLine(JSON.stringify({ v: 1, ...NOTE, ...changes }), CLOCK)).toBeUndefined();
});

test("fits each line for any paths, and loses no path that fits by itself", () => {
  const path = fc.stringMatching(/^[a-zé/]{1,900}$/u);
  fc.assert(
    fc.property(fc.array(path, { maxLength: 40 }), (paths) => {
      const lines = formatJournalLines({ ...NOTE, paths });
      const read = lines.flatMap((line) => (JSON.parse(line) as { paths?: string[] }).paths ?? []);
      expect([lines.every((line) => Buffer.byteLength(line) <= 4096), read]).toEqual([true, paths]);
    }),
  );
});

test("reads any text as a line or as none", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(parseJournalLine(text, CLOCK)).toBeUndefined();
    }),
  );
});
