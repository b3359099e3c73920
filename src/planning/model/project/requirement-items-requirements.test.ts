import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type RequirementLists,
  assignRequirementIds,
  parseRequirementItems,
  type PrioritizedRequirement,
} from "./requirement-items.ts";

const NONE = { taken: [], removed: [] };
const lists = (must: string, more: Partial<RequirementLists> = {}): RequirementLists => ({
  must,
  should: "",
  qualities: "",
  ...more,
});
const ids = (requirements: readonly { id: string }[]) => requirements.map(({ id }) => id);
const told = ({ problems }: { problems: readonly { problem: string }[] }) => problems.map(({ problem }) => problem);

/** The document as the template has it, without its words. */
function written(requirements: readonly PrioritizedRequirement[]): string {
  const part = (heading: string, priority?: string) =>
    `## ${heading}\n\n${requirements
      .filter((each) => each.priority === priority)
      .map(({ id, text }) => `- **${id}**: ${text}`)
      .join("\n")}\n`;
  return [
    part("Must have", "must"),
    part("Should have", "should"),
    part("Could have", "could"),
    part("Won't have", "wont"),
    part("Non-functional requirements"),
  ].join("\n");
}

test("reads requirements under the headings that mark them", () => {
  const text = `# Requirements

- **FR-009**: before any part

## Must have

- **FR-001**: a
  more of it

### Search

- FR-002: b

## Won’t have

- FR-003: c

## Non-functional requirements

- NFR-001: d
- BR-001: not one of them
- no id

## Assumptions

- FR-090: only mentioned

## Removed

- FR-091: gone
`;
  expect(parseRequirementItems(text)).toEqual([
    { id: "FR-009", text: "before any part" },
    { id: "FR-001", text: "a\n  more of it", priority: "must" },
    { id: "FR-002", text: "b", priority: "must" },
    { id: "FR-003", text: "c", priority: "wont" },
    { id: "NFR-001", text: "d" },
  ]);
});

test("gives each an id of its family, in the order of the lists", () => {
  const numbered = assignRequirementIds(
    { must: "- a\n- b", should: "- c", could: "- d", wont: "- e", qualities: "- f" },
    undefined,
    NONE,
  );
  expect([ids(numbered.requirements), told(numbered)]).toEqual([
    ["FR-001", "FR-002", "FR-003", "FR-004", "FR-005", "NFR-001"],
    [],
  ]);
  expect(numbered.texts).toEqual({
    must: "- **FR-001**: a\n- **FR-002**: b",
    should: "- **FR-003**: c",
    could: "- **FR-004**: d",
    wont: "- **FR-005**: e",
    qualities: "- **NFR-001**: f",
  });
});

const BEFORE = written([
  { id: "FR-001", text: "a", priority: "must" },
  { id: "FR-002", text: "b", priority: "must" },
]);
const GIVEN = { taken: ["FR-001", "FR-002", "FR-007", "BR-001"], removed: ["FR-007"] };

test.each([
  ["nothing", "- a\n- b", ["FR-001", "FR-002"], []],
  ["an order", "- b\n- a", ["FR-002", "FR-001"], []],
  ["a wording, with its id", "- FR-002: c\n- a", ["FR-002", "FR-001"], []],
  ["one more", "- a\n- c\n- b", ["FR-001", "FR-008", "FR-002"], []],
  [
    "a wording, without its id",
    "- a\n- c",
    ["FR-001", "FR-008"],
    ["FR-002 is missing: keep it, or put it under wont_have if it is no longer wanted."],
  ],
  [
    "two numbers",
    "- FR-001: b\n- FR-002: a",
    ["FR-001", "FR-002"],
    ["FR-001 has the text of FR-002: never renumber ids.", "FR-002 has the text of FR-001: never renumber ids."],
  ],
  [
    "a number",
    "- FR-003: a\n- b",
    ["FR-003", "FR-002"],
    [
      "FR-001 is missing: keep it, or put it under wont_have if it is no longer wanted.",
      "FR-003 has the text of FR-001: never renumber ids.",
    ],
  ],
])("compares with another round that changes %s", (_, must, expected, problems) => {
  const numbered = assignRequirementIds(lists(must), BEFORE, GIVEN);
  expect([ids(numbered.requirements), told(numbered)]).toEqual([expected, problems]);
});

test("accepts two requirements that had the same text from the start", () => {
  const first = assignRequirementIds(lists("- a", { should: "- a" }), undefined, NONE);
  expect([ids(first.requirements), told(first)]).toEqual([["FR-001", "FR-002"], []]);
  const again = { taken: ids(first.requirements), removed: [] };
  const second = assignRequirementIds(
    lists("- FR-001: a", { should: "- FR-002: a" }),
    written(first.requirements),
    again,
  );
  expect(told(second)).toEqual([]);
});

test("reports an id of the wrong family", () => {
  expect(told(assignRequirementIds(lists("- NFR-001: a", { qualities: "- FR-001: b" }), undefined, NONE))).toEqual([
    "NFR-001 does not belong in the functional requirements: ids there begin with FR-.",
    "FR-001 does not belong in the non-functional requirements: ids there begin with NFR-.",
  ]);
});

interface Round {
  readonly added: readonly string[];
  readonly order: readonly number[];
  readonly reworded: readonly number[];
}

const rounds = fc.array(
  fc.record({
    added: fc.array(fc.constantFrom("must", "should", "could", "wont", "qualities"), { maxLength: 4 }),
    order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    reworded: fc.array(fc.nat(11), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** A new round as an agent would write it: others added, shuffled, and some reworded under their ids. */
function nextLists(
  now: readonly PrioritizedRequirement[],
  { added, order, reworded }: Round,
  round: number,
): RequirementLists {
  const placeOf = (i: number): number => order[i % 12] ?? 0;
  const kept = now.map((each, i) => ({
    list: each.priority ?? "qualities",
    // The same words may come without their id; others never.
    line: reworded.includes(i)
      ? `- ${each.id}: reworded ${round}.${i}`
      : placeOf(i) % 2
        ? `- ${each.text}`
        : `- ${each.id}: ${each.text}`,
    place: placeOf(i),
  }));
  const fresh = added.map((list, i) => ({ list, line: `- new ${round}.${i}`, place: placeOf(i + 5) }));
  const all = [...kept, ...fresh].toSorted((a, b) => a.place - b.place);
  const of = (list: string) =>
    all
      .filter((each) => each.list === list)
      .map(({ line }) => line)
      .join("\n");
  return { must: of("must"), should: of("should"), could: of("could"), wont: of("wont"), qualities: of("qualities") };
}

test("assigns, reuses and loses no id wrongly, however often requirements are given again", () => {
  fc.assert(
    fc.property(rounds, (all) => {
      let now: readonly PrioritizedRequirement[] = [];
      const taken = new Set<string>();
      const origin = new Map<string, string>();
      for (const [i, round] of all.entries()) {
        const numbered = assignRequirementIds(nextLists(now, round, i), written(now), {
          taken: [...taken],
          removed: [],
        });
        expect(told(numbered)).toEqual([]);
        const given = ids(numbered.requirements);
        expect(new Set(given).size).toBe(given.length);
        expect(now.filter(({ id }) => !given.includes(id))).toEqual([]);
        const whole = numbered.requirements.filter(({ text }) => text.startsWith("new "));
        const fresh = whole.filter(({ text }) => !origin.has(text));
        expect(fresh.filter(({ id }) => taken.has(id))).toEqual([]);
        for (const { id, text } of fresh) origin.set(text, id);
        expect(whole.filter(({ id, text }) => origin.get(text) !== id)).toEqual([]);
        for (const id of given) taken.add(id);
        now = numbered.requirements;
        expect(parseRequirementItems(written(now)).toSorted(byId)).toEqual(now.toSorted(byId));
      }
    }),
  );
});

test("always reports a lost or reused id", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 8 }), fc.nat(), fc.nat(), fc.boolean(), (n, a, b, isSwap) => {
      const all = Array.from({ length: n }, (_, i) => ({
        id: `FR-00${i + 1}`,
        text: `t${i}`,
        priority: "must" as const,
      }));
      const [i, j] = [a % n, b % n];
      fc.pre(i !== j);
      const texts = all.map(({ id, text }, k) => `${id}: ${k === i ? all[j]?.text : k === j ? all[i]?.text : text}`);
      const kept = isSwap ? texts : all.filter((_, k) => k !== i).map(({ id, text }) => `${id}: ${text}`);
      const given = { taken: ids(all), removed: [] };
      const problems = told(assignRequirementIds(lists(kept.map((t) => `- ${t}`).join("\n")), written(all), given));
      const concerned = (isSwap ? [i, j] : [i]).map((k) => `FR-00${k + 1}`);
      expect(problems.map((problem) => problem.slice(0, 6)).toSorted()).toEqual(concerned.toSorted());
    }),
  );
});

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

test.each(["None.", "none", "- None", "N/A", "Nothing."])(
  "%s is not a requirement, and the list reports it",
  (none) => {
    const said = { must: "- It shall sell.", should: none, could: none, wont: none, qualities: none };
    const { requirements, texts, problems } = assignRequirementIds(said, undefined, { taken: [], removed: [] });
    expect({ ids: requirements.map(({ id }) => id), texts, problems }).toEqual({
      ids: ["FR-001"],
      texts: { must: "- **FR-001**: It shall sell.", should: "None.", could: "", wont: "", qualities: "None." },
      problems: [],
    });
  },
);

test("reads a priority from a heading with a number or a mark, too", () => {
  const text = "## 1. Must have\n\n- **FR-001**: a\n\n## **Should have**\n\n- **FR-002**: b\n";
  expect(parseRequirementItems(text).map(({ id, priority }) => [id, priority])).toEqual([
    ["FR-001", "must"],
    ["FR-002", "should"],
  ]);
});

test("moves a dropped quality to the list of dropped requirements", () => {
  const before =
    "## Must have\n\n- **FR-001**: Sell.\n\n## Non-functional requirements\n\n- **NFR-001**: Fast.\n- **NFR-002**: Safe.\n";
  const wanted = { must: "- FR-001: Sell.", should: "None", wont: "- NFR-002: Safe.", qualities: "- NFR-001: Fast." };
  const { problems, requirements, texts } = assignRequirementIds(wanted, before, {
    taken: ["FR-001", "NFR-001", "NFR-002"],
    removed: [],
  });
  expect(problems).toEqual([]);
  expect(texts.wont).toBe("- **NFR-002**: Safe.");
  expect(requirements).toContainEqual({ id: "NFR-002", text: "Safe.", priority: "wont" });
  const elsewhere = assignRequirementIds({ ...wanted, wont: "", must: "- FR-001: Sell.\n- NFR-002: Safe." }, before, {
    taken: ["FR-001", "NFR-001", "NFR-002"],
    removed: [],
  });
  expect(elsewhere.problems.map(({ problem }) => problem)).toEqual([
    "NFR-002 does not belong in the functional requirements: ids there begin with FR-.",
  ]);
});
