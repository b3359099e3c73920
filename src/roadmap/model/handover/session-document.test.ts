import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeUnprintable } from "#kernel/model/text-format.ts";
import { hasOnlyPlaceholders, findBodyProblem } from "../steering/markdown-section.ts";
import type { LoggedDecision } from "./decision-log.ts";
import {
  type HandoverAnswers,
  carrySessionDecisions,
  draftSessionDocument,
  MAX_ACCOMPLISHED_LINES,
  applyHandoverAnswers,
  type FinishedSessionWork,
  createEmptySession,
  parseSessionDocument,
  formatSessionDocument,
  type SessionDocument,
} from "./session-document.ts";

const at = "2026-01-31T12:00:00Z";
const WORKED: FinishedSessionWork = {
  accomplished: ["user-login: the design is accepted"],
  next: "`tenon next`: build group 1: user-login",
  files: ["sdd/features/user-login/design.md"],
  decided: [],
  branch: "main",
};
const DECIDED: LoggedDecision = {
  number: 12,
  at,
  type: "USER_DECISION",
  summary: "Keep state in SQLite",
  context: "",
  decision: "One file",
  reason: "One truth",
  impact: "",
  source: "",
};
const EXCEPTION: LoggedDecision = {
  ...DECIDED,
  number: 13,
  type: "STEERING_EXCEPTION",
  summary: "SQL here",
  steeringRef: "tech.md: no SQL",
};

test("writes every section into a first draft", () => {
  expect(draftSessionDocument(undefined, { ...WORKED, decided: [DECIDED, EXCEPTION] }, at)).toMatchInlineSnapshot(`
    "# Session Handover

    **Generated**: 2026-01-31
    **Branch**: main
    **Mode**: auto-draft

    ## Direction

    ### Immediate Next Action

    \`tenon next\`: build group 1: user-login

    ### Active Goals

    ### Key Decisions

    **Added this session:**

    1. Keep state in SQLite: One truth (D12)
    2. SQL here: One truth (D13)

    ### Warnings

    ## Session Context

    ### Tone and Nuance

    ### Steering Exceptions

    - tech.md: no SQL: SQL here: One truth (D13)

    ## Accomplished

    - 2026-01-31 user-login: the design is accepted

    ### Modified Files

    - sdd/features/user-login/design.md

    ## Resume Instructions
    "
  `);
});

test("keeps a draft without news unchanged, on any day", () => {
  const first = draftSessionDocument(undefined, { ...WORKED, decided: [DECIDED] }, at);
  const nothing = { ...WORKED, accomplished: [], decided: [DECIDED] };
  expect(draftSessionDocument(first, nothing, "2026-02-20T12:00:00Z")).toBe(first);
  expect(draftSessionDocument(first, WORKED, at)).toBe(first);
});

test("fills in the seed's form with its open placeholders", () => {
  const form = `# Session Handover
**Generated**: {YYYY-MM-DD}
**Branch**: {branch}
**Session Goal**: {confirmed with user}

## Direction
### Immediate Next Action
<what to do first>

### Warnings
- <a risk or two>
`;
  expect(parseSessionDocument(form)).toEqual(createEmptySession());
  const drafted = parseSessionDocument(draftSessionDocument(form, WORKED, at));
  expect(drafted).toEqual({
    ...createEmptySession(),
    generated: "2026-01-31",
    branch: "main",
    isDraft: true,
    next: WORKED.next,
    accomplished: ["- 2026-01-31 user-login: the design is accepted"],
    files: ["- sdd/features/user-login/design.md"],
  });
});

const BY_HAND = `Notes of ours.

# Session Handover
**Generated**: 2026-01-01
**Branch**: topic
**Owner**: Mara
**Session Goal**: Log in

## Direction
### Immediate Next Action
Ask Mara.

### Key Decisions
**Continuing from previous sessions:**
1. Old one (D3)
   with a second line

**Added this session:**
1. New one (D7)
2. By hand, without a number

### Warnings
Do not touch the tides.

## Our own section

Anything.

## Accomplished
We met.

### Modified Files
- src/a.ts
`;

test("carries handwritten lines forward, except the next action", () => {
  const drafted = draftSessionDocument(BY_HAND, { ...WORKED, decided: [DECIDED] }, at);
  const gone = BY_HAND.split("\n").filter((line) => !drafted.split("\n").includes(line));
  expect(gone).toEqual(["**Generated**: 2026-01-01", "**Branch**: topic", "Ask Mara."]);
  expect(parseSessionDocument(drafted)).toMatchObject({
    goal: "Log in",
    isDraft: true,
    added: ["1. New one (D7)", "2. By hand, without a number", "3. Keep state in SQLite: One truth (D12)"],
    accomplished: ["We met.", "", "- 2026-01-31 user-login: the design is accepted"],
    files: ["- src/a.ts", "- sdd/features/user-login/design.md"],
  });
});

test("moves earlier additions to the continuing decisions when a session starts", () => {
  expect(parseSessionDocument(carrySessionDecisions(BY_HAND))).toMatchObject({
    continuing: ["1. Old one (D3)", "   with a second line", "2. New one (D7)", "3. By hand, without a number"],
    added: [],
  });
  expect(carrySessionDecisions(carrySessionDecisions(BY_HAND))).toBe(carrySessionDecisions(BY_HAND));
});

test("limits a list and counts the earlier lines", () => {
  let text: string | undefined;
  for (let i = 0; i < MAX_ACCOMPLISHED_LINES + 7; i++)
    text = draftSessionDocument(text, { ...WORKED, accomplished: [`number ${i}`] }, at);
  const { accomplished } = parseSessionDocument(text ?? "");
  expect([accomplished.length, accomplished[0], accomplished[1]]).toEqual([
    MAX_ACCOMPLISHED_LINES + 1,
    "- Earlier: 7 more",
    "- 2026-01-31 number 7",
  ]);
});

test("replaces a draft with the answers of the handover", () => {
  const drafted = draftSessionDocument(BY_HAND, WORKED, at);
  const answers: HandoverAnswers = {
    goal: "Log in for all",
    accomplished: "Passkeys work",
    next: "Review passkeys",
    warnings: "Tides are slow",
    tone: "In good spirits",
    decisions: "Passkeys first",
    exceptions: "tech.md: SQL in one place",
    resume: "1. Read this",
  };
  expect(applyHandoverAnswers(drafted, answers, WORKED, at, "")).toMatchInlineSnapshot(`
    "Notes of ours.

    # Session Handover
    **Generated**: 2026-01-31
    **Branch**: main
    **Owner**: Mara
    **Session Goal**: Log in for all

    ## Direction
    ### Immediate Next Action

    Review passkeys

    ### Key Decisions

    **Continuing from previous sessions:**

    1. Old one (D3)
       with a second line

    **Added this session:**

    1. New one (D7)
    2. By hand, without a number
    3. Passkeys first

    ### Warnings

    - Do not touch the tides.
    - Tides are slow

    ## Our own section

    Anything.

    ## Session Context

    ### Tone and Nuance

    In good spirits

    ### Steering Exceptions

    - tech.md: SQL in one place

    ## Accomplished

    - Passkeys work
    - 2026-01-31 user-login: the design is accepted

    ### Modified Files

    - src/a.ts
    - sdd/features/user-login/design.md

    ## Resume Instructions

    1. Read this
    "
  `);
  expect(parseSessionDocument(applyHandoverAnswers(drafted, {}, WORKED, at, "2026-02-01")).accomplished).toEqual([
    "We met.",
  ]);
});

const line = fc
  .string({ unit: "grapheme", minLength: 1 })
  .map((text) => escapeUnprintable(text.replace(/\s+/g, " ").trim()))
  .filter((text) => text !== "" && !hasOnlyPlaceholders(text) && !/^\{.*\}$/.test(text));
const body = fc
  .array(line, { maxLength: 3 })
  .map((lines) => lines.join("\n"))
  .filter((text) => findBodyProblem(text, 3) === undefined && !/^#/m.test(text) && !hasOnlyPlaceholders(text));
const item = line.map((text) => `- ${text}`).filter((text) => findBodyProblem(text, 3) === undefined);
const prose = fc.oneof(fc.constant(""), body);
const items = fc.uniqueArray(item, { maxLength: 3 });
const session: fc.Arbitrary<SessionDocument> = fc.record({
  generated: fc.constantFrom("", "2026-01-31"),
  branch: fc.oneof(fc.constant(""), line),
  goal: fc.oneof(fc.constant(""), line),
  isDraft: fc.boolean(),
  next: prose,
  goals: prose,
  continuing: items,
  added: items,
  warnings: prose,
  tone: prose,
  exceptions: prose,
  accomplished: items,
  files: items,
  resume: prose,
});

test("reads back any document that it writes", () => {
  fc.assert(
    fc.property(session, (said) => {
      const text = formatSessionDocument(said);
      expect(parseSessionDocument(text)).toEqual(said);
      expect(formatSessionDocument(parseSessionDocument(text))).toBe(text);
      expect(parseSessionDocument(text.replaceAll("\n", "\r\n"))).toEqual(said);
    }),
    { numRuns: 500 },
  );
});

const bit = fc.oneof(
  line,
  fc.constantFrom(
    "",
    "## Direction",
    "### Warnings",
    "## Accomplished",
    "### Key Decisions",
    "## Ours",
    "```",
    "<!-- a -->",
    "**Mode**: auto-draft",
    "1. x (D9)",
    "**Added this session:**",
  ),
);

test("keeps every line of any text in a draft, except the next action and the fields", () => {
  fc.assert(
    fc.property(fc.array(bit, { maxLength: 20 }), fc.constantFrom("\n", "\r\n"), (bits, eol) => {
      const text = bits.join(eol);
      let drafted: string;
      try {
        drafted = draftSessionDocument(text, { ...WORKED, next: "", decided: [DECIDED] }, at);
      } catch {
        // What hides its own headings is left alone by whoever drafts.
        return;
      }
      const left = drafted.split(/\r?\n/).map((each) => each.trim());
      const isEngines = (each: string): boolean => /^\*\*(?:(?:Generated|Branch|Mode)\*\*:|Added)/.test(each);
      const own = text.split(/\r\n|\r|\n/).filter((each) => !isEngines(each) && !hasOnlyPlaceholders(each));
      expect(own.filter((each) => !left.includes(each.trim()))).toEqual([]);
      expect(draftSessionDocument(drafted, { ...WORKED, next: "", decided: [DECIDED] }, at)).toBe(drafted);
    }),
    { numRuns: 500 },
  );
});
