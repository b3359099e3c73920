import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, RevisedRecord } from "../operations/ports/store.ts";
import { openRecord, openSealedRecord, sealRecord } from "./record-seal.ts";

interface Note extends RevisedRecord {
  readonly schema: 1;
  readonly name: string;
}

const PATH = "sdd/changes/x/change.json" as WorkspacePath;
const SHAPE: StoredRecordShape<Note> = {
  schema: 1,
  problem: (value) => (typeof (value as Note).name === "string" ? undefined : "it has no name"),
  trust: (value) => value as Note,
};
const NOTE: Note = { schema: 1, rev: 3, name: "Añadir 修复 🚀" };
const SEALED = sealRecord(NOTE);
const FIXES = [
  `If it is committed, restore that version: git checkout -- ${PATH}`,
  `If a person edited it on purpose: tenon doctor --reseal ${PATH}`,
];
const BROKEN = "Its checksum does not match: it was edited by hand, or a merge joined two versions.";
const NO_JSON = "It is not valid JSON: the file is cut off or has merge marks.";

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

test("a sealed record", () => {
  expect(SEALED).toMatchInlineSnapshot(`
    "{
      "schema": 1,
      "rev": 3,
      "name": "Añadir 修复 🚀",
      "checksum": "sha256:74008610a7fd7391418744aed95202dec18f802a7f8d199bab80aad4f8dd45b7"
    }
    "
  `);
});

test("opens its own seal, and gives the same text when it seals twice", () => {
  expect(bare(open(SEALED))).toEqual(NOTE);
  expect(sealRecord(open(SEALED))).toBe(SEALED);
});

test("replaces an existing seal", () => {
  expect(sealRecord({ checksum: "sha256:0", ...NOTE } as Note)).toBe(SEALED);
});

test.each([
  ["nothing", "", NO_JSON],
  ["half of the record", SEALED.slice(0, SEALED.length / 2), NO_JSON],
  ["merge marks", `<<<<<<< ours\n${SEALED}=======\n${SEALED}>>>>>>> theirs\n`, NO_JSON],
  ["two records", SEALED + SEALED, NO_JSON],
  ["NULs, as a crash leaves them", "\0".repeat(100), NO_JSON],
  ["a list", "[]", "It is not an object."],
  ["a text", '"x"', "It is not an object."],
  ["null", "null", "It is not an object."],
  ["no seal", JSON.stringify(NOTE), BROKEN],
  ["another's seal", SEALED.replace("Añadir", "Quitar"), BROKEN],
  ["a seal that is not a text", SEALED.replace(/"sha256:.*"/, "null"), BROKEN],
  ["a newer schema without its seal", SEALED.replace('"schema": 1', '"schema": 2'), BROKEN],
  ["two fields in another order", SEALED.replace(/("schema": 1),\n {2}("rev": 3)/, "$2,$1"), BROKEN],
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
  [{ schema: 1, rev: 0, name: "x" }, 'In it, its field "rev" is missing or wrong.'],
  [{ schema: 1, rev: 1.5, name: "x" }, 'In it, its field "rev" is missing or wrong.'],
  [{ schema: 1, rev: "1", name: "x" }, 'In it, its field "rev" is missing or wrong.'],
  [{ schema: 1, rev: 2 ** 53, name: "x" }, 'In it, its field "rev" is missing or wrong.'],
  [{ rev: 1, name: "x" }, 'In it, its field "schema" is missing or wrong.'],
  [{ schema: "1", rev: 1, name: "x" }, 'In it, its field "schema" is missing or wrong.'],
  [{ schema: 0, rev: 1, name: "x" }, 'In it, its field "schema" is missing or wrong.'],
  [{ schema: 1, rev: 1 }, "In it, it has no name."],
])("rejects %j as a record, sealed or not", (value, why) => {
  const fault = expect.objectContaining({ code: "record.corrupt", why, fixes: FIXES });
  expect(() => open(sealRecord(value as unknown as Note))).toThrow(fault);
  expect(() => open(JSON.stringify(value), false)).toThrow(fault);
});

test("leaves a record of a newer Tenon alone", () => {
  expect(() => open(sealRecord({ ...NOTE, schema: 2 }))).toThrow(
    expect.objectContaining({
      code: "record.newer",
      message: `${PATH} cannot be used. It has schema 2, and this version of Tenon knows 1.`,
      fixes: ["Install a newer Tenon."],
    }),
  );
});

test("reads an edit by hand with the right shape when it does not check the seal", () => {
  expect(bare(open(SEALED.replace("Añadir", "Quitar"), false))).toEqual({ ...NOTE, name: "Quitar 修复 🚀" });
});

const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const note = (extra: string): string => `{"schema":1,"rev":1,"name":"x",${extra}}`;

test.each([
  ["brackets without end", DEEP, "record.corrupt", "record.corrupt"],
  ["braces without end", '{"a":'.repeat(100_000), "record.corrupt", "record.corrupt"],
  ["a deep field and no seal", note(`"x":${DEEP}`), "record.corrupt", "record.corrupt"],
  ["a deep field and a seal", note(`"checksum":"sha256:0","x":${DEEP}`), "record.corrupt", "record.corrupt"],
  ["a deep field and an empty seal", note(`"checksum":null,"x":${DEEP}`), "record.corrupt", "record.corrupt"],
  ["a number beyond the limit", note('"x":1e999'), "record.corrupt", { schema: 1, rev: 1, name: "x", x: Infinity }],
  ["a repeated field", note('"name":"y"'), "record.corrupt", { schema: 1, rev: 1, name: "y" }],
])("%s", (_, text, sealed, unsealed) => {
  expect([outcome(text), outcome(text, false)]).toEqual([sealed, unsealed]);
});

test("rejects a record that is nested too deeply", () => {
  expect(() => open(note(`"x":${DEEP}`))).toThrow(
    expect.objectContaining({ why: "It is nested too deeply.", fixes: FIXES }),
  );
});

test("reads a field named __proto__ like any other", () => {
  const value = JSON.parse(note('"__proto__":{"admin":true},"constructor":null')) as Note;
  const opened = open(sealRecord(value));
  expect(Object.keys(opened).toSorted()).toEqual(["__proto__", "checksum", "constructor", "name", "rev", "schema"]);
  expect(Object.getPrototypeOf(opened)).toBe(Object.prototype);
  expect(JSON.stringify(bare(opened))).toBe(JSON.stringify(value));
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

test("reads back the same text, for any record with unknown fields and unpaired surrogates", () => {
  fc.assert(
    fc.property(record, (given) => {
      const text = sealRecord(given);
      expect(bare(open(text))).toEqual(bare(asJson(given) as Note));
      expect(sealRecord(open(text))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("accepts changed line ends and spaces between fields", () => {
  fc.assert(
    fc.property(record, fc.constantFrom("\r\n", "\r", "\n\n", "\n\t "), (given, eol) => {
      const text = sealRecord(given);
      expect(outcome(text.replaceAll("\n", eol))).toEqual(bare(asJson(given) as Note));
      expect(outcome(JSON.stringify(JSON.parse(text)))).toEqual(bare(asJson(given) as Note));
    }),
  );
});

const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code));
const sign = fc.oneof(fc.string({ unit: "binary-ascii", maxLength: 1 }), fc.constantFrom('"', "\\", "0", "-"), half);

test("detects every edit of one character", () => {
  fc.assert(
    fc.property(record, fc.nat(), fc.nat({ max: 1 }), sign, (given, place, taken, put) => {
      const text = sealRecord(given);
      const at = place % text.length;
      const edited = outcome(text.slice(0, at) + put + text.slice(at + taken));
      const allowed = [bare(asJson(given) as Note), "record.corrupt"];
      expect(allowed).toContainEqual(typeof edited === "string" ? edited : asJson(edited));
    }),
    { numRuns: 2000 },
  );
});

test("gives two different records two seals", () => {
  fc.assert(
    fc.property(record, record, (one, other) => {
      const isSame = JSON.stringify(bare(one)) === JSON.stringify(bare(other));
      expect(sealRecord(one) === sealRecord(other)).toBe(isSame);
    }),
  );
});

test("does not crash on any text", () => {
  const json = fc.oneof(
    fc.json(),
    fc.string({ unit: "binary" }),
    fc.json().map((text) => `{"schema":1,"rev":1,"x":${text}`),
  );
  fc.assert(
    fc.property(json, fc.boolean(), (text, isSealed) => {
      expect(outcome(text, isSealed)).toBe("record.corrupt");
    }),
    { numRuns: 500 },
  );
});

test("does not write a record that it could not read again", () => {
  expect(() => sealRecord({ ...NOTE, name: "x".repeat(1_100_000) } as Note)).toThrow(RangeError);
});

test("opens a record once while its text stays the same", () => {
  const first = openSealedRecord(PATH, SEALED, SHAPE);
  expect(openSealedRecord(PATH, SEALED, SHAPE)).toBe(first);
  const other = sealRecord({ ...NOTE, rev: 4 });
  expect(openSealedRecord(PATH, other, SHAPE).rev).toBe(4);
  expect(openSealedRecord(PATH, SEALED, SHAPE)).toEqual(first);
});

test("checks an opened record again when its text, path or shape changes", () => {
  openSealedRecord(PATH, SEALED, SHAPE);
  expect(() => openSealedRecord(PATH, SEALED.replace("修复", "修"), SHAPE)).toThrow(BROKEN);
  const strict: StoredRecordShape<Note> = {
    schema: 1,
    problem: () => "it is too long",
    trust: (value) => value as Note,
  };
  expect(() => openSealedRecord(PATH, SEALED, strict)).toThrow("In it, it is too long.");
  expect(() => openSealedRecord("sdd/waves/1.yaml" as WorkspacePath, SEALED, SHAPE)).toThrow(
    "is not YAML as Tenon writes it",
  );
});
