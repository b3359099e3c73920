import type { Coverage, CoverageFormat } from "./coverage.ts";
import { isObject, linesOf, objectIn, pathIn, type Place, type Reading, tooLarge } from "./reading.ts";

/** A line that ran once counts as run, whatever later records report. */
class Lines {
  readonly files = new Map<string, Map<number, boolean>>();
  readonly place: Place;
  #count = 0;

  constructor(place: Place) {
    this.place = place;
  }

  of(reported: string): Map<number, boolean> | undefined {
    const path = pathIn(this.place, reported);
    if (path === undefined) return undefined;
    const known = this.files.get(path) ?? new Map<number, boolean>();
    this.files.set(path, known);
    return known;
  }

  add(file: Map<number, boolean> | undefined, line: number, isRun: boolean): void {
    if (!Number.isSafeInteger(line) || line < 1) throw new Unreadable("The coverage names a line that is no number.");
    if ((this.#count += 1) > MOST_LINES) throw new Unreadable("The coverage tells of too many lines.");
    file?.set(line, isRun || file.get(line) === true);
  }
}

class Unreadable extends Error {}

const MOST_LINES = 2_000_000;

const READERS: Readonly<Record<CoverageFormat, (text: string, lines: Lines) => void>> = {
  lcov: readLcov,
  "istanbul-json": readIstanbul,
  "coverage-py-json": readCoveragePy,
  "go-cover": readGoCover,
};

export function readCoverage(format: CoverageFormat, text: string, place: Place): Reading<Coverage> {
  const problem = tooLarge(text);
  if (problem !== undefined) return { problem };
  const lines = new Lines(place);
  try {
    READERS[format](text, lines);
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
  return { value: lines.files };
}

function readLcov(text: string, lines: Lines): void {
  let file: Map<number, boolean> | undefined;
  let isOpen = false;
  for (const [line, number] of linesOf(text)) {
    if (line.startsWith("SF:")) {
      if (isOpen) throw new Unreadable(`Line ${number} begins a file before the last one ended.`);
      file = lines.of(line.slice(3).trim());
      isOpen = true;
    } else if (line.startsWith("DA:")) {
      const found = /^DA:(\d{1,9}),(-?\d{1,20})(?:,|$)/.exec(line);
      if (!found || !isOpen) throw new Unreadable(`Line ${number} is no line of lcov.`);
      lines.add(file, Number(found[1]), Number(found[2]) > 0);
    } else if (line.trim() === "end_of_record") isOpen = false;
  }
  if (isOpen) throw new Unreadable("The coverage ends early.");
}

/** Counts lines as istanbul does: a statement belongs to its first line. */
function readIstanbul(text: string, lines: Lines): void {
  const all = objectIn(text);
  if (!all) throw new Unreadable("The coverage is no whole JSON object.");
  for (const [path, told] of Object.entries(all)) {
    const { statementMap, s: counts } = isObject(told) ? told : {};
    if (!isObject(statementMap) || !isObject(counts)) throw new Unreadable("The coverage is not istanbul's.");
    const file = lines.of(path);
    for (const [id, statement] of Object.entries(statementMap)) {
      const start = isObject(statement) && isObject(statement["start"]) ? statement["start"]["line"] : undefined;
      const count = Object.hasOwn(counts, id) ? counts[id] : undefined;
      if (typeof start !== "number" || typeof count !== "number")
        throw new Unreadable("The coverage is not istanbul's.");
      lines.add(file, start, count > 0);
    }
  }
}

function readCoveragePy(text: string, lines: Lines): void {
  const files = objectIn(text)?.["files"];
  if (!isObject(files)) throw new Unreadable("The coverage is no whole JSON object with `files`.");
  for (const [path, told] of Object.entries(files)) {
    const { executed_lines: run, missing_lines: missed } = isObject(told) ? told : {};
    if (!Array.isArray(run) || !Array.isArray(missed)) throw new Unreadable("The coverage is not coverage.py's.");
    const file = lines.of(path);
    for (const line of run as unknown[]) lines.add(file, Number(line), true);
    for (const line of missed as unknown[]) lines.add(file, Number(line), false);
  }
}

const LONGEST_BLOCK = 50_000;
const GO_BLOCK = /^(.{1,4000}):(\d{1,7})\.\d{1,7},(\d{1,7})\.\d{1,7} \d{1,7} (\d{1,20})$/;

function readGoCover(text: string, lines: Lines): void {
  const { module } = lines.place;
  if (module === undefined)
    throw new Unreadable("Go's coverage names packages, and the module in go.mod is not known.");
  for (const [line, number] of linesOf(text)) {
    if (number === 1 ? /^mode: \w+$/.test(line) : line === "") continue;
    const [, path = "", first, last, count] = (number > 1 && GO_BLOCK.exec(line)) || [];
    if (path === "") throw new Unreadable(`Line ${number} is no line of a Go cover profile.`);
    if (Number(last) - Number(first) > LONGEST_BLOCK) throw new Unreadable(`Line ${number} tells of too long a block.`);
    const file = path.startsWith(`${module}/`) ? lines.of(path.slice(module.length + 1)) : undefined;
    for (let at = Number(first); at <= Number(last); at += 1) lines.add(file, at, Number(count) > 0);
  }
}
