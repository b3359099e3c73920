import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConstraints } from "../project/business-rules.ts";
import { parseRequirements } from "../project/requirements.ts";
import type { Delta } from "./delta.ts";
import { type Decision, mergeDeltas } from "./merge.ts";
import { liveItem, outline } from "./outline.ts";

const delta = (changes: Partial<Delta> & Pick<Delta, "op" | "id">): Delta => ({
  base: "0".repeat(64),
  was: "",
  text: "",
  ...changes,
});

const DOCUMENT = `# Requirements

Written by people. <!-- - FR-009: a comment is none -->

## Must have

- **FR-001**: The shop shall sell.
- **FR-002**: The shop shall ship
  within a day,
  except on Sundays.

Prose below a list.

## Should have

## Non-functional requirements

- **NFR-001**: The shop shall answer within 1 s.

## Notes

Last words.
`;

const WAS = "The shop shall ship\nwithin a day,\nexcept on Sundays.";
const merge = (deltas: readonly Delta[], document = DOCUMENT, decisions = new Map<string, Decision>()) =>
  mergeDeltas({ requirements: document }, deltas, "ship-faster", decisions);

test("what nobody else touched is applied, and all else stays byte for byte", () => {
  const { books, merged, conflicts } = merge([
    delta({ op: "modified", id: "FR-001", was: "The shop shall sell.", text: "The shop shall sell well." }),
    delta({ op: "added", id: "FR-003", text: "The shop shall buy.", priority: "should" }),
    delta({ op: "added", id: "FR-004", text: "The shop shall open\non Mondays." }),
    delta({ op: "added", id: "NFR-002", text: "The shop shall be up." }),
  ]);
  expect(conflicts).toEqual([]);
  expect(merged.map(({ how }) => how)).toEqual(["applied", "applied", "applied", "applied"]);
  expect(books.requirements).toBe(
    DOCUMENT.replace("shall sell.", "shall sell well.")
      .replace("Sundays.\n", "Sundays.\n- **FR-004**: The shop shall open\n  on Mondays.\n")
      .replace("## Should have\n", "## Should have\n\n- **FR-003**: The shop shall buy.\n")
      .replace("1 s.\n", "1 s.\n- **NFR-002**: The shop shall be up.\n"),
  );
});

test("what is removed or renamed leaves its id under a heading of its own, and is no requirement", () => {
  const { books } = merge([
    delta({ op: "removed", id: "FR-001", was: "The shop shall sell.", text: "It only lends." }),
    delta({ op: "renamed", id: "FR-002", to: "NFR-002", was: WAS }),
  ]);
  expect(books.requirements).toContain(
    "## Removed\n\n- **FR-001**: It only lends.\n  (removed by ship-faster) Was: The shop shall sell.\n" +
      "- **FR-002**: Now NFR-002. (renamed by ship-faster)\n",
  );
  expect(parseRequirements(books.requirements ?? "").map(({ id }) => id)).toEqual(["NFR-001", "NFR-002"]);
});

test("two changes of different lines are joined, of one line are not", () => {
  const now = DOCUMENT.replace("except on Sundays.", "except on holidays.");
  const hurried = delta({
    op: "modified",
    id: "FR-002",
    was: WAS,
    text: WAS.replace("The shop shall ship", "The shop should ship"),
  });
  expect(merge([hurried], now).books.requirements).toBe(now.replace("shall ship", "should ship"));
  const elsewhere = delta({ op: "modified", id: "FR-002", was: WAS, text: WAS.replace("Sundays", "Mondays") });
  expect(merge([elsewhere], now)).toMatchObject({
    books: { requirements: now },
    conflicts: [{ id: "FR-002", was: WAS, now: WAS.replace("Sundays", "holidays"), wants: elsewhere.text }],
  });
});

test.each([
  ["added", delta({ op: "added", id: "FR-001", text: "Another." }), "The document has another text under this id."],
  ["modified", delta({ op: "modified", id: "FR-001", was: "Old.", text: "New." }), "Its text was changed meanwhile."],
  ["gone", delta({ op: "modified", id: "FR-007", was: "Old.", text: "New." }), "The document no longer has it."],
  ["removed", delta({ op: "removed", id: "FR-001", was: "Old.", text: "Why." }), "Its text was changed meanwhile."],
  ["renamed", delta({ op: "renamed", id: "FR-001", to: "FR-008", was: "Old." }), "Its text was changed meanwhile."],
  [
    "taken",
    delta({ op: "renamed", id: "FR-001", to: "FR-002", was: "The shop shall sell." }),
    "FR-002 was given meanwhile.",
  ],
  [
    "renamed and gone",
    delta({ op: "renamed", id: "FR-007", to: "FR-008", was: "Old." }),
    "The document no longer has it.",
  ],
])("%s: it waits for a decision, and the document's word changes nothing", (_, change, why) => {
  expect(merge([change])).toMatchObject({ books: { requirements: DOCUMENT }, merged: [], conflicts: [{ why }] });
  expect(merge([change], DOCUMENT, new Map([[change.id, "document"]]))).toMatchObject({
    books: { requirements: DOCUMENT },
    merged: [{ id: change.id, how: "document" }],
    conflicts: [],
  });
});

test.each([
  ["added", delta({ op: "added", id: "FR-001", text: "The shop shall sell." })],
  ["modified", delta({ op: "modified", id: "FR-001", was: "The shop shall sell.", text: "New." })],
  ["removed", delta({ op: "removed", id: "FR-001", was: "The shop shall sell.", text: "Why." })],
  ["renamed", delta({ op: "renamed", id: "FR-001", to: "FR-008", was: "The shop shall sell." })],
])("%s: of an id that the document has twice, neither is touched", (_, change) => {
  const twice = DOCUMENT.replace("FR-002", "FR-001");
  for (const decisions of [new Map<string, Decision>(), new Map<string, Decision>([["FR-001", "change"]])]) {
    expect(merge([change], twice, decisions)).toMatchObject({
      books: { requirements: twice },
      merged: [],
      conflicts: [{ id: "FR-001", why: "The document defines it twice.", choices: ["document"] }],
    });
  }
});

test("the change's word holds where it was decided so", () => {
  const decisions = new Map<string, Decision>([
    ["FR-001", "change"],
    ["FR-007", "change"],
  ]);
  const { books, conflicts } = merge(
    [
      delta({ op: "modified", id: "FR-001", was: "Old.", text: "New." }),
      delta({ op: "modified", id: "FR-007", was: "Old.", text: "Back again." }),
    ],
    DOCUMENT,
    decisions,
  );
  expect(conflicts).toEqual([]);
  expect(parseRequirements(books.requirements ?? "").map(({ id, text }) => [id, text.split("\n")[0]])).toEqual([
    ["FR-001", "New."],
    ["FR-002", "The shop shall ship"],
    ["FR-007", "Back again."],
    ["NFR-001", "The shop shall answer within 1 s."],
  ]);
});

test("a document that is not there is begun, a flat one stays flat, and line ends stay what they are", () => {
  const added = [
    delta({ op: "added", id: "FR-003", text: "C." }),
    delta({ op: "added", id: "BR-001", text: "When a, then b." }),
  ];
  const begun = mergeDeltas({}, added, "begin").books;
  expect(begun).toEqual({
    requirements: "# Requirements\n\n## Must have\n\n- **FR-003**: C.\n",
    rules: "# Business rules\n\n## Constraints\n\n- **BR-001**: When a, then b.\n",
  });
  expect(parseConstraints(begun.rules ?? "").map(({ id }) => id)).toEqual(["BR-001"]);
  const flat = "FR-001: A.\r\n\r\nFR-002: B.";
  expect(merge(added, flat).books.requirements).toBe(`${flat}\r\n\r\n- **FR-003**: C.\r\n`);
  const multiline = delta({ op: "modified", id: "FR-001", was: "A.", text: "A.\n\n- more" });
  expect(merge([multiline], flat).books.requirements).toBe("- **FR-001**: A.\r\n\r\n  - more\r\n\r\nFR-002: B.");
});

test.each([
  ["2. Should have", "FR-003", "should"],
  ["**Should have**", "FR-003", "should"],
  ["SHOULD HAVE (second)", "FR-003", "should"],
  ["Should haves", "FR-003", "should"],
  ["Won’t have", "FR-003", "wont"],
  ["Quality requirements", "NFR-003", undefined],
  ["3. Nonfunctional", "NFR-003", undefined],
] as const)("%s: an item goes under the heading by which it is read again", (heading, id, priority) => {
  const document = `# R\n\n## ${heading}\n\n- **${id.replace("3", "1")}**: A.\n\n## Notes\n`;
  const { books } = merge([delta({ op: "added", id, text: "B.", ...(priority ? { priority } : {}) })], document);
  expect(books.requirements).toBe(document.replace("A.\n", `A.\n- **${id}**: B.\n`));
  const found = parseRequirements(books.requirements ?? "");
  expect(found.map((each) => each.priority)).toEqual([priority, priority]);
});

const word = fc.constantFrom("sell", "ship", "bill", "count", "pack");
const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join("\n"));
const prose = fc.constantFrom(
  "",
  "Some words.",
  "<!-- a comment -->",
  "* a loose point",
  "1. another",
  "```\n- FR-001: code\n```",
);

/** A document in its usual order, with things between its lists. */
const documents = fc
  .record({
    items: fc.array(text, { minLength: 3, maxLength: 6 }),
    qualities: fc.array(text, { maxLength: 2 }),
    between: fc.array(prose, { minLength: 4, maxLength: 4 }),
    end: fc.constantFrom("\n", "\r\n"),
  })
  .map(({ items, qualities, between, end }) => {
    const list = (prefix: string, texts: readonly string[]): string[] =>
      texts.map((each, i) => `- **${prefix}-00${i + 1}**: ${each.replaceAll("\n", "\n  ")}`);
    const parts = [
      between[0],
      "## Must have",
      ...list("FR", items),
      between[1],
      "## Non-functional requirements",
      ...list("NFR", qualities),
      between[2],
      "## Notes",
      between[3],
    ];
    return `# Requirements\n\n${parts.filter((part) => part !== "").join("\n\n")}\n`.replaceAll("\n", end);
  });

const seeds = fc.array(
  fc.record({
    op: fc.constantFrom("added", "modified", "removed", "renamed"),
    text,
    priority: fc.constantFrom("must", "should"),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Deltas against a document, each about ids of its own; those to one id where `at` says so. */
function deltasOf(
  document: string,
  wishes: readonly { op: string; text: string; priority: string }[],
  first = 10,
): Delta[] {
  // The first of each list stays: where a list that was emptied begins again is another matter.
  const live = outline(document).items.filter(({ id }) => !id.endsWith("001"));
  return wishes.flatMap(({ op, text: wish, priority }, i): Delta[] => {
    const item = live[i];
    if (op === "added" || !item)
      return [delta({ op: "added", id: `FR-0${first + i}`, text: wish, priority: priority as "must" })];
    if (op === "modified") return [delta({ op, id: item.id, was: item.text, text: `${wish}\nanew` })];
    if (op === "removed") return [delta({ op, id: item.id, was: item.text, text: wish })];
    return [delta({ op: "renamed", id: item.id, to: `${i % 2 ? "NFR" : "FR"}-0${first + 20 + i}`, was: item.text })];
  });
}

const apply = (document: string, deltas: readonly Delta[]): string =>
  merge(deltas, document).books.requirements ?? document;

test("deltas that touch different ids give the same document in any order, and twice is once", () => {
  fc.assert(
    fc.property(documents, seeds, fc.infiniteStream(fc.nat()), (document, wishes, order) => {
      const deltas = deltasOf(document, wishes);
      const [numbers] = [deltas.map(() => order.next().value as number)];
      const shuffled = deltas
        .map((each, i) => [numbers[i] ?? 0, each] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, each]) => each);
      const merged = merge(deltas, document);
      expect(merged.conflicts).toEqual([]);
      const once = merged.books.requirements ?? document;
      expect(apply(document, shuffled)).toBe(once);
      expect(shuffled.reduce((text_, each) => apply(text_, [each]), document)).toBe(once);
      expect(merge(deltas, once)).toMatchObject({ conflicts: [], books: { requirements: once } });
    }),
    { numRuns: 300 },
  );
});

test("what stands outside items never changes", () => {
  const outside = (document: string): string[] => {
    const { lines, items } = outline(document);
    return lines.filter((line, i) => line.trim() !== "" && !items.some(({ start, end }) => i >= start && i < end));
  };
  fc.assert(
    fc.property(documents, seeds, (document, wishes) => {
      const after = outside(apply(document, deltasOf(document, wishes)));
      const headings = new Set(["## Should have", "## Removed"]);
      expect(after.filter((line) => !headings.has(line.trim()))).toEqual(outside(document));
    }),
  );
});

/** Whether a delta that meets another's is refused whole, or lands with both texts whole. */
function isHonest(after: string, first: readonly Delta[], other: Delta): boolean {
  const rival = first.find(({ id }) => id === other.id);
  if (!rival || (rival.op === other.op && rival.text === other.text && rival.to === other.to)) return true;
  if (rival.op === "removed" && other.op === "removed") return true;
  const { conflicts, books } = merge([other], after);
  if (conflicts.length > 0) return books.requirements === after;
  const now = liveItem(outline(books.requirements ?? ""), other.id)?.text.split("\n") ?? [];
  const was = new Set(other.was.split("\n"));
  const wanted = [...rival.text.split("\n"), ...other.text.split("\n")];
  return (
    rival.op !== "renamed" && other.op !== "renamed" && wanted.every((line) => was.has(line) || now.includes(line))
  );
}

test("of two changes that want different things of one item, the second never passes unseen", () => {
  fc.assert(
    fc.property(documents, seeds, seeds, (document, mine, theirs) => {
      const first = deltasOf(document, mine);
      const second = deltasOf(document, theirs, 10);
      const after = apply(document, first);
      expect(second.filter((other) => !isHonest(after, first, other))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
