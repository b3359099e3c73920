import { expect, test } from "vitest";
import { isFinishedSince, type ReleaseNote, formatReleaseNotes, parseReleaseDate } from "./release-notes.ts";

const note = (kind: ReleaseNote["kind"], id: string, at: string, more?: string): ReleaseNote => ({
  kind,
  id,
  title: `About ${id}`,
  at,
  more,
});

test("lists finished work under its heading, oldest first", () => {
  const notes = [
    note("decision", "ADR-0002", "2026-02-02T00:00:00Z", "replaces ADR-0001"),
    note("change", "fix-b", "2026-02-02T00:00:00Z", "fix"),
    note("change", "fix-a", "2026-02-01T00:00:00Z", "fix"),
    { ...note("bugfix", "BUG-001", "2026-02-01"), title: "A\nline\u001b[31m" },
  ];
  expect(formatReleaseNotes(notes)).toMatchInlineSnapshot(`
    "## Bugs fixed

    - **BUG-001**: A\\u000aline\\u001b[31m

    ## Changes

    - **fix-a**: About fix-a (fix)
    - **fix-b**: About fix-b (fix)

    ## Decisions

    - **ADR-0002**: About ADR-0002 (replaces ADR-0001)"
  `);
  expect(formatReleaseNotes([])).toBe("");
});

test.each<[at: string, since: string, expected: boolean]>([
  ["2026-02-01T10:00:00Z", "2026-02-01T10:00:00Z", true],
  ["2026-02-01T09:59:59Z", "2026-02-01T10:00:00Z", false],
  ["2026-02-01", "2026-02-01T10:00:00Z", true],
  ["2026-01-31", "2026-02-01T00:00:00Z", false],
])("%s is since %s: %s", (at, since, expected) => {
  expect(isFinishedSince(note("bugfix", "BUG-001", at), since)).toBe(expected);
});

test.each([
  ["2026-02-01", "2026-02-01T00:00:00Z"],
  ["2026-02-01T10:00:00Z", "2026-02-01T10:00:00Z"],
  ["2026-13-01", undefined],
  ["2026-02-01T25:00:00Z", undefined],
  ["v1.0.0", undefined],
  ["", undefined],
])("%j means %s", (word, expected) => {
  expect(parseReleaseDate(word)).toBe(expected);
});
