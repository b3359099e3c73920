import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, RevisedRecord } from "../operations/ports/store.ts";
import { getRecordFormat, openRecord, readRecordRevision, sealRecord } from "./record-seal.ts";

interface Note extends RevisedRecord {
  readonly schema: 1;
  readonly name: string;
}

const PATH = "sdd/features/x/spec.yaml" as WorkspacePath;
const SHAPE: StoredRecordShape<Note> = {
  schema: 1,
  problem: (value) => (typeof (value as Note).name === "string" ? undefined : "it has no name"),
  trust: (value) => value as Note,
};
const NOTE: Note = { schema: 1, rev: 3, name: "Añadir 修复 🚀" };
const SEALED = sealRecord(NOTE, "yaml");
const FIXES = [
  `If it is committed, restore that version: git checkout -- ${PATH}`,
  `If a person edited it on purpose: tenon doctor --reseal ${PATH}`,
];
const BROKEN = "Its checksum does not match: it was edited by hand, or a merge joined two versions.";
const line = (n: number): string =>
  `Its line ${n} is not YAML as Tenon writes it: the file is cut off or has merge marks.`;

const open = (text: string, isSealed = true): Note => openRecord(PATH, text, SHAPE, isSealed);
/** What was sealed, without the seal. */
function bare(record: RevisedRecord): unknown {
  const { checksum: _, ...rest } = record as RevisedRecord & { checksum?: unknown };
  return rest;
}

/** The record or the code of the fault; anything else is a crash. */
function outcome(text: string, isSealed = true): unknown {
  try {
    return bare(open(text, isSealed));
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

test.each([
  ["sdd/features/a/spec.yaml", "yaml"],
  ["sdd/waves/1.yaml", "yaml"],
  ["sdd/sdd.json", "json"],
])("writes %s as %s", (path, form) => {
  expect(getRecordFormat(path)).toBe(form);
});

test("gives a sealed record the checksum of its JSON", () => {
  expect(SEALED).toMatchInlineSnapshot(`
    "schema: 1
    rev: 3
    name: "Añadir 修复 🚀"
    checksum: "sha256:74008610a7fd7391418744aed95202dec18f802a7f8d199bab80aad4f8dd45b7"
    "
  `);
  expect(JSON.parse(sealRecord(NOTE))).toEqual(open(SEALED));
  expect(readRecordRevision(PATH, SEALED)).toBe(3);
});

test("opens its own seal, and gives the same text when it seals twice", () => {
  expect(bare(open(SEALED))).toEqual(NOTE);
  expect(sealRecord(open(SEALED), "yaml")).toBe(SEALED);
});

test("leaves out fields without a value", () => {
  expect(sealRecord({ ...NOTE, extra: undefined } as Note, "yaml")).toBe(SEALED);
});

test.each([
  ["nothing", "", BROKEN],
  ["half of it", SEALED.slice(0, SEALED.length / 2), line(4)],
  ["its first lines", SEALED.slice(0, SEALED.indexOf("checksum")), BROKEN],
  ["half of a line", SEALED.slice(0, SEALED.indexOf("Aña") + 1), line(3)],
  ["merge marks", `<<<<<<< ours\n${SEALED}=======\n${SEALED}>>>>>>> theirs\n`, line(1)],
  ["two records", SEALED + SEALED, line(5)],
  ["NULs, as a crash leaves them", "\0".repeat(100), line(1)],
  ["a list", '- "a"\n', line(1)],
  ["JSON", sealRecord(NOTE), line(1)],
  ["no seal", SEALED.replace(/checksum: .*\n/, ""), BROKEN],
  ["another's seal", SEALED.replace("Añadir", "Quitar"), BROKEN],
  ["a seal that is no text", SEALED.replace(/"sha256:.*"/, "null"), BROKEN],
  ["a newer schema without its seal", SEALED.replace("schema: 1", "schema: 2"), BROKEN],
  ["two fields in another order", SEALED.replace(/(schema: 1\n)(rev: 3\n)/, "$2$1"), BROKEN],
  [
    "too much",
    `${SEALED}${" ".repeat(1024 * 1024)}`,
    `It has ${SEALED.length + 1024 * 1024} characters, and a record at most 1048576.`,
  ],
])("does not trust a file that contains %s", (_, text, why) => {
  expect(() => open(text)).toThrow(
    expect.objectContaining({ code: "record.corrupt", what: `${PATH} cannot be trusted.`, why, fixes: FIXES }),
  );
});

test.each([
  [{ schema: 1, name: "x" }, 'In it, its field "rev" is missing or wrong.'],
  [{ schema: 1, rev: "1", name: "x" }, 'In it, its field "rev" is missing or wrong.'],
  [{ rev: 1, name: "x" }, 'In it, its field "schema" is missing or wrong.'],
  [{ schema: 1, rev: 1 }, "In it, it has no name."],
])("rejects %j as a record, sealed or not", (value, why) => {
  const fault = expect.objectContaining({ code: "record.corrupt", why, fixes: FIXES });
  const text = sealRecord(value as unknown as Note, "yaml");
  expect(() => open(text)).toThrow(fault);
  expect(() => open(text.replace(/checksum: .*\n/, ""), false)).toThrow(fault);
});

test("leaves a record of a newer Tenon alone", () => {
  expect(() => open(sealRecord({ ...NOTE, schema: 2 }, "yaml"))).toThrow(
    expect.objectContaining({ code: "record.newer", fixes: ["Install a newer Tenon."] }),
  );
});

test("reads an edit by hand with the right shape when it does not check the seal", () => {
  const edited = SEALED.replace('"Añadir 修复 🚀"', "Quitar # by hand");
  expect(bare(open(edited, false))).toEqual({ ...NOTE, name: "Quitar" });
});

const record = fc
  .record({
    rev: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    name: fc.string({ unit: "binary" }),
    extra: fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: "binary" })),
  })
  .map(({ extra, rev, name }): Note => ({ ...extra, schema: 1, rev, name }));

/** JSON knows no minus zero. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("reads back any record with the same text", () => {
  fc.assert(
    fc.property(record, (given) => {
      const text = sealRecord(given, "yaml");
      expect(bare(open(text))).toEqual(bare(asJson(given) as Note));
      expect(sealRecord(open(text), "yaml")).toBe(text);
    }),
  );
});

test("accepts changed line ends and added comments", () => {
  fc.assert(
    fc.property(record, fc.constantFrom("\r\n", "\r", "\n\n", "\n# said by hand\n"), (given, eol) => {
      expect(outcome(sealRecord(given, "yaml").replaceAll("\n", eol))).toEqual(bare(asJson(given) as Note));
    }),
  );
});

const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code));
const sign = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 1 }),
  fc.constantFrom('"', "\\", "0", "-", "#"),
  half,
);

test("detects every edit of one character", () => {
  fc.assert(
    fc.property(record, fc.nat(), fc.nat({ max: 1 }), sign, (given, place, taken, put) => {
      const text = sealRecord(given, "yaml");
      const at = place % text.length;
      const edited = outcome(text.slice(0, at) + put + text.slice(at + taken));
      const allowed = [bare(asJson(given) as Note), "record.corrupt"];
      expect(allowed).toContainEqual(typeof edited === "string" ? edited : asJson(edited));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["too long", { ...NOTE, name: "x".repeat(1_100_000) }],
  ["too deep", { ...NOTE, deep: JSON.parse(`${"[".repeat(61)}${"]".repeat(61)}`) as unknown }],
])("does not write a record that it could not read again because it is %s", (_, given) => {
  expect(() => sealRecord(given, "yaml")).toThrow(RangeError);
});
