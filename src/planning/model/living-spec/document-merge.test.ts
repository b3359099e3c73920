import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeItemDocuments, type MergedDocument } from "./document-merge.ts";
import { outlineSpecItems } from "./item-outline.ts";

type Items = ReadonlyMap<string, string>;

const word = fc.constantFrom("sell", "ship", "bill", "count");
const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("\n  "));

/** A document with some items under two headings, and prose of its own. */
function render(items: Items, prose: string, isTight: boolean): string {
  const list = (prefix: string): string =>
    [...items]
      .filter(([id]) => id.startsWith(prefix))
      .map(([id, said]) => `- **${id}**: ${said}\n`)
      .join(isTight ? "" : "\n") || "None.\n";
  return `# Requirements\n\n${prose}\n\n## Must have\n\n${list("FR")}\n## Qualities\n\n${list("NFR")}\n## Notes\n\nThe end.\n`;
}

const items = fc.uniqueArray(
  fc.tuple(fc.constantFrom("FR-001", "FR-002", "FR-003", "FR-004", "NFR-001", "NFR-002"), text),
  {
    selector: ([id]) => id,
    maxLength: 6,
  },
);
const edits = fc.record({
  modified: fc.dictionary(fc.constantFrom("FR-001", "FR-002", "FR-003", "NFR-001"), text, { maxKeys: 2 }),
  removed: fc.array(fc.constantFrom("FR-001", "FR-002", "FR-004", "NFR-001"), { maxLength: 2 }),
  added: fc.dictionary(fc.constantFrom("FR-005", "FR-006", "FR-007", "NFR-003"), text, { maxKeys: 2 }),
  isMixed: fc.boolean(),
  prose: fc.constantFrom("Words.", "Words.", "Other words.", "More words.\n\nAnd more."),
});

interface Edits {
  readonly modified: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
  readonly added: Readonly<Record<string, string>>;
  readonly isMixed: boolean;
}

function edited(base: Items, { modified, removed, added, isMixed }: Edits): Items {
  const kept = [...base]
    .filter(([id]) => !removed.includes(id))
    .map(([id, was]): [string, string] => [id, modified[id] ?? was]);
  const all = [...kept, ...Object.entries(added)];
  return new Map(isMixed ? all.toReversed() : all);
}

/** What each side says of an id, or nothing. */
const said = (document: string): Items =>
  new Map(outlineSpecItems(document).items.map((item) => [item.id, item.text.replaceAll("\n", "\n  ")]));

/** What is wrong with a merge, by id. */
function faultsOf({ text: merged, conflicts }: MergedDocument, base: Items, ours: Items, theirs: Items): string[] {
  const now = said(merged);
  const isClean = conflicts.length === 0;
  const wrongs = [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].flatMap((id) => {
    const [was, a, b] = [base.get(id), ours.get(id), theirs.get(id)];
    const isContradiction = a !== b && a !== was && b !== was;
    const isSingle = [was, a, b].some((each) => !each?.includes("\n"));
    const isOverruled = isClean && isContradiction && isSingle;
    const isLost = isClean && !isContradiction && now.get(id) !== (a === was ? b : a);
    return [...(isOverruled ? [`${id} passed unseen`] : []), ...(isLost ? [`${id} is ${now.get(id)}`] : [])];
  });
  const ids = outlineSpecItems(merged).items.map(({ id }) => id);
  return [
    ...wrongs,
    ...(isClean && new Set(ids).size < ids.length ? ["an id stands twice"] : []),
    ...(isClean === merged.includes("<<<<<<< ours\n") ? ["the marks and the verdict disagree"] : []),
  ];
}

test("loses, doubles or overrules no item, whatever two sides change", () => {
  fc.assert(
    fc.property(items, edits, edits, fc.boolean(), (list, mine, other, isTight) => {
      const base: Items = new Map<string, string>(list.toSorted(([a], [b]) => (a < b ? -1 : 1)));
      const [ours, theirs] = [edited(base, mine), edited(base, other)];
      const merged = mergeItemDocuments(
        render(base, "Words.", isTight),
        render(ours, mine.prose, isTight),
        render(theirs, other.prose, isTight),
        "specs",
      );
      expect(faultsOf(merged, base, ours, theirs)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("keeps the text of one side to the byte where the other side changed nothing", () => {
  fc.assert(
    fc.property(items, edits, fc.constantFrom("\n", "\r\n"), (list, change, end) => {
      const base = render(new Map(list), "Words.", true).replaceAll("\n", end);
      const other = render(edited(new Map(list), change), change.prose, true).replaceAll("\n", end);
      expect(mergeItemDocuments(base, other, base, "specs")).toEqual({ text: other, conflicts: [] });
      expect(mergeItemDocuments(base, base, other, "specs")).toEqual({ text: other, conflicts: [] });
      expect(mergeItemDocuments(base, other, other, "specs")).toEqual({ text: other, conflicts: [] });
    }),
  );
});

test("adds a line end to a last line that another line follows", () => {
  const base = "- FR-001: a";
  expect(mergeItemDocuments(base, `${base}\n- FR-002: b`, `${base}\n- FR-003: c`, "specs")).toEqual({
    text: "- FR-001: a\n- FR-002: b\n- FR-003: c",
    conflicts: [],
  });
});

test("accepts the same new section of both sides", () => {
  const base = "## Must have\n\n- FR-001: a\n- FR-002: b\n";
  const gone = (id: string, line: string): string =>
    `${base.replace(line, "")}\n## Removed\n\n- **${id}**: Not needed.\n`;
  expect(mergeItemDocuments(base, gone("FR-001", "- FR-001: a\n"), gone("FR-002", "- FR-002: b\n"), "specs")).toEqual({
    text: "## Must have\n\nNone.\n\n## Removed\n\n- **FR-001**: Not needed.\n- **FR-002**: Not needed.\n",
    conflicts: [],
  });
});

test("reports prose that would become part of an item as a conflict", () => {
  const base = "## Must have\n\n- FR-002: b\n\n- FR-001: a\n";
  const ours = "## Must have\n\n- FR-003: c\n\n- FR-001: a\n";
  const theirs = "Words.\n\nWords.\n\n## Must have\n\n- FR-001: a\n\n- FR-002: b\n";
  const { text: merged, conflicts } = mergeItemDocuments(base, ours, theirs, "specs");
  expect({ conflicts, hasBoth: merged.includes(ours) && merged.includes(theirs) }).toEqual({
    conflicts: ["the order of the items"],
    hasBoth: true,
  });
});

test("merges an item that both sides moved alike, with prose and a removal of one side", () => {
  const base = "Words.\n\n## Must have\n\n- FR-001: a\n\n- FR-002: b\n\n- FR-003: c\n";
  const ours = "More words.\n\nAnd more.\n\n## Must have\n\n- FR-003: c\n\n- FR-001: a\n";
  const theirs = "Words.\n\n## Must have\n\n- FR-003: c\n\n- FR-002: b\n\n- FR-001: a\n";
  expect(mergeItemDocuments(base, ours, theirs, "specs")).toEqual({ text: ours, conflicts: [] });
});

test("never merges a repeated id silently", () => {
  const base = "- FR-001: a\n\nWords.\n\n- FR-002: b\n";
  const theirs = "- FR-003: theirs\n- FR-001: a\n- FR-001: again\n\nWords.\n\n- FR-002: b\n";
  expect(mergeItemDocuments(base, `${base}- FR-003: ours\n`, theirs, "specs")).toEqual({
    text: `${theirs}- FR-003: ours\n`,
    conflicts: ["FR-001 (used twice)", "FR-003 (used twice)"],
  });
});

const LISTS = "## Must have\n\n- **FR-001**: A.\n- **FR-002**: B.\n\n## Should have\n\n- **FR-003**: C.\n\n## Notes\n";

test.each([
  [
    "one side empties a list and the other begins a new one",
    LISTS.replace("- **FR-003**: C.", "None."),
    LISTS.replace("C.\n", "C.\n- **FR-004**: D.\n"),
    LISTS.replace("- **FR-003**: C.", "- **FR-004**: D."),
  ],
  [
    "each side takes one of two",
    LISTS.replace("- **FR-001**: A.\n", ""),
    LISTS.replace("- **FR-002**: B.\n", ""),
    LISTS.replace("- **FR-001**: A.\n- **FR-002**: B.", "None."),
  ],
  [
    "both empty it",
    LISTS.replace("- **FR-003**: C.", "None."),
    LISTS.replace("- **FR-003**: C.", "None.").replace("A.", "A!"),
    LISTS.replace("- **FR-003**: C.", "None.").replace("A.", "A!"),
  ],
])("reports a list that claims to be empty: %s", (_, ours, theirs, merged) => {
  expect(mergeItemDocuments(LISTS, ours, theirs, "specs")).toEqual({ text: merged, conflicts: [] });
  expect(mergeItemDocuments(LISTS, theirs, ours, "specs")).toEqual({ text: merged, conflicts: [] });
});

test("joins what both sides add to an empty list", () => {
  const none = LISTS.replace("- **FR-003**: C.", "None.");
  const ours = none.replace("None.", "- **FR-005**: E.");
  const theirs = none.replace("None.", "- **FR-004**: D.");
  const both = none.replace("None.", "- **FR-004**: D.\n- **FR-005**: E.");
  expect(mergeItemDocuments(none, ours, theirs, "specs")).toEqual({ text: both, conflicts: [] });
});

test("reports an item as a conflict that the sides put into different lists, or that one removes and the other changes", () => {
  const base = "## Must have\n\n- **FR-001**: A.\n\n## Should have\n\n- **FR-002**: B.\n\n## Won't have\n\nNone.\n";
  const item = "- **FR-002**: B.";
  const toMust = base.replace(`${item}\n`, "None.\n").replace("A.\n", `A.\n${item}\n`);
  const toWont = base.replace(item, "None.").replace(/None\.\n$/, `${item}\n`);
  const reworded = base.replace("B.", "B, and soon.");
  for (const [ours, theirs] of [
    [toMust, toWont],
    [toWont, toMust],
    [toWont, reworded],
    [reworded, toWont],
  ] as const) {
    const merged = mergeItemDocuments(base, ours, theirs, "specs");
    expect([merged.conflicts, merged.text.includes("<<<<<<< ours")]).toEqual([["FR-002 (its list)"], true]);
  }
  expect(mergeItemDocuments(base, toMust, toMust, "specs").conflicts).toEqual([]);
  expect(mergeItemDocuments(base, toMust, reworded, "specs").conflicts).toEqual([]);
});

test("names an item that both sides changed in different lines", () => {
  const base = "## Must have\n\n- **FR-001**: One.\n  Two.\n  Three.\n";
  const merged = mergeItemDocuments(base, base.replace("One.", "1."), base.replace("Three.", "3."), "specs");
  expect(merged).toEqual({
    text: base.replace("One.", "1.").replace("Three.", "3."),
    conflicts: [],
    joined: ["FR-001"],
  });
});
