import { expect, test } from "vitest";
import {
  formatKnowledgeBuffer,
  mergeKnowledgeBuffers,
  extractBufferNotes,
  type PendingKnowledge,
} from "./lesson-buffer.ts";
import { groupLessons } from "./lesson.ts";

const at = "2026-01-31T12:00:00Z";
const waiting = (...said: string[]): PendingKnowledge => ({
  lessons: groupLessons(new Map(said.map((tag, i) => [`key-${i}`, { feature: "login", role: "builder", tag, at }]))),
  candidates: [
    { name: "one-clock", text: "One clock", features: ["a", "b"], occurrences: 3, file: "pattern-async-x.md" },
  ],
});
const ONE = waiting("[PATTERN] One clock <b>for</b> all", "[INCIDENT] A | ``` <!-- b");
const PAGE = formatKnowledgeBuffer(ONE, at, "");

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
  ["an older page", formatKnowledgeBuffer({ ...ONE, candidates: [] }, "", ""), ""],
  ["a page with other candidates", PAGE.replace("3 occurrences", "9 occurrences"), ""],
  ["a page from Windows", PAGE.replaceAll("\n", "\r\n"), ""],
  ["a line more", `${PAGE}Mine.\n`, "Mine."],
  [
    "a line changed",
    PAGE.replace("One clock \\<", "My clock \\<"),
    "- [PATTERN] My clock \\<b>for\\</b> all (source: login builder)",
  ],
  ["notes", formatKnowledgeBuffer(ONE, at, "## A heading\n\nMine."), "## A heading\n\nMine."],
  [
    "notes and a line",
    formatKnowledgeBuffer(ONE, at, "Mine.").replace("# Handover Buffer", "Hers.\n# Handover Buffer"),
    "Mine.\nHers.",
  ],
  ["nothing", "", ""],
])("of %s, what is not Tenon's is kept", (_, text, notes) => {
  expect(extractBufferNotes(text, ONE)).toBe(notes);
  const next = formatKnowledgeBuffer(waiting(), at, extractBufferNotes(text, ONE));
  expect(extractBufferNotes(next, waiting())).toBe(notes);
});

const OURS = formatKnowledgeBuffer(waiting("[PATTERN] Ours is this"), at, "");
const THEIRS = formatKnowledgeBuffer(waiting("[PATTERN] Theirs is that"), "2026-02-01T12:00:00Z", "");

test("of two branches ours stays, and what the other added is not lost", () => {
  const merged = mergeKnowledgeBuffers(formatKnowledgeBuffer(waiting(), at, ""), OURS, THEIRS).text;
  expect(merged).toBe(`${OURS}\n## Notes\n- [PATTERN] Theirs is that (source: login builder)\n`);
  expect(mergeKnowledgeBuffers(THEIRS, OURS, THEIRS)).toEqual({ text: OURS, conflicts: [] });
  expect(mergeKnowledgeBuffers("", merged, `${THEIRS}Hers.\n`).text).toBe(`${merged}Hers.\n`);
});
