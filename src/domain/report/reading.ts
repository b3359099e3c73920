export type Reading<T> = { readonly value: T } | { readonly problem: string };

/** Where a runner ran. Its paths are resolved against this. */
export interface Place {
  readonly folder: string;
  /** The same folder relative to the workspace; `.` for the workspace itself. */
  readonly directory: string;
  /** The module path of `go.mod`: Go names import paths instead of files. */
  readonly module?: string | undefined;
}

const LARGEST = 32 * 1024 * 1024;
const MOST_TESTS = 100_000;
const LONGEST_MESSAGE = 2_000;

export const NEVER_ENDED = "It began and never ended.";

/** A working runner does not write that much. */
export function tooLarge(text: string): string | undefined {
  return text.length > LARGEST ? `The report is larger than ${LARGEST / 1024 / 1024} MB.` : undefined;
}

export function tooMany(tests: number): string | undefined {
  return tests > MOST_TESTS ? `The report tells of more than ${MOST_TESTS.toLocaleString("en")} tests.` : undefined;
}

/** The path relative to the workspace; undefined for a path outside. */
export function pathIn(place: Place, reported: string): string | undefined {
  const path = slashed(reported.replace(/^file:\/\/(?:\/(?=[A-Za-z]:))?/, ""));
  if (!/^(?:[A-Za-z]:)?\//.test(path)) return resolved(`${place.directory}/${path}`);
  const folder = slashed(place.folder);
  const root = rootOf(folder, place.directory);
  if (path.startsWith(`${root}/`)) return resolved(path.slice(root.length + 1));
  return path.startsWith(`${folder}/`) ? resolved(`${place.directory}/${path.slice(folder.length + 1)}`) : undefined;
}

const slashed = (path: string): string => path.replaceAll("\\", "/");

const rootOf = (folder: string, directory: string): string =>
  directory !== "." && folder.endsWith(`/${directory}`) ? folder.slice(0, -directory.length - 1) : folder;

function resolved(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? "." : parts.join("/");
}

export const fileIn = (place: Place, reported: string): string => pathIn(place, reported) ?? reported;

// oxlint-disable-next-line no-control-regex -- colours are what it takes out.
const COLOUR = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

export const withoutColours = (said: string): string => said.replace(COLOUR, "");

export function messageOf(place: Place, said: string): string {
  return withoutColours(said.slice(0, 10 * LONGEST_MESSAGE))
    .replaceAll(`${place.folder}/`, "")
    .trim()
    .slice(0, LONGEST_MESSAGE)
    .toWellFormed();
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export function msOf(value: unknown, unit = 1): { ms: number } | Record<string, never> {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? { ms: Math.round(value * unit) } : {};
}

export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Yields lines one by one, so that a large report is not held twice. */
export function* linesOf(text: string): Generator<readonly [line: string, number: number]> {
  let number = 1;
  for (let start = 0; start < text.length; number += 1) {
    const end = text.indexOf("\n", start);
    const stop = end === -1 ? text.length : end;
    yield [text.slice(start, stop).replace(/\r$/, ""), number];
    start = stop + 1;
  }
}
