import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBusinessConstraints, parseRequirementItems } from "../project/requirement-items.ts";
import { checkProjectDocument } from "../project/project-document.ts";
import { type SpecDelta, findLiveItem, outlineSpecItems } from "./item-outline.ts";
import { type DeltaConflict, mergeSpecDeltas } from "./delta-merge.ts";
import { type MergeDecision } from "./delta-vocabulary.ts";

const delta = (changes: Partial<SpecDelta> & Pick<SpecDelta, "op" | "id">): SpecDelta => ({
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
const merge = (deltas: readonly SpecDelta[], document = DOCUMENT, decisions = new Map<string, MergeDecision>()) =>
  mergeSpecDeltas({ requirements: document }, deltas, "ship-faster", decisions);

test("applies an edit without conflict and keeps all other bytes", () => {
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

test("leaves only the id of a removed or renamed requirement", () => {
  const { books } = merge([
    delta({ op: "removed", id: "FR-001", was: "The shop shall sell.", text: "It only lends." }),
    delta({ op: "renamed", id: "FR-002", to: "NFR-002", was: WAS }),
  ]);
  expect(books.requirements).toContain(
    "## Removed\n\n- **FR-001**: It only lends.\n  (removed by ship-faster) Was: The shop shall sell.\n" +
      "- **FR-002**: Now NFR-002. (renamed by ship-faster)\n",
  );
  expect(parseRequirementItems(books.requirements ?? "").map(({ id }) => id)).toEqual(["NFR-001", "NFR-002"]);
});

test("joins two changes of different lines, and not two of one line", () => {
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
  ["added", delta({ op: "added", id: "FR-001", text: "Another." }), "The document has a different text under this id."],
  ["modified", delta({ op: "modified", id: "FR-001", was: "Old.", text: "New." }), "Its text changed in the meantime."],
  ["gone", delta({ op: "modified", id: "FR-007", was: "Old.", text: "New." }), "The document no longer has it."],
  ["removed", delta({ op: "removed", id: "FR-001", was: "Old.", text: "Why." }), "Its text changed in the meantime."],
  ["renamed", delta({ op: "renamed", id: "FR-001", to: "FR-008", was: "Old." }), "Its text changed in the meantime."],
  [
    "taken",
    delta({ op: "renamed", id: "FR-001", to: "FR-002", was: "The shop shall sell." }),
    "FR-002 was used in the meantime.",
  ],
  [
    "renamed and gone",
    delta({ op: "renamed", id: "FR-007", to: "FR-008", was: "Old." }),
    "The document no longer has it.",
  ],
])("%s: waits for a decision, and the text of the document changes nothing", (_, change, why) => {
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
])("%s: changes neither of two items with one id", (_, change) => {
  const twice = DOCUMENT.replace("FR-002", "FR-001");
  for (const decisions of [new Map<string, MergeDecision>(), new Map<string, MergeDecision>([["FR-001", "change"]])]) {
    expect(merge([change], twice, decisions)).toMatchObject({
      books: { requirements: twice },
      merged: [],
      conflicts: [{ id: "FR-001", why: "The document defines it twice.", choices: ["document"] }],
    });
  }
});

test("applies the change's text where that was decided", () => {
  const decisions = new Map<string, MergeDecision>([
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
  expect(parseRequirementItems(books.requirements ?? "").map(({ id, text }) => [id, text.split("\n")[0]])).toEqual([
    ["FR-001", "New."],
    ["FR-002", "The shop shall ship"],
    ["FR-007", "Back again."],
    ["NFR-001", "The shop shall answer within 1 s."],
  ]);
});

test("creates a missing document, keeps a flat one flat, and keeps line ends", () => {
  const added = [
    delta({ op: "added", id: "FR-003", text: "C." }),
    delta({ op: "added", id: "BR-001", text: "When a, then b." }),
  ];
  const begun = mergeSpecDeltas({}, added, "begin").books;
  expect(begun).toEqual({
    requirements: "# Requirements\n\n## Must have\n\n- **FR-003**: C.\n",
    rules: "# Business rules\n\n## Constraints\n\n- **BR-001**: When a, then b.\n",
  });
  expect(parseBusinessConstraints(begun.rules ?? "").map(({ id }) => id)).toEqual(["BR-001"]);
  const flat = "FR-001: A.\r\n\r\nFR-002: B.";
  expect(merge(added, flat).books.requirements).toBe(`${flat}\r\n\r\n- **FR-003**: C.\r\n`);
  const multiline = delta({ op: "modified", id: "FR-001", was: "A.", text: "A.\n\n- more" });
  expect(merge([multiline], flat).books.requirements).toBe("- **FR-001**: A.\r\n\r\n  - more\r\n\r\nFR-002: B.");
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

const texts = (maxLength: number, minLength = 0) => fc.array(text, { minLength, maxLength });
const list = (prefix: string, said: readonly string[], first = 1): string =>
  said.length === 0
    ? "None."
    : said.map((each, i) => `- **${prefix}-00${first + i}**: ${each.replaceAll("\n", "\n  ")}`).join("\n\n");

/** Documents in their usual order, with things between their lists. */
const between = fc.array(prose, { minLength: 4, maxLength: 4 });
const ends = fc.constantFrom("\n", "\r\n");
const written = (parts: readonly (string | undefined)[], newline: string): string =>
  `${parts.filter((part) => part !== "").join("\n\n")}\n`.replaceAll("\n", newline);
const requirements = fc
  .record({ must: texts(5), should: texts(2), qualities: texts(2), between, end: ends })
  .map(({ must, should, qualities, between: [first, second, third, last], end: newline }) => {
    const lists = ["## Must have", list("FR", must), second, "## Should have", list("FR", should, 6)];
    const quality = ["## Non-functional requirements", list("NFR", qualities), third];
    return written(["# Requirements", first, ...lists, ...quality, "## Notes", last], newline);
  });
const rules = fc
  .record({ constraints: texts(6), between, end: ends })
  .map(({ constraints, between: [first, second, third, last], end: newline }) => {
    const terms = ["## Definitions", "- **Shop**: what sells.", first, "## Facts", "- It sells.", second];
    const said = list(
      "BR",
      constraints.map((each) => `When\n${each}\nthen go.`),
    );
    return written(["# Business rules", ...terms, "## Constraints", said, third, "## Glossary", last], newline);
  });
const documents = fc.oneof({ arbitrary: requirements, weight: 2 }, { arbitrary: rules, weight: 1 });

const seeds = fc.array(
  fc.record({
    op: fc.constantFrom("added", "modified", "removed", "renamed"),
    text,
    priority: fc.constantFrom("must", "should"),
  }),
  { minLength: 1, maxLength: 8 },
);

const isOfRules = (document: string): boolean => document.startsWith("# Business rules");

/** Deltas against a document, each about ids of its own; those to one id where `at` says so. */
function deltasOf(
  document: string,
  wishes: readonly { op: string; text: string; priority: string }[],
  first = 10,
): SpecDelta[] {
  const live = outlineSpecItems(document).items;
  const isRule = isOfRules(document);
  return wishes.flatMap(({ op, text: said, priority }, i): SpecDelta[] => {
    const item = live[i];
    const wish = isRule ? `When\n${said}\nthen stop.` : said;
    if (op === "added" || !item) {
      const added = { op: "added", text: wish } as const;
      if (isRule) return [delta({ ...added, id: `BR-0${first + i}` })];
      return [delta({ ...added, id: `FR-0${first + i}`, priority: priority as "must" })];
    }
    if (op === "modified") return [delta({ op, id: item.id, was: item.text, text: `${wish}\nanew` })];
    if (op === "removed") return [delta({ op, id: item.id, was: item.text, text: wish })];
    const family = isRule ? "BR" : i % 2 ? "NFR" : "FR";
    return [delta({ op: "renamed", id: item.id, to: `${family}-0${first + 20 + i}`, was: item.text })];
  });
}

/** One document, of whichever kind, with deltas in it. */
function landed(document: string, deltas: readonly SpecDelta[]): { text: string; conflicts: readonly DeltaConflict[] } {
  const book = isOfRules(document) ? "rules" : "requirements";
  const { books, conflicts } = mergeSpecDeltas({ [book]: document }, deltas, "ship-faster");
  return { text: books[book] ?? document, conflicts };
}
const apply = (document: string, deltas: readonly SpecDelta[]): string => landed(document, deltas).text;

test("gives the same document for deltas of different ids in any order, and applies each once", () => {
  fc.assert(
    fc.property(documents, seeds, fc.infiniteStream(fc.nat()), (document, wishes, order) => {
      const deltas = deltasOf(document, wishes);
      const [numbers] = [deltas.map(() => order.next().value as number)];
      const shuffled = deltas
        .map((each, i) => [numbers[i] ?? 0, each] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, each]) => each);
      const { text: once, conflicts } = landed(document, deltas);
      expect(conflicts).toEqual([]);
      expect(apply(document, shuffled)).toBe(once);
      expect(shuffled.reduce((text_, each) => apply(text_, [each]), document)).toBe(once);
      expect(landed(once, deltas)).toEqual({ text: once, conflicts: [] });
    }),
    { numRuns: 300 },
  );
});

test("a document that passes its check still passes with deltas in it", () => {
  const problems = (document: string): string[] =>
    checkProjectDocument(isOfRules(document) ? "business-rules" : "specify", document, { adrs: [] })
      .map(({ problem }) => problem)
      // Whether there may be none at all is not for a list to say.
      .filter((problem) => !/^No (?:requirement|constraint) has an id\.$/.test(problem));
  fc.assert(
    fc.property(documents, seeds, (document, wishes) => {
      expect(problems(document)).toEqual([]);
      const after = apply(document, deltasOf(document, wishes));
      expect(problems(after)).toEqual([]);
      for (const { level, line } of outlineSpecItems(after).headings.filter(({ text: name }) =>
        /have|Non-f|Const/.test(name),
      )) {
        const part = after.split(/\r?\n/).slice(line);
        const next = part.findIndex((each) => each.startsWith("#".repeat(level)));
        const own = part.slice(0, next < 0 ? part.length : next);
        expect(own.filter((each) => each === "None.")).toHaveLength(
          own.some((each) => each.startsWith("- **")) ? 0 : 1,
        );
      }
    }),
    { numRuns: 300 },
  );
});

test("text outside items never changes", () => {
  const outside = (document: string): string[] => {
    const { lines, items } = outlineSpecItems(document);
    return lines.filter((line, i) => line.trim() !== "" && !items.some(({ start, end }) => i >= start && i < end));
  };
  fc.assert(
    fc.property(documents, seeds, (document, wishes) => {
      const after = outside(apply(document, deltasOf(document, wishes)));
      const lists = new Set(["## Removed", "None."]);
      const kept = (lines: readonly string[]): string[] => lines.filter((line) => !lists.has(line.trim()));
      expect(kept(after)).toEqual(kept(outside(document)));
    }),
  );
});

/** Whether a delta that meets another's is refused whole, or lands with both texts whole. */
function isHonest(after: string, first: readonly SpecDelta[], other: SpecDelta): boolean {
  const rival = first.find(({ id }) => id === other.id);
  if (!rival || (rival.op === other.op && rival.text === other.text && rival.to === other.to)) return true;
  if (rival.op === "removed" && other.op === "removed") return true;
  const { conflicts, text: document } = landed(after, [other]);
  if (conflicts.length > 0) return document === after;
  const now = findLiveItem(outlineSpecItems(document), other.id)?.text.split("\n") ?? [];
  const was = new Set(other.was.split("\n"));
  const wanted = [...rival.text.split("\n"), ...other.text.split("\n")];
  return (
    rival.op !== "renamed" && other.op !== "renamed" && wanted.every((line) => was.has(line) || now.includes(line))
  );
}

test("reports the second of two changes that want different texts of one item", () => {
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

test("a modified requirement moves to the list of its new priority", () => {
  const mergeOne = (changes: Partial<SpecDelta>) =>
    mergeSpecDeltas({ requirements: DOCUMENT }, [delta({ op: "modified", id: "FR-001", ...changes })], "x");
  const was = "The shop shall sell.";
  const moved = mergeOne({ was, text: was, priority: "should" });
  expect(moved.merged).toEqual([{ id: "FR-001", how: "applied" }]);
  expect(moved.books.requirements).toContain("## Should have\n\n- **FR-001**: The shop shall sell.\n");
  const reworded = mergeOne({ was, text: "The shop shall sell tea.", priority: "should" });
  expect(reworded.books.requirements).toContain("## Should have\n\n- **FR-001**: The shop shall sell tea.\n");
  expect(mergeOne({ was, text: was, priority: "must" }).merged).toEqual([{ id: "FR-001", how: "same" }]);
});
