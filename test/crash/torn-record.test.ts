import fs from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder, type TemporaryFolder } from "../kit/folder.ts";
import type { TestHouse } from "../kit/house.ts";
import { differences, picture } from "./picture.ts";
import { houseIn, prepare, SCENARIOS } from "./scenario.ts";
import { isFull, sample, seed } from "./tier.ts";

const ID = "fix-the-empty-search";
const PATH = `sdd/changes/${ID}/change.json`;
const SECTOR = 512;

/** Every command that would have to read the record in order to write. */
const WRITERS: readonly (readonly string[])[] = [
  ["change", "start", "Another", "--type=fix", "--size=small"],
  ["change", "start", "Another", "--type=fix", "--size=small", "--concurrent"],
  ["change", "advance", "--content=Searching for blanks crashes."],
  ["change", "advance", "--change-id", ID, "--content=Searching for blanks crashes."],
  ["change", "reopen", ID, "--stage=describe", "--reason=Misread"],
  ["change", "abandon", ID, "--reason=Misread"],
  ["change", "archive", ID],
  ["adr", "record", "Answer", "--context=A", "--decision=B", "--rationale=C"],
];

let folder: TemporaryFolder;
let house: TestHouse;
let place: string;
let whole: Buffer;

beforeAll(async () => {
  folder = temporaryFolder();
  const root = join(folder.path, "work");
  const [advance] = SCENARIOS;
  if (advance) await prepare(advance, root);
  house = houseIn(root);
  place = join(root, PATH);
  whole = fs.readFileSync(place);
});

afterAll(() => {
  house[Symbol.dispose]();
  folder[Symbol.dispose]();
});

describe(`a damaged record (TENON_SEED=${seed})`, () => {
  test("is detected wherever it is cut", { timeout: 600_000 }, async () => {
    expect(await unnoticed(everyByte((at) => whole.subarray(0, at)))).toEqual([]);
  });

  test("is detected for any flipped bit", { timeout: 600_000 }, async () => {
    const bits = isFull ? [0, 1, 2, 3, 4, 5, 6, 7] : [undefined];
    for (const bit of bits) expect(await unnoticed(everyByte((at) => flipped(at, bit ?? (at + seed) % 8)))).toEqual([]);
  });

  test("is detected when a sector is lost", async () => {
    const starts = Array.from({ length: Math.ceil(whole.length / SECTOR) }, (_, i) => i * SECTOR);
    const blanked = (at: number): Buffer => Buffer.from(whole).fill(0, at, Math.min(at + SECTOR, whole.length));
    expect(await unnoticed(starts.map(blanked))).toEqual([]);
  });

  test("is reported by every reader, stops every writer and is repaired by none", { timeout: 600_000 }, async () => {
    const damages = [...everyByte((at) => whole.subarray(0, at)), ...everyByte((at) => flipped(at, (at + seed) % 8))];
    for (const bytes of sample(damages.filter(isDamage), 61)) {
      fs.writeFileSync(place, bytes);
      const before = picture(join(folder.path, "work"));
      const told = await readersTell();
      const stopped: (string | undefined)[] = [];
      for (const words of WRITERS) stopped.push(await getFault(words));
      const touched = differences(before, picture(join(folder.path, "work")));
      expect({ text: bytes.toString(), told, stopped, touched, bytes: fs.readFileSync(place) }).toEqual({
        text: bytes.toString(),
        told: { status: [PATH], list: [PATH], validate: [3, [PATH]], doctor: [3, true] },
        stopped: WRITERS.map(() => "record.corrupt"),
        touched: [],
        bytes,
      });
    }
  });
});

/** The damages, if they change the meaning at all, that `change status` does not answer with the fault for them. */
async function unnoticed(damages: readonly Buffer[]): Promise<string[]> {
  const missed: string[] = [];
  for (const bytes of damages) {
    fs.writeFileSync(place, bytes);
    const code = await getFault(["change", "status", ID]);
    if (code !== (isDamage(bytes) ? "record.corrupt" : undefined)) missed.push(`${code}: ${bytes.toString("latin1")}`);
  }
  return missed;
}

function isDamage(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return !isDeepStrictEqual(JSON.parse(text), JSON.parse(whole.toString()));
  } catch {
    return true;
  }
}

async function getFault(words: readonly string[]): Promise<string | undefined> {
  const { code, err } = await house.run(...words, "--json");
  return code === 1 ? (JSON.parse(err) as { error: { code: string } }).error.code : undefined;
}

async function readersTell(): Promise<Record<string, unknown>> {
  const pathsIn = (found: readonly { path: string }[]): string[] => found.map(({ path }) => path);
  const status = await house.run("status", "--json");
  const list = await house.run("change", "list", "--json");
  const validate = await house.run("validate", "--json");
  const doctor = await house.run("doctor", "--json");
  return {
    status: pathsIn((JSON.parse(status.out) as { damaged: { path: string }[] }).damaged),
    list: pathsIn((JSON.parse(list.out) as { damaged: { path: string }[] }).damaged),
    validate: [validate.code, pathsIn((JSON.parse(validate.out) as { problems: { path: string }[] }).problems)],
    doctor: [doctor.code, doctor.out.includes(PATH)],
  };
}

const everyByte = (damage: (at: number) => Buffer): Buffer[] => Array.from(whole.keys(), damage);

function flipped(at: number, bit: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  return bytes;
}
