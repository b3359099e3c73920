import { formatExactWord } from "../quote.ts";
import { type Config, DEFAULT_CONFIG } from "../workspace/config.ts";
import type { Check, Invocation } from "./check.ts";
import type { ControlFile, Definitions } from "./definitions.ts";

/** Everything that could run in a repository, as shown to the user for approval. */
export interface TrustedSurface {
  readonly hash: string;
  /** The exact commands with their folders, one per line. */
  readonly commands: readonly string[];
  /** Gate settings that differ from the defaults, one per line: a waived check and the reason. */
  readonly settings: readonly string[];
  readonly files: readonly { readonly path: string; readonly hash: string }[];
}

/** A file in both surfaces with a different hash counts as changed. */
export interface SurfaceDifference {
  readonly commands: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly settings: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly files: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
}

/** Prefix of the hashed text, so that a later format never produces the same hash. */
const FORM = "tenon surface 1\n";

/** The order of the definitions does not matter. Invalid definitions do not run and are not included. */
export function surfaceOf(
  { stacks, gates, control }: Pick<Definitions, "stacks" | "gates" | "control">,
  digest: (text: string) => string,
): TrustedSurface {
  const whole = {
    // Includes each stack as a whole, so that fields added later are hashed too.
    stacks: inOrder(
      stacks.map((stack) => ({
        ...stack,
        checks: inOrder(stack.checks),
        test_files: inOrder(stack.test_files),
        source_files: inOrder(stack.source_files),
        borrowed: inOrder(stack.borrowed),
      })),
    ),
    gates,
    control: inOrder(control.map(({ path, part = "", hash }) => ({ path, part, hash }))),
  };
  const commands = stacks.flatMap(({ directory, checks }) => checks.flatMap((check) => linesOf(directory, check)));
  return {
    hash: digest(FORM + canonical(whole)),
    commands: commands.toSorted(),
    settings: settingsOf(gates).toSorted(),
    files: control
      .map((file) => ({ path: nameOf(file), hash: file.hash }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

export function differenceOf(before: TrustedSurface, after: TrustedSurface): SurfaceDifference {
  const [old, now] = [before, after].map(({ files }) => new Map(files.map(({ path, hash }) => [path, hash])));
  const paths = (from: TrustedSurface, holds: (path: string) => boolean): string[] =>
    from.files.map(({ path }) => path).filter(holds);
  return {
    commands: { added: without(after.commands, before.commands), removed: without(before.commands, after.commands) },
    settings: { added: without(after.settings, before.settings), removed: without(before.settings, after.settings) },
    files: {
      added: paths(after, (path) => old?.get(path) === undefined),
      removed: paths(before, (path) => now?.get(path) === undefined),
      changed: paths(after, (path) => (old?.get(path) ?? now?.get(path)) !== now?.get(path)),
    },
  };
}

/** Whether it runs no command and changes no gate setting. */
export const isIdle = ({ commands, settings }: TrustedSurface): boolean => commands.length + settings.length === 0;

export const nameOf = ({ path, part }: Pick<ControlFile, "path" | "part">): string =>
  part === undefined ? formatExactWord(path) : `${formatExactWord(path)} (${formatExactWord(part)})`;

/** The command comes last: everything after `$` belongs to it. */
function linesOf(directory: string, check: Check): string[] {
  const { kind, tool, run, fix, ...judged } = check;
  const where = `${formatExactWord(directory)}: ${kind} ${formatExactWord(tool)}`;
  const how = Object.entries(judged)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${shown(value)}`);
  return [
    `${where} [${how.join(" ")}] $ ${commandOf(run)}`,
    ...(fix === undefined ? [] : [`${where} [fix] $ ${commandOf(fix)}`]),
  ];
}

const commandOf = (run: Invocation): string =>
  ("argv" in run ? run.argv : ["sh", "-c", run.shell]).map(formatExactWord).join(" ");

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordOf).join(",");
  if (typeof value !== "object" || value === null) return wordOf(value);
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${formatExactWord(name)}:${wordOf(inner)}`)
    .join(",");
}

const wordOf = (value: unknown): string => formatExactWord(typeof value === "string" ? value : canonical(value));

function settingsOf({ waived, ...others }: Config["gates"]): string[] {
  const { gates: usual } = DEFAULT_CONFIG;
  return [
    ...Object.entries(waived).map(
      ([check, why = ""]) => `gates.waived ${formatExactWord(check)}: ${formatExactWord(why)}`,
    ),
    ...Object.entries(others)
      .filter(([name, value]) => value !== usual[name as keyof typeof usual])
      .map(([name, value]) => `gates.${name}: ${shown(value)}`),
  ];
}

const without = (all: readonly string[], those: readonly string[]): string[] =>
  all.filter((each) => !those.includes(each));

function inOrder<T>(list: readonly T[]): T[] {
  const keyed = list.map((each) => [canonical(each), each] as const);
  return keyed.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, each]) => each);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
