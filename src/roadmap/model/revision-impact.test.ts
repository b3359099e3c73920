import fc from "fast-check";
import { expect, test } from "vitest";
import { built, designed, feature, createTestLead } from "../../../test/kit/features.ts";
import { type DesignSpec, CRITERION_STABILITIES, type CriterionStability } from "./feature/design-criteria.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  checkVersionAlignment,
  listImpactConsequences,
  compareDesignVersions,
  type ImpactClass,
} from "./revision-impact.ts";

/** One spec a list; a criterion is its text, with its tag before it: `[contract] Answers with a session`. */
const specs = (...lists: readonly (readonly string[])[]): DesignSpec[] =>
  lists.map((list, i) => ({
    number: i + 1,
    title: "t",
    goal: "g",
    line: 1,
    criteria: list.map((said, n) => {
      const [, tag = null, text = ""] = /^(?:\[(\w+)\] )?(.*)$/.exec(said) ?? [];
      return {
        id: `S${i + 1}.AC${n + 1}`,
        cited: `${i + 1}.${n + 1}`,
        text,
        stability: tag as CriterionStability | null,
        line: 1,
      };
    }),
  }));
const told = (before: DesignSpec[], after: DesignSpec[]): string[] => {
  const { impact, changes } = compareDesignVersions(before, after);
  return [String(impact), ...changes.map(({ kind, id, impact: own }) => `${kind} ${id} ${own}`)];
};

test.each([
  ["nothing", specs(["a"]), specs(["a"]), ["null"]],
  ["only white space", specs(["a  b"]), specs(["a b "]), ["null"]],
  ["an untagged criterion", specs(["a"]), specs(["b"]), ["UNKNOWN", "changed S1.AC1 UNKNOWN"]],
  ["a behaviour", specs(["[behavior] a"]), specs(["[behavior] b"]), ["COMPATIBLE", "changed S1.AC1 COMPATIBLE"]],
  ["a contract", specs(["[contract] a"]), specs(["[contract] b"]), ["INTERFACE", "changed S1.AC1 INTERFACE"]],
  ["a constraint", specs(["[constraint] a"]), specs(["[constraint] b"]), ["BREAKING", "changed S1.AC1 BREAKING"]],
  ["only its tag", specs(["[constraint] a"]), specs(["[behavior] a"]), ["BREAKING", "changed S1.AC1 BREAKING"]],
  ["a new criterion", specs(["a"]), specs(["a", "[contract] b"]), ["INTERFACE", "added S1.AC2 INTERFACE"]],
  ["a removed criterion", specs(["a", "[constraint] b"]), specs(["a"]), ["BREAKING", "removed S1.AC2 BREAKING"]],
  [
    "a criterion before the others",
    specs(["a", "b"]),
    specs(["[behavior] x", "a", "b"]),
    ["COMPATIBLE", "added S1.AC1 COMPATIBLE"],
  ],
  ["their order", specs(["a", "b"], ["c"]), specs(["c"], ["b", "a"]), ["null"]],
  ["one of two equal criteria", specs(["a", "a"]), specs(["a", "b"]), ["UNKNOWN", "changed S1.AC2 UNKNOWN"]],
  [
    "several",
    specs(["[behavior] a", "b"], ["[contract] c"]),
    specs(["[behavior] a", "x"], ["[contract] c", "[contract] d"]),
    ["INTERFACE", "changed S1.AC2 UNKNOWN", "added S2.AC2 INTERFACE"],
  ],
  ["everything", specs([]), specs(["[behavior] a"]), ["COMPATIBLE", "added S1.AC1 COMPATIBLE"]],
])("compares two designs that differ in %s", (_, before, after, expected) => {
  expect(told(before, after)).toEqual(expected);
});

const criterion = fc
  .tuple(fc.constantFrom(null, ...CRITERION_STABILITIES), fc.constantFrom("a", "b", "c", "d"))
  .map(([tag, text]) => (tag ? `[${tag}] ${text}` : text));
const someSpecs = fc.array(fc.array(criterion, { maxLength: 4 }), { maxLength: 3 });

test("reports no more changes than there are, and none for moved criteria", () => {
  fc.assert(
    fc.property(someSpecs, someSpecs, (before, after) => {
      const { changes } = compareDesignVersions(specs(...before), specs(...after));
      const tally = (kind: string): number => changes.filter((change) => change.kind === kind).length;
      expect(before.flat().length + tally("added") - tally("removed")).toBe(after.flat().length);
      const isSame = before.flat().toSorted().join("\n") === after.flat().toSorted().join("\n");
      expect(changes.length === 0).toBe(isSame && before.flat().length === after.flat().length);
      const [was, is] = [before, after].map((lists) => compareDesignVersions(specs(), specs(...lists)).changes.length);
      expect([was, is]).toEqual([before.flat().length, after.flat().length]);
    }),
  );
});

const shop = createTestLead([
  built("store", []),
  built("login", [], { wave: 2, on: ["store"] }),
  designed("notes", [], { wave: 2, on: ["store"] }),
  feature("search", { wave: 2, on: ["store"] }),
  built("share", [], { wave: 3, on: ["login"] }),
  built("help", []),
]);

test.each<[ImpactClass | null, string[]]>([
  ["BREAKING", ["login re-implement", "notes nothing", "search nothing", "share re-review"]],
  ["INTERFACE", ["login re-review", "notes nothing", "search nothing", "share nothing"]],
  ["UNKNOWN", ["login re-review", "notes nothing", "search nothing", "share nothing"]],
  ["COMPATIBLE", ["login nothing", "notes nothing", "search nothing", "share nothing"]],
  [null, ["login nothing", "notes nothing", "search nothing", "share nothing"]],
])("lists the consequences of %s", (impact, expected) => {
  const follows = listImpactConsequences(shop, "store" as FeatureName, impact);
  expect(follows.map(({ feature: own, follows: what }) => `${own} ${what}`)).toEqual(expected);
});

test("gives each consequence its path and reason", () => {
  expect(listImpactConsequences(shop, "store" as FeatureName, "BREAKING")).toEqual([
    {
      feature: "login",
      reach: "direct",
      follows: "re-implement",
      why: "A constraint that it builds on changed.",
    },
    { feature: "notes", reach: "direct", follows: "nothing", why: "It goes back to its design by itself." },
    { feature: "search", reach: "direct", follows: "nothing", why: "It has no design yet." },
    {
      feature: "share",
      reach: "transitive",
      follows: "re-review",
      why: "A constraint behind its dependency changed.",
    },
  ]);
});

test.each([
  [feature("a"), "nothing yet"],
  [designed("a", []), "not implemented"],
  [built("a", []), "aligned"],
  [built("a", [], { version_refs: { design: "1.1.0", implementation: "1.0.0" } }), "behind its design"],
])("compares the versions of design and code: %#", (record, state) => {
  expect(checkVersionAlignment(createTestLead([record]), record).state).toBe(state);
});

test("reports a design as stale when the designs below it changed", () => {
  const basis = { store: "design of store", login: "an earlier one", gone: "x" };
  const record = built("b", [], { design: { hash: "h", files: [], basis } });
  expect(checkVersionAlignment(createTestLead([...shop.features.values(), record]), record)).toEqual({
    design: "1.0.0",
    implementation: "1.0.0",
    state: "aligned",
    stale: ["login"],
  });
});
