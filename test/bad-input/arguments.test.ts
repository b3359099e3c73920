import { expect, test } from "vitest";
import { OPERATION_IDS, type ToolJsonSchema } from "#doors/catalogue.ts";
import { isFull, seed } from "../kit/chance.ts";
import { NAMES, NO_COUNTS, NO_LISTS, NO_TEXTS } from "./corpus.ts";
import type { Input, Outcome } from "./doors.ts";
import {
  argumentsWhere,
  chirps,
  GOOD,
  hasTool,
  isInvalid,
  isOneOf,
  nameOf,
  SOUND,
  TEXTS,
  trialGround,
  tryAll,
} from "./trial.ts";

const IDS = new Set(["change_id"]);
const REFERENCES = new Set(["adr", "supersedes", "superseded_by"]);
const PATHS = new Set(["workspace", "reseal", "file"]);
/** Any text is a question, and a blank topic key takes the present one away. */
const TAKES_ANY = new Set(["memory.search query", "memory.update topic_key"]);
const isFreeText = (field: ToolJsonSchema): boolean => field.type === "string" && !field.enum;
const isProse = (field: ToolJsonSchema, name: string, id: string): boolean =>
  isFreeText(field) && !TAKES_ANY.has(`${id} ${name}`) && !IDS.has(name) && !REFERENCES.has(name) && !PATHS.has(name);

/** One rule stands behind many arguments: of those each full run tries all, and others every so manieth. */
const some = <T>(all: readonly T[], every: number): T[] => all.filter((_, i) => isFull || (i + seed) % every === 0);

test.each(argumentsWhere((_, name) => IDS.has(name)))("%s: %s rejects bad ids", async (...argument) => {
  const codes = { bad: "change.bad-id", invalid: "input.invalid", unknown: "change.unknown" };
  const isExpected = (outcome: Outcome, text: unknown) => outcome === codes[nameOf(text)?.asId ?? "bad"];
  expect(await tryAll(argument, TEXTS, isExpected)).toEqual(SOUND);
});

test("spec.validate: id rejects bad ids", async () => {
  const isExpected = (outcome: Outcome, text: unknown) =>
    outcome === (nameOf(text)?.asId === "invalid" ? "input.invalid" : "workflow.bad-id");
  expect(await tryAll(["spec.validate", "id"], TEXTS, isExpected)).toEqual(SOUND);
  expect(await tryAll(["spec.validate", "id"], ["AUTH-999", "BUG-001"], isOneOf("spec.unknown"))).toEqual(SOUND);
});

test.each(argumentsWhere((_, name) => REFERENCES.has(name)))("%s: %s rejects bad references", async (...argument) => {
  const isExpected = (outcome: Outcome, text: unknown) =>
    outcome === (nameOf(text)?.asId === "invalid" ? "input.invalid" : "adr.bad-id");
  expect(await tryAll(argument, TEXTS, isExpected)).toEqual(SOUND);
  const inChanges = NAMES.filter(({ asId }) => asId !== "invalid").map(({ text }) => `${text}/ADR-001`);
  expect(await tryAll(argument, inChanges, isOneOf("adr.bad-id", "change.bad-id", "change.unknown"))).toEqual(SOUND);
});

/** These are paths of folders that are there, and to name one is to mean it. */
const REAL_FOLDERS = new Set([".", ".."]);

test.each(
  some(
    argumentsWhere((_, name) => name === "workspace"),
    5,
  ),
)("%s: %s rejects bad paths", async (...argument) => {
  const paths = TEXTS.filter((text) => !REAL_FOLDERS.has(text));
  const special = ["/proc/self/environ", "/dev/null", "/etc/passwd/x", "/proc/self/fd/0", "file:///etc", "x/../y"];
  const isExpected = isOneOf("input.invalid", "usage.bad-flag", "workspace.missing");
  expect(await tryAll(argument, [...paths, ...special], isExpected)).toEqual(SOUND);
});

test("workspace.doctor: reseal rejects every path but a record's", async () => {
  const inFolder = TEXTS.map((text) => `sdd/changes/${text}/change.json`);
  const special = ["sdd/config.yaml", "sdd/changes/x/../fix-login/change.json", "/sdd/changes/fix-login/change.json"];
  const isExpected = isOneOf("input.invalid", "record.unknown", "change.bad-id");
  const values = [...TEXTS, ...inFolder, ...special];
  expect(await tryAll(["workspace.doctor", "reseal"], values, isExpected)).toEqual(SOUND);
});

test.each(some(argumentsWhere(isProse), 2))("%s: %s rejects text that a file cannot keep", async (...argument) => {
  const refused = NAMES.filter(({ asText }) => asText === "invalid").map(({ text }) => text);
  expect(await tryAll(argument, refused, isInvalid)).toEqual(SOUND);
});

test.each(some(argumentsWhere(isFreeText), 2))("%s: %s rejects everything but text", async (...argument) => {
  expect(await tryAll(argument, NO_TEXTS, isInvalid, ["mcp"])).toEqual(SOUND);
});

test.each(argumentsWhere((field) => field.enum !== undefined))(
  "%s: %s rejects unknown choices",
  async (...argument) => {
    expect(await tryAll(argument, [...TEXTS, ...NO_TEXTS], isInvalid)).toEqual(SOUND);
  },
);

test.each(argumentsWhere((field) => field.type === "boolean"))(
  "%s: %s rejects everything but true and false",
  async (...argument) => {
    expect(await tryAll(argument, ["true", "", 0, 1, null, [], {}], isInvalid, ["mcp"])).toEqual(SOUND);
    expect(await tryAll(argument, ["yes", "1", "TRUE", " "], isOneOf("usage.bad-flag"), ["cli"])).toEqual(SOUND);
  },
);

/** Of these none is the last, so a large one is fine; of the others nothing is fine as well. */
const UNBOUNDED = new Set([
  "id",
  "from_id",
  "to_id",
  "observation_id",
  "max_tokens",
  "older_than_days",
  "total_tasks",
  "snapshot",
  "wave",
  "cap_tokens",
  "cap_usd",
  "tokens",
]);
const FROM_NOTHING = new Set(["before", "after", "depth", "priority", "tokens", "cap_tokens", "cap_usd"]);
const IN_MILLIONS = new Set(["snapshot", "cap_tokens", "tokens"]);

test.each(argumentsWhere((field) => field.type === "integer"))(
  "%s: %s rejects everything but a count",
  async (...argument) => {
    const [, name] = argument;
    const isFine = (value: unknown): boolean =>
      (value === 0 && FROM_NOTHING.has(name)) ||
      (value === 501 && UNBOUNDED.has(name)) ||
      (value === 1e9 && (isId(name) || IN_MILLIONS.has(name)));
    const values = NO_COUNTS.filter((value) => !isFine(value));
    expect(await tryAll(argument, values, isInvalid, ["mcp"])).toEqual(SOUND);
    const numbers = values.filter((value) => typeof value === "number");
    expect(await tryAll(argument, [...numbers, "many", "0x10", "1,5"], isInvalid, ["cli"])).toEqual(SOUND);
  },
);

const isId = (name: string): boolean => name === "id" || name.endsWith("_id");

test.each(argumentsWhere((field, name) => field.type === "integer" && isId(name)))(
  "%s: %s rejects unknown numbers",
  async (...argument) => {
    const isExpected = isOneOf("memory.unknown", "memory.unknown-relation");
    expect(await tryAll(argument, [501, 1e9, Number.MAX_SAFE_INTEGER], isExpected)).toEqual(SOUND);
  },
);

/** Drafts are narrowed by folders, which need no file yet, and by globs and ids. */
const isDraft = (id: string): boolean => id.startsWith("adopt.");

const arePaths = (name: string): boolean => ["files", "paths", "except"].includes(name);

test.each(argumentsWhere((field, name, id) => field.type === "array" && arePaths(name) && !isDraft(id)))(
  "%s: %s rejects everything but a list of paths",
  async (...argument) => {
    const isList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
    const lists = NO_LISTS.filter((value) => !isList(value));
    expect(await tryAll(argument, [...lists, Array(501).fill("a")], isInvalid, ["mcp"])).toEqual(SOUND);
    const paths = ["", "/etc/passwd", "../x", "a/../../x", ".git/config", ".sdd/state.yaml", "a\nb", "x".repeat(2000)];
    const isBad = isOneOf("lock.bad-path");
    expect(
      await tryAll(
        argument,
        paths.map((path) => ["src/a.ts", path]),
        isBad,
        ["mcp"],
      ),
    ).toEqual(SOUND);
  },
);

test.each(argumentsWhere((field, _, id) => field.type === "array" && isDraft(id)))(
  "%s: %s rejects everything but a list of texts",
  async (...argument) => {
    const isList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
    const lists = NO_LISTS.filter((value) => !isList(value));
    const outside = argument[1] === "paths" ? [["/etc"], ["../x"], ["a/../../x"]] : [];
    const bad = [[""], ["a\0b"], ["x".repeat(20_001)], Array<string>(501).fill("a"), ...outside];
    expect(await tryAll(argument, [...lists, ...bad], isInvalid, ["mcp"])).toEqual(SOUND);
  },
);

/** Names of variables; `src/domain/stack/passed.test.ts` tries what is none. */
const areNames = (name: string): boolean => name === "pass";

/** Tasks, features and differences by their names. */
const areTexts = (name: string): boolean => name === "tasks" || name === "names" || name === "apply";

test.each(argumentsWhere((field, name) => field.type === "array" && areTexts(name)))(
  "%s: %s rejects everything but a list of short texts",
  async (...argument) => {
    const isList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
    const lists = NO_LISTS.filter((value) => !isList(value));
    const bad = [[""], ["1", " "], ["a\0b"], ["x".repeat(101)], Array<string>(501).fill("a")];
    expect(await tryAll(argument, [...lists, ...bad], isInvalid, ["mcp"])).toEqual(SOUND);
  },
);

/** Folders on this machine, which only a user names. */
const areFolders = (name: string): boolean => name === "sources";

test.each(argumentsWhere((field, name) => field.type === "array" && areFolders(name)))(
  "%s: %s rejects everything but a list of folders",
  async (...argument) => {
    const isList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
    const lists = NO_LISTS.filter((value) => !isList(value));
    const bad = [[""], [".", " "], ["a\0b"], ["x".repeat(2001)], Array<string>(21).fill(".")];
    expect(await tryAll(argument, [...lists, ...bad], isInvalid, ["mcp"])).toEqual(SOUND);
    const places = ["nowhere", "../nowhere", "a\nb", "x/".repeat(900), "/dev/null", ".git/config"].map((each) => [
      each,
    ]);
    expect(await tryAll(argument, places, isOneOf("import.no-folder"), ["mcp"])).toEqual(SOUND);
    expect(await tryAll(argument, ["nowhere", "1,b", "~"], isOneOf("import.no-folder"), ["cli"])).toEqual(SOUND);
  },
);

const isOtherList = (name: string): boolean =>
  !arePaths(name) && !areNames(name) && !areTexts(name) && !areFolders(name);

test.each(argumentsWhere((field, name, id) => field.type === "array" && isOtherList(name) && !isDraft(id)))(
  "%s: %s rejects everything but a list",
  async (...argument) => {
    expect(await tryAll(argument, NO_LISTS, isInvalid, ["mcp"])).toEqual(SOUND);
    const said = [
      "",
      ",",
      "1,",
      "1,,2",
      "a",
      "1,b",
      "0",
      "-1",
      "1.5",
      "1e3",
      "1 2",
      "1;2",
      "[1]",
      "१",
      "1,".repeat(201),
    ];
    expect(await tryAll(argument, said, isInvalid, ["cli"])).toEqual(SOUND);
  },
);

test.each(OPERATION_IDS)("%s rejects unknown arguments", async (operation) => {
  const doors = await trialGround();
  for (const stranger of ["extra", "Workspace", "__proto__", "constructor", "toString", "x y", "\u001b[2J"]) {
    const input = JSON.parse(`{${JSON.stringify(stranger)}: {"a": 1}}`) as Input;
    const outcome = hasTool(operation) ? await doors.mcp(operation, Object.assign(input, GOOD[operation])) : "none";
    expect([stranger, outcome]).toEqual([stranger, hasTool(operation) ? "input.invalid" : "none"]);
    const said = await doors.cli(
      operation,
      Object.assign(JSON.parse(`{${JSON.stringify(stranger)}: 1}`), GOOD[operation]),
    );
    expect([stranger, said]).toEqual([stranger, "usage.bad-flag"]);
  }
  expect(doors.isTouched()).toBe(false);
});

test("runs no command from the bad input", () => {
  expect(chirps.isAlive()).toBe(true);
});

test("stack.detect: profile rejects unknown profiles", async () => {
  const isExpected = isOneOf("input.invalid", "stack.unknown-profile");
  expect(await tryAll(["stack.detect", "profile"], [...TEXTS, "cobol", "../go"], isExpected)).toEqual(SOUND);
});
