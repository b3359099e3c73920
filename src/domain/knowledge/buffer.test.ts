import { expect, test } from "vitest";
import { bufferPage, mergeBuffer, notesIn, type Waiting } from "./buffer.ts";
import { lessonsOf } from "./lesson.ts";

const at = "2026-01-31T12:00:00Z";
const waiting = (...said: string[]): Waiting => ({
  lessons: lessonsOf(new Map(said.map((tag, i) => [`key-${i}`, { feature: "login", role: "builder", tag, at }]))),
  candidates: [
    { name: "one-clock", text: "One clock", features: ["a", "b"], occurrences: 3, file: "pattern-async-x.md" },
  ],
});
const ONE = waiting("[PATTERN] One clock <b>for</b> all", "[INCIDENT] A | ``` <!-- b");
const PAGE = bufferPage(ONE, at, "");

test("the page has the form of the seed, and what others wrote breaks nothing", () => {
  expect(PAGE).toMatchInlineSnapshot(`
    "# Handover Buffer
    **Updated**: 2026-01-31T12:00:00Z

    ## Knowledge Buffer
    - [PATTERN] One clock \\<b>for\\</b> all (source: login builder)
    - [INCIDENT] A | \`\`\` &lt;!-- b (source: login builder)

    ## Skill Candidates
    - **one-clock**: Detected in a, b (3 occurrences)
    "
  `);
});

test.each([
  ["the page itself", PAGE, ""],
  ["an older page", bufferPage({ ...ONE, candidates: [] }, "", ""), ""],
  ["a page with other candidates", PAGE.replace("3 occurrences", "9 occurrences"), ""],
  ["a page from Windows", PAGE.replaceAll("\n", "\r\n"), ""],
  ["a line more", `${PAGE}Mine.\n`, "Mine."],
  [
    "a line changed",
    PAGE.replace("One clock \\<", "My clock \\<"),
    "- [PATTERN] My clock \\<b>for\\</b> all (source: login builder)",
  ],
  ["notes", bufferPage(ONE, at, "## A heading\n\nMine."), "## A heading\n\nMine."],
  [
    "notes and a line",
    bufferPage(ONE, at, "Mine.").replace("# Handover Buffer", "Hers.\n# Handover Buffer"),
    "Mine.\nHers.",
  ],
  ["nothing", "", ""],
])("of %s, what is not Tenon's is kept", (_, text, notes) => {
  expect(notesIn(text, ONE)).toBe(notes);
  const next = bufferPage(waiting(), at, notesIn(text, ONE));
  expect(notesIn(next, waiting())).toBe(notes);
});

const OURS = bufferPage(waiting("[PATTERN] Ours is this"), at, "");
const THEIRS = bufferPage(waiting("[PATTERN] Theirs is that"), "2026-02-01T12:00:00Z", "");

test("of two branches ours stays, and what the other added is not lost", () => {
  const merged = mergeBuffer(bufferPage(waiting(), at, ""), OURS, THEIRS).text;
  expect(merged).toBe(`${OURS}\n## Notes\n- [PATTERN] Theirs is that (source: login builder)\n`);
  expect(mergeBuffer(THEIRS, OURS, THEIRS)).toEqual({ text: OURS, conflicts: [] });
  expect(mergeBuffer("", merged, `${THEIRS}Hers.\n`).text).toBe(`${merged}Hers.\n`);
});
