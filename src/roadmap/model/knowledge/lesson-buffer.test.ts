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

test("writes the page in the form of the seed and escapes foreign text", () => {
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
  ["a page with an added line", `${PAGE}Mine.\n`, "Mine."],
  [
    "a page with a changed line",
    PAGE.replace("One clock \\<", "My clock \\<"),
    "- [PATTERN] My clock \\<b>for\\</b> all (source: login builder)",
  ],
  ["notes", formatKnowledgeBuffer(ONE, at, "## A heading\n\nMine."), "## A heading\n\nMine."],
  [
    "a page with notes and a line",
    formatKnowledgeBuffer(ONE, at, "Mine.").replace("# Handover Buffer", "Hers.\n# Handover Buffer"),
    "Mine.\nHers.",
  ],
  ["nothing", "", ""],
])("keeps the user's own text of %s", (_, text, notes) => {
  expect(extractBufferNotes(text, ONE)).toBe(notes);
  const next = formatKnowledgeBuffer(waiting(), at, extractBufferNotes(text, ONE));
  expect(extractBufferNotes(next, waiting())).toBe(notes);
});

const OURS = formatKnowledgeBuffer(waiting("[PATTERN] Ours is this"), at, "");
const THEIRS = formatKnowledgeBuffer(waiting("[PATTERN] Theirs is that"), "2026-02-01T12:00:00Z", "");

test("keeps our side of two branches and adds what the other side added", () => {
  const merged = mergeKnowledgeBuffers(formatKnowledgeBuffer(waiting(), at, ""), OURS, THEIRS).text;
  expect(merged).toBe(`${OURS}\n## Notes\n- [PATTERN] Theirs is that (source: login builder)\n`);
  expect(mergeKnowledgeBuffers(THEIRS, OURS, THEIRS)).toEqual({ text: OURS, conflicts: [] });
  expect(mergeKnowledgeBuffers("", merged, `${THEIRS}Hers.\n`).text).toBe(`${merged}Hers.\n`);
});
