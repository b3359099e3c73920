import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DecisionRecord,
  DECISION_STATUSES,
  formatDecisionId,
  readDecisionHead,
  renderDecision,
  updateDecisionStatus,
  type DecisionStatusChange,
} from "./decision-record.ts";

const id = formatDecisionId(1, false);
const at = "2026-01-31T12:00:00Z";
const ADR: DecisionRecord = {
  id,
  title: "Keep state in SQLite",
  status: "accepted",
  context: "Two stores drift.",
  decision: "One SQLite file.",
  rationale: "One truth.",
  created_at: at,
};
const TEXT = renderDecision(ADR);
const DEPRECATED: DecisionStatusChange = { status: "deprecated", at: "2026-02-01T08:00:00Z", reason: "It was removed" };
const SUPERSEDED: DecisionStatusChange = {
  status: "superseded",
  at: "2026-02-02T08:00:00Z",
  superseded_by: "ADR-0002",
};

test("the text of a decision", () => {
  expect(TEXT).toMatchInlineSnapshot(`
    "# ADR-0001: Keep state in SQLite

    - Status: accepted
    - Date: 2026-01-31T12:00:00Z

    ## Context

    Two stores drift.

    ## Decision

    One SQLite file.

    ## Rationale

    One truth.
    "
  `);
});

test("renders a decision of a change with every field", () => {
  const full = {
    ...ADR,
    change_id: "fix-login",
    supersedes: "ADR-0007",
    alternatives_rejected: " - Files\r\n - Git\r\n",
  };
  expect(renderDecision(full)).toMatchInlineSnapshot(`
    "# ADR-0001: Keep state in SQLite

    - Status: accepted
    - Date: 2026-01-31T12:00:00Z
    - Change: fix-login
    - Supersedes: ADR-0007

    ## Context

    Two stores drift.

    ## Decision

    One SQLite file.

    ## Rationale

    One truth.

    ## Alternatives rejected

    - Files
     - Git
    "
  `);
  expect(readDecisionHead(id, renderDecision(full))).toEqual({
    title: ADR.title,
    status: "accepted",
    date: at,
    supersedes: "ADR-0007",
  });
});

test.each([
  ["line ends", "Use\nUTC\r\n- Status: superseded\n\n## Context", "Use UTC - Status: superseded ## Context"],
  ["separators", "Use\u2028UTC\u2029now\u0085", "Use UTC now\u0085"],
  ["spaces", "  Use \t UTC ", "Use UTC"],
  ["another heading", "# ADR-0009: Use UTC", "# ADR-0009: Use UTC"],
  ["signs of replacement", "Use $& and $1 and \\1", "Use $& and $1 and \\1"],
])("keeps a title with %s on its line", (_, title, read) => {
  expect(readDecisionHead(id, renderDecision({ ...ADR, title }))).toEqual({
    title: read,
    status: "accepted",
    date: at,
  });
});

test("does not read the text of sections as facts", () => {
  const context = "- Status: superseded\n- Superseded by: ADR-0666\n- Supersedes: ADR-0665\n# ADR-0001: Fake";
  const text = renderDecision({ ...ADR, context });
  expect(readDecisionHead(id, text)).toEqual({ title: ADR.title, status: "accepted", date: at });
  const deprecated = updateDecisionStatus(id, text, DEPRECATED);
  expect(deprecated).toBe(
    `${text.replace("- Status: accepted", "- Status: deprecated")}\n## Status history\n\n- 2026-02-01T08:00:00Z: deprecated, It was removed\n`,
  );
});

test.each([
  ["no heading", "Text", 'Its first heading is not "# ADR-0001: <title>".'],
  ["another's heading", TEXT.replace("ADR-0001", "ADR-0002"), 'Its first heading is not "# ADR-0001: <title>".'],
  ["no title", TEXT.replace(": Keep state in SQLite", ": "), 'Its first heading is not "# ADR-0001: <title>".'],
  [
    "no status",
    TEXT.replace("- Status: accepted\n", ""),
    'Its line "- Status:" has "nothing", not one of proposed, accepted, deprecated, superseded.',
  ],
  [
    "a status of its own",
    TEXT.replace("accepted", "maybe\u0007"),
    'Its line "- Status:" has "maybe\\u0007", not one of proposed, accepted, deprecated, superseded.',
  ],
])("neither reads nor changes a text with %s", (_, text, why) => {
  const fault = expect.objectContaining({
    code: "adr.unreadable",
    what: "ADR-0001 cannot be read.",
    why,
    fixes: ["Fix the head of the file, then run the command again."],
  });
  expect(() => readDecisionHead(id, text)).toThrow(fault);
  expect(() => updateDecisionStatus(id, text, DEPRECATED)).toThrow(fault);
});

test("writes the date and reason of a changed status into the file", () => {
  const deprecated = updateDecisionStatus(id, TEXT, DEPRECATED);
  const superseded = updateDecisionStatus(id, deprecated, SUPERSEDED);
  expect(superseded).toMatchInlineSnapshot(`
    "# ADR-0001: Keep state in SQLite

    - Status: superseded
    - Superseded by: ADR-0002
    - Date: 2026-01-31T12:00:00Z

    ## Context

    Two stores drift.

    ## Decision

    One SQLite file.

    ## Rationale

    One truth.

    ## Status history

    - 2026-02-01T08:00:00Z: deprecated, It was removed
    - 2026-02-02T08:00:00Z: superseded by ADR-0002
    "
  `);
  expect(readDecisionHead(id, superseded)).toEqual({
    title: ADR.title,
    status: "superseded",
    date: at,
    superseded_by: "ADR-0002",
  });
  const revived = updateDecisionStatus(id, superseded, { status: "accepted", at, reason: "It\nwas  right " });
  expect(revived).toBe(
    `${superseded.replace("- Status: superseded\n- Superseded by: ADR-0002\n", "- Status: accepted\n")}- ${at}: accepted, It was right\n`,
  );
});

test("extends the history in its place, and keeps what a person wrote after it", () => {
  const history = "## Status history\n\n- 2026-02-01: accepted\n\n\n## Notes\n\nMine.  \n\n";
  expect(updateDecisionStatus(id, `${TEXT}\n${history}`, DEPRECATED)).toBe(
    `${TEXT.replace("accepted", "deprecated")}\n${history.replace(
      "- 2026-02-01: accepted\n",
      "- 2026-02-01: accepted\n- 2026-02-01T08:00:00Z: deprecated, It was removed\n",
    )}`,
  );
});

test.each([
  ["no line end", "", "\n\n"],
  ["one line end", "\n", "\n"],
  ["a blank line", "\n\n", ""],
  ["blank lines and spaces", "  \n\n\n", ""],
])("adds the history after one blank line to a file with %s at its end", (_, end, gap) => {
  const text = `${TEXT.trimEnd()}${end}`;
  expect(updateDecisionStatus(id, text, DEPRECATED)).toBe(
    `${text.replace("accepted", "deprecated")}${gap}## Status history\n\n- 2026-02-01T08:00:00Z: deprecated, It was removed\n`,
  );
});

test("starts a new line after a history without a line end", () => {
  const history = "\n## Status history\n\n- 2026-02-01: accepted";
  expect(updateDecisionStatus(id, `${TEXT}${history}`, DEPRECATED)).toBe(
    `${TEXT.replace("accepted", "deprecated")}${history}\n- 2026-02-01T08:00:00Z: deprecated, It was removed\n`,
  );
});

test("writes a decision given with Windows line ends with those of the file", () => {
  expect(renderDecision({ ...ADR, context: "a\r\nb\rc\r\n" })).toBe(renderDecision({ ...ADR, context: "a\nb\nc" }));
});

test("keeps the engine's history at the end if a decision has its own", () => {
  const text = updateDecisionStatus(id, TEXT.replace("Two stores drift.", "## Status history\n\n- old"), DEPRECATED);
  const twice = updateDecisionStatus(id, `${text}\n## Status history\n\n- real\n`, { status: "accepted", at });
  expect(twice.endsWith(`\n## Status history\n\n- real\n- ${at}: accepted\n`)).toBe(true);
});

test("keeps Windows line ends", () => {
  const windows = (text: string): string => text.replaceAll("\n", "\r\n");
  const once = updateDecisionStatus(id, windows(TEXT), SUPERSEDED);
  expect(once).toBe(windows(updateDecisionStatus(id, TEXT, SUPERSEDED)));
  expect(updateDecisionStatus(id, once, DEPRECATED)).toBe(
    windows(updateDecisionStatus(id, updateDecisionStatus(id, TEXT, SUPERSEDED), DEPRECATED)),
  );
  expect(readDecisionHead(id, once)).toEqual(readDecisionHead(id, updateDecisionStatus(id, TEXT, SUPERSEDED)));
});

const prose = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc
    .array(
      fc.constantFrom("\n", "\r\n", "- Status: proposed", "## Context", "- Superseded by: X", "$&", "```", "  ", "x"),
      { minLength: 1, maxLength: 20 },
    )
    .map((pieces) => pieces.join("")),
);
const said = prose.filter((text) => /\S/.test(text));
const adr: fc.Arbitrary<DecisionRecord> = fc.record({
  id: fc.constant(id),
  title: said,
  status: fc.constantFrom(...DECISION_STATUSES),
  context: said,
  decision: said,
  rationale: said,
  alternatives_rejected: fc.option(said, { nil: undefined }),
  change_id: fc.constantFrom(undefined, "fix-login"),
  supersedes: fc.constantFrom(undefined, "ADR-0009"),
  created_at: fc.constant(at),
});
const change: fc.Arbitrary<DecisionStatusChange> = fc.record({
  status: fc.constantFrom(...DECISION_STATUSES),
  at: fc.constant(at),
  reason: fc.option(said, { nil: undefined }),
  superseded_by: fc.constantFrom(undefined, "ADR-0002"),
});

test("reads back every rendered decision", () => {
  fc.assert(
    fc.property(adr, (given) => {
      expect(readDecisionHead(id, renderDecision(given))).toEqual({
        title: given.title.trim().replace(/\s+/g, " "),
        status: given.status,
        date: at,
        ...(given.supersedes ? { supersedes: given.supersedes } : {}),
      });
    }),
    { numRuns: 500 },
  );
});

/** A file in two: its head without what a change of status may touch, and its sections. */
function parts(text: string): { head: string; sections: string } {
  const end = text.search(/^## /m);
  const head = text.slice(0, end).replace(/^- (?:Status|Superseded by): .*\r?\n/gm, "");
  return { head, sections: text.slice(end) };
}

test("keeps every other byte when a status changes", () => {
  const trail = fc.constantFrom("", "\n", "\n\n", "  \n", "\n\n## Notes\n\nMine.", "\n<!-- end -->");
  const changes = fc.array(change, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(adr, trail, changes, fc.boolean(), (given, end, steps, isWindows) => {
      const made = `${renderDecision(given).trimEnd()}${end}`;
      const text = isWindows ? made.replaceAll("\n", "\r\n") : made;
      const restated = steps.reduce((now, step) => updateDecisionStatus(id, now, step), text);
      const [before, after] = [parts(text), parts(restated)];
      const added = after.sections.slice(before.sections.length);
      expect({ ...after, sections: after.sections.slice(0, before.sections.length) }).toEqual(before);
      expect(added.trim().split(/\r?\n/).length).toBe(steps.length + 2);
      expect(readDecisionHead(id, restated)).toEqual({ ...readDecisionHead(id, text), ...factsOf(steps.at(-1)) });
    }),
    { numRuns: 500 },
  );
});

function factsOf(last: DecisionStatusChange | undefined): Partial<ReturnType<typeof readDecisionHead>> {
  return { ...(last && { status: last.status }), ...(last?.superseded_by && { superseded_by: last.superseded_by }) };
}
