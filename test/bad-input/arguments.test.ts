import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OPERATION_IDS, type OperationId } from "#operations/catalogue.ts";
import type { JsonSchema } from "#operations/surface.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { type Name, NAMES, NO_COUNTS, NO_TEXTS } from "./corpus.ts";
import { canary, type Doors, fingerprint, type Input, openDoors, type Outcome } from "./doors.ts";

/** A call of each operation that would be carried out, were it not for the one argument that is put in its place. */
const GOOD: Readonly<Record<OperationId, Input>> = {
  "workspace.init": {},
  "workspace.status": {},
  "workspace.doctor": {},
  "workspace.validate": {},
  "change.start": { type: "fix", size: "small", description: "Another", concurrent: true },
  "change.advance": { content: "It fails." },
  "change.status": {},
  "change.list": {},
  "change.reopen": { stage: "describe", reason: "Misread" },
  "change.abandon": { reason: "Solved upstream" },
  "change.archive": {},
  "adr.record": { title: "One", context: "Two", decision: "Three", rationale: "Four" },
  "adr.status": { adr: "ADR-0001", status: "deprecated" },
  "adr.list": {},
};

const LISTED = await (async () => {
  using house = testHouse("/nowhere");
  const schemas = OPERATION_IDS.map(async (id) => [id, (await house.house.surface.of(id)).inputSchema] as const);
  return Promise.all(schemas);
})();

const argumentsWhere = (holds: (field: JsonSchema, name: string) => boolean): [OperationId, string][] =>
  LISTED.flatMap(([id, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([name, field]) => holds(field, name))
      .map(([name]): [OperationId, string] => [id, name]),
  );

const IDS = new Set(["change_id"]);
const REFERENCES = new Set(["adr", "supersedes", "superseded_by"]);
const PATHS = new Set(["workspace", "reseal"]);
const isFreeText = (field: JsonSchema): boolean => field.type === "string" && !field.enum;
const isProse = (field: JsonSchema, name: string): boolean =>
  isFreeText(field) && !IDS.has(name) && !REFERENCES.has(name) && !PATHS.has(name);

const chirps = canary();

/** A workspace in which every operation has something to work on. */
async function prepare(root: string): Promise<void> {
  fs.mkdirSync(join(root, "sdd"));
  using doors = openDoors(root);
  await doors.mcp("adr.record", GOOD["adr.record"]);
  await doors.mcp("change.start", { type: "fix", size: "small", description: "Fix login" });
  await doors.mcp("change.advance", { content: "Login fails." });
}

/** Its files are there as soon as somebody means to write; from then on they change only with what is in them. */
const openLedger = (doors: Doors): Promise<Outcome> => doors.mcp("workspace.doctor", { mend: true });

interface Trial {
  /** Values that were not answered as expected, with the door and what it said. */
  readonly strange: readonly unknown[];
  /** Whether a byte of the workspace is another one. */
  readonly isTouched: boolean;
}

const SOUND: Trial = { strange: [], isTouched: false };

/** Puts each bad value in the place of an argument, through both doors where a command line can say it. */
async function tryAll(
  [operation, field]: readonly [OperationId, string],
  values: readonly unknown[],
  isExpected: (outcome: Outcome, value: unknown) => boolean,
  through: readonly ("mcp" | "cli")[] = ["mcp", "cli"],
): Promise<Trial> {
  using folder = temporaryFolder();
  await prepare(folder.path);
  using doors = openDoors(folder.path);
  await openLedger(doors);
  const before = JSON.stringify(fingerprint(folder.path));
  const strange: unknown[] = [];
  // `superseded_by` belongs to a status of its own.
  const good = field === "superseded_by" ? { ...GOOD[operation], status: "superseded" } : GOOD[operation];
  for (const value of values) {
    for (const door of through) {
      const outcome = await doors[door](operation, { ...good, [field]: chirps.in(value) });
      if (outcome !== undefined && !isExpected(outcome, value)) strange.push([door, value, outcome]);
    }
  }
  return { strange, isTouched: JSON.stringify(fingerprint(folder.path)) !== before };
}

const isInvalid = (outcome: Outcome): boolean => outcome === "input.invalid";
const isOneOf =
  (...codes: readonly string[]) =>
  (outcome: Outcome): boolean =>
    codes.includes(outcome);

const TEXTS = NAMES.map(({ text }) => text);
const nameOf = (text: unknown): Name | undefined => NAMES.find((name) => name.text === text);

test.each(argumentsWhere((_, name) => IDS.has(name)))("%s: %s takes no bad id", async (...argument) => {
  const codes = { bad: "change.bad-id", invalid: "input.invalid", unknown: "change.unknown" };
  const isExpected = (outcome: Outcome, text: unknown) => outcome === codes[nameOf(text)?.asId ?? "bad"];
  expect(await tryAll(argument, TEXTS, isExpected)).toEqual(SOUND);
});

test.each(argumentsWhere((_, name) => REFERENCES.has(name)))("%s: %s takes no bad reference", async (...argument) => {
  const isExpected = (outcome: Outcome, text: unknown) =>
    outcome === (nameOf(text)?.asId === "invalid" ? "input.invalid" : "adr.bad-id");
  expect(await tryAll(argument, TEXTS, isExpected)).toEqual(SOUND);
  const inChanges = NAMES.filter(({ asId }) => asId !== "invalid").map(({ text }) => `${text}/ADR-001`);
  expect(await tryAll(argument, inChanges, isOneOf("adr.bad-id", "change.bad-id", "change.unknown"))).toEqual(SOUND);
});

/** These are paths of folders that are there, and to name one is to mean it. */
const REAL_FOLDERS = new Set([".", ".."]);

test.each(argumentsWhere((_, name) => name === "workspace"))("%s: %s takes no bad path", async (...argument) => {
  const paths = TEXTS.filter((text) => !REAL_FOLDERS.has(text));
  const special = ["/proc/self/environ", "/dev/null", "/etc/passwd/x", "/proc/self/fd/0", "file:///etc", "x/../y"];
  const isExpected = isOneOf("input.invalid", "usage.bad-flag", "workspace.missing");
  expect(await tryAll(argument, [...paths, ...special], isExpected)).toEqual(SOUND);
});

test("workspace.doctor: reseal takes no path but that of a record", async () => {
  const inFolder = TEXTS.map((text) => `sdd/changes/${text}/change.json`);
  const special = ["sdd/config.yaml", "sdd/changes/x/../fix-login/change.json", "/sdd/changes/fix-login/change.json"];
  const isExpected = isOneOf("input.invalid", "record.unknown", "change.bad-id");
  const values = [...TEXTS, ...inFolder, ...special];
  expect(await tryAll(["workspace.doctor", "reseal"], values, isExpected)).toEqual(SOUND);
});

test.each(argumentsWhere(isProse))("%s: %s takes no text that a file could not give back", async (...argument) => {
  const refused = NAMES.filter(({ asText }) => asText === "invalid").map(({ text }) => text);
  expect(await tryAll(argument, refused, isInvalid)).toEqual(SOUND);
});

test.each(argumentsWhere(isFreeText))("%s: %s takes nothing but text", async (...argument) => {
  expect(await tryAll(argument, NO_TEXTS, isInvalid, ["mcp"])).toEqual(SOUND);
});

test.each(argumentsWhere((field) => field.enum !== undefined))("%s: %s takes one of its words", async (...argument) => {
  expect(await tryAll(argument, [...TEXTS, ...NO_TEXTS], isInvalid)).toEqual(SOUND);
});

test.each(argumentsWhere((field) => field.type === "boolean"))("%s: %s takes true or false", async (...argument) => {
  expect(await tryAll(argument, ["true", "", 0, 1, null, [], {}], isInvalid, ["mcp"])).toEqual(SOUND);
  expect(await tryAll(argument, ["yes", "1", "TRUE", " "], isOneOf("usage.bad-flag"), ["cli"])).toEqual(SOUND);
});

test.each(argumentsWhere((field) => field.type === "integer"))("%s: %s takes a count", async (...argument) => {
  expect(await tryAll(argument, NO_COUNTS, isInvalid, ["mcp"])).toEqual(SOUND);
  const numbers = NO_COUNTS.filter((value) => typeof value === "number");
  expect(await tryAll(argument, [...numbers, "many", "0x10", "1,5"], isInvalid, ["cli"])).toEqual(SOUND);
});

test.each(OPERATION_IDS)("%s takes no argument that it does not know", async (operation) => {
  using folder = temporaryFolder();
  await prepare(folder.path);
  using doors = openDoors(folder.path);
  await openLedger(doors);
  const before = fingerprint(folder.path);
  for (const stranger of ["extra", "Workspace", "__proto__", "constructor", "toString", "x y", "\u001b[2J"]) {
    const input = JSON.parse(`{${JSON.stringify(stranger)}: {"a": 1}}`) as Input;
    const outcome = await doors.mcp(operation, Object.assign(input, GOOD[operation]));
    expect([stranger, outcome]).toEqual([stranger, "input.invalid"]);
    const said = await doors.cli(
      operation,
      Object.assign(JSON.parse(`{${JSON.stringify(stranger)}: 1}`), GOOD[operation]),
    );
    expect([stranger, said]).toEqual([stranger, "usage.bad-flag"]);
  }
  expect(fingerprint(folder.path)).toEqual(before);
});

test("nothing of it was ever run", () => {
  expect(chirps.isAlive()).toBe(true);
});
