import fc from "fast-check";
import { expect, test } from "vitest";
import { built, designed, feature, group, review } from "../../../test/kit/features.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import type { ReviewFinding } from "./review/review-finding.ts";
import {
  listClaimedFiles,
  findFileOverlaps,
  findLocationOwners,
  mapFileOwnership,
  partitionOverlaps,
  routeFindings,
  serializeOverlaps,
} from "./file-ownership.ts";

const tasked = (name: string, files: Readonly<Record<string, readonly string[]>>, on: readonly string[] = []) =>
  designed(name, Object.values(files).flat(), {
    on,
    implementation: { groups: Object.entries(files).map(([id, its]) => group(id, its)) },
  });
const finding = (location: string): ReviewFinding => ({
  severity: "H",
  category: "x",
  location,
  description: "d",
  sources: ["quality"],
});

test.each([
  ["nothing before its design", feature("a"), []],
  ["the files that its design names", designed("a", ["x.ts", "y.ts"]), ["x.ts", "y.ts"]],
  [
    "no file that other features own",
    designed("a", ["x.ts", "y.ts"], { implementation: { excluded: ["y.ts"] } }),
    ["x.ts"],
  ],
  [
    "the files of its groups once it has tasks",
    designed("a", ["x.ts"], { implementation: { groups: [group("A", ["y.ts"])] } }),
    ["y.ts"],
  ],
])("a feature claims %s", (_, record, files) => {
  expect([...listClaimedFiles(record)]).toEqual(files);
});

const shared = [
  built("store", ["src/store.ts", "src/util/read.ts"]),
  tasked("login", { A: ["src/login.ts"], B: ["src/session.ts"] }),
  designed("notes", ["src/store.ts", "src/notes/read.ts"], { wave: 2 }),
  designed("alone", ["src/alone.ts"], { wave: null }),
];

test.each([
  ["a file of a group", "src/session.ts:4", ["src/session.ts"], [{ feature: "login", group: "B" }]],
  ["a file of a design", "src/notes/read.ts", ["src/notes/read.ts"], [{ feature: "notes", group: null }]],
  ["the latest of several owners", "src/store.ts", ["src/store.ts"], [{ feature: "notes", group: null }]],
  ["a feature outside the roadmap", "src/alone.ts", ["src/alone.ts"], [{ feature: "alone", group: null }]],
  ["the end of a path", "session.ts:4", ["src/session.ts"], [{ feature: "login", group: "B" }]],
  ["a path in a different spelling", "SRC/Session.ts:4", ["src/session.ts"], [{ feature: "login", group: "B" }]],
  ["the end of two paths", "read.ts:4", ["read.ts"], []],
  ["a longer end", "util/read.ts:4", ["src/util/read.ts"], [{ feature: "store", group: "A" }]],
  ["a file without an owner", "src/other.ts:4", ["src/other.ts"], []],
  ["no file", "Spec 1.AC2", [], []],
])("finds the owner: %s", (_, location, files, owners) => {
  const found = findLocationOwners(mapFileOwnership(shared), location);
  expect({
    files: found.files,
    owners: found.owners.map(({ feature: name, group: id }) => ({ feature: name, group: id })),
  }).toEqual({ files, owners });
});

test("finds owners only among the given records", () => {
  const ownership = mapFileOwnership(shared.slice(0, 1));
  expect(findLocationOwners(ownership, "src/store.ts").owners).toMatchObject([{ feature: "store", group: "A" }]);
  expect(findLocationOwners(ownership, "src/login.ts").owners).toEqual([]);
});

test("keeps earlier files that are in no group with the feature", () => {
  const record = built("a", ["x.ts"], { implementation: { groups: [group("B", ["y.ts"])] } });
  expect(findLocationOwners(mapFileOwnership([record]), "x.ts").owners).toEqual([
    { path: "x.ts", feature: "a", group: null },
  ]);
});

test("routes findings to the groups that own the files", () => {
  const found = [
    finding("src/login.ts:1"),
    finding("src/session.ts:2"),
    finding("src/login.ts, src/store.ts"),
    finding("src/notes/read.ts"),
    finding("src/other.ts:9"),
    finding("Spec 1.AC2"),
  ];
  expect(routeFindings(shared, found)).toEqual(
    new Map([
      ["login", ["A", "B"]],
      ["notes", null],
    ]),
  );
});

test("routes findings of a feature's review to that feature alone", () => {
  const found = [finding("src/store.ts"), finding("src/login.ts")];
  expect(routeFindings(shared.slice(0, 1), found)).toEqual(new Map([["store", ["A"]]]));
});

test.each([
  ["files of their own", [designed("a", ["x.ts"]), designed("b", ["y.ts"])], []],
  [
    "two designs with one file",
    [designed("b", ["x.ts", "y.ts"]), designed("a", ["x.ts"])],
    [{ wave: 1, file: "x.ts", features: ["a", "b"] }],
  ],
  [
    "names that one disk treats as equal",
    [designed("b", ["src/X.ts"]), designed("a", ["src/x.ts"])],
    [{ wave: 1, file: "src/x.ts", features: ["a", "b"] }],
  ],
  [
    "groups and a design",
    [tasked("b", { A: ["x.ts"] }), designed("a", ["x.ts"])],
    [{ wave: 1, file: "x.ts", features: ["a", "b"] }],
  ],
  [
    "files that groups no longer claim",
    [designed("b", ["x.ts"], { implementation: { groups: [group("A", ["y.ts"])] } }), designed("a", ["x.ts"])],
    [],
  ],
  ["features of different waves", [designed("a", ["x.ts"]), designed("b", ["x.ts"], { wave: 2 })], []],
  [
    "features outside the roadmap",
    [designed("a", ["x.ts"], { wave: null }), designed("b", ["x.ts"], { wave: null })],
    [],
  ],
  ["an accepted feature", [built("a", ["x.ts"]), designed("b", ["x.ts"])], []],
  [
    "a feature that is built and not reviewed",
    [built("a", ["x.ts"], { reviews: { design: null, implementation: null } }), designed("b", ["x.ts"])],
    [{ wave: 1, file: "x.ts", features: ["a", "b"] }],
  ],
  [
    "a feature that is no longer accepted",
    [
      built("a", ["x.ts"], { reviews: { design: null, implementation: review("GO", "other") } }),
      designed("b", ["x.ts"]),
    ],
    [{ wave: 1, file: "x.ts", features: ["a", "b"] }],
  ],
  ["a blocked feature", [designed("a", ["x.ts"], { phase: "blocked" }), designed("b", ["x.ts"])], []],
  ["a feature that depends on the other", [designed("a", ["x.ts"], { on: ["b"] }), designed("b", ["x.ts"])], []],
  [
    "a feature that depends on the other, and a third one",
    [designed("a", ["x.ts"], { on: ["b"] }), designed("b", ["x.ts"]), designed("c", ["x.ts"])],
    [{ wave: 1, file: "x.ts", features: ["b", "c", "a"] }],
  ],
  [
    "a feature that depends on the other through a third one",
    [designed("a", ["x.ts"], { on: ["m"] }), designed("m", [], { on: ["z"] }), designed("z", ["x.ts"])],
    [],
  ],
])("finds overlaps: %s", (_, records, expected) => {
  expect(findFileOverlaps(records)).toEqual(expected);
});

test("decides which feature waits and which files it leaves out", () => {
  const found = findFileOverlaps([
    designed("a", ["x.ts", "y.ts"]),
    designed("b", ["x.ts"]),
    designed("c", ["x.ts", "y.ts"]),
    designed("d", ["z.ts"]),
  ]);
  expect(serializeOverlaps(found)).toEqual(
    new Map([
      ["b", ["a"]],
      ["c", ["a", "b"]],
    ]),
  );
  expect(partitionOverlaps(found)).toEqual(
    new Map([
      ["b", ["x.ts"]],
      ["c", ["x.ts", "y.ts"]],
    ]),
  );
});

/** Later ones have earlier names, so that names alone would put them in the wrong order. */
const named = (n: number): string => String.fromCodePoint(122 - n);
const someRecords: fc.Arbitrary<FeatureRecord[]> = fc
  .array(
    fc.record({
      wave: fc.integer({ min: 1, max: 3 }),
      files: fc.uniqueArray(fc.constantFrom("p.ts", "q.ts", "r.ts", "s.ts")),
      on: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 2 }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ wave, files, on }, i) => {
      const earlier = on.filter((n) => n < i).map(named);
      return designed(named(i), files, { wave, on: earlier });
    }),
  );

test("gives no file to two features of a wave at once, and lets each feature proceed in the end", () => {
  fc.assert(
    fc.property(someRecords, (records) => {
      const waits = serializeOverlaps(findFileOverlaps(records));
      const left = new Map(records.map((record) => [record.feature_name, record]));
      while (left.size > 0) {
        const inWave = [...left.values()].filter(({ roadmap }) => roadmap?.wave === firstWave(left.values()));
        const free = inWave.filter(({ feature_name: name, roadmap }) => {
          const before = [...(waits.get(name) ?? []), ...(roadmap?.dependencies ?? [])];
          return before.every((other) => left.get(other)?.roadmap?.wave !== roadmap?.wave);
        });
        const held = free.flatMap((record) => [...listClaimedFiles(record)]);
        expect(new Set(held).size).toBe(held.length);
        expect(free.length).toBeGreaterThan(0);
        for (const { feature_name: name } of free) left.delete(name);
      }
    }),
  );
});

const firstWave = (records: Iterable<FeatureRecord>): number =>
  Math.min(...Array.from(records, ({ roadmap }) => roadmap?.wave ?? 0));

test("finds an owner exactly for the files that a record names", () => {
  fc.assert(
    fc.property(someRecords, (records) => {
      const ownership = mapFileOwnership(records);
      for (const file of ["p.ts", "q.ts", "r.ts", "s.ts"]) {
        const claiming = records.filter((record) => record.design?.files.includes(file)).map((r) => r.feature_name);
        const [owner] = findLocationOwners(ownership, file).owners;
        expect(owner ? claiming.includes(owner.feature) : claiming.length === 0).toBe(true);
        for (const record of records.filter(({ feature_name }) => claiming.includes(feature_name))) {
          const { feature_name } = record;
          expect(findLocationOwners(mapFileOwnership([record]), file).owners).toMatchObject([
            { feature: feature_name, group: null },
          ]);
        }
      }
    }),
  );
});
