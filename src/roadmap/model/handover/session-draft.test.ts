import { mergeSessionDocuments } from "./handover-merge.ts";
import { expect, test } from "vitest";
import { draftSessionDocument, type FinishedSessionWork, parseSessionDocument } from "./session-document.ts";

const WORKED: FinishedSessionWork = { accomplished: [], next: "", files: [], decided: [], branch: "main" };
const work = (text: string | undefined, said: string, day: string, more: Partial<FinishedSessionWork> = {}): string =>
  draftSessionDocument(text, { ...WORKED, accomplished: [said], next: `after ${said}`, ...more }, `${day}T12:00:00Z`);

const BASE = work(undefined, "base", "2026-01-01");
const OURS = work(BASE, "ours", "2026-01-02", { files: ["a.ts"], branch: "ours" });
const THEIRS = work(BASE, "theirs", "2026-01-03", { files: ["b.ts"], branch: "theirs" });
const BOTH = {
  generated: "2026-01-03",
  branch: "theirs",
  next: "after theirs",
  accomplished: ["- 2026-01-01 base", "- 2026-01-02 ours", "- 2026-01-03 theirs"],
  files: ["- a.ts", "- b.ts"],
};

test.each([
  ["each side adds lines", BASE, OURS, THEIRS, BOTH],
  ["both sides start a document", "", OURS, THEIRS, BOTH],
  ["one side adds lines", BASE, OURS, BASE, parseSessionDocument(OURS)],
  ["the other side adds lines", BASE, BASE, THEIRS, parseSessionDocument(THEIRS)],
  [
    "one side removed a line",
    BASE,
    BASE.replace("- 2026-01-01 base\n", ""),
    THEIRS,
    { ...BOTH, accomplished: ["- 2026-01-03 theirs"], files: ["- b.ts"] },
  ],
  [
    "one side was handed over",
    BASE,
    OURS.replace("**Mode**: auto-draft\n", "").replace("### Warnings\n", "### Warnings\n\nMind the tides.\n"),
    THEIRS,
    { ...BOTH, warnings: "Mind the tides.", isDraft: true },
  ],
])("merges two sides where %s", (_, base, ours, theirs, expected) => {
  const { text, conflicts } = mergeSessionDocuments(base, ours, theirs);
  expect([conflicts, parseSessionDocument(text)]).toEqual([[], expect.objectContaining(expected)]);
});

test("keeps both texts of one section for the user to resolve", () => {
  const [ours, theirs] = [OURS, THEIRS].map((text, i) =>
    text.replace("### Warnings\n", `### Warnings\n\n${["Slow.", "Fast."][i]}\n`),
  );
  const { text, conflicts } = mergeSessionDocuments(BASE, ours ?? "", theirs ?? "");
  expect([conflicts.length, text.includes("Slow."), text.includes("Fast.")]).toEqual([1, true, true]);
});

test("merges by lines where a comment hides the headings", () => {
  const hidden = "<!-- never closed\n";
  expect(mergeSessionDocuments(hidden, `${hidden}a\n`, `b\n${hidden}`)).toEqual({
    text: `b\n${hidden}a\n`,
    conflicts: [],
  });
});
