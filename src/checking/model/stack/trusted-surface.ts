import * as z from "zod/mini";
import { compareTexts, formatExactWord, quote } from "#kernel/model/text-format.ts";
import { type Config, DEFAULT_CONFIG, readCommandWords } from "#kernel/model/workspace-config.ts";
import type { CommandInvocation } from "#kernel/model/shell-command.ts";
import type { StackCheck, FolderStack } from "./stack-check.ts";
import { STACK_FOLDER } from "#kernel/model/workspace-paths.ts";
import { Fault } from "#kernel/model/fault.ts";

const textList = z.readonly(z.array(z.string()));

/** Everything that could run in a repository, as shown to the user for approval. */
const TrustedSurface = z.object({
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** The exact commands with their folders, one per line. */
  commands: textList,
  /** Gate settings that differ from the defaults, one per line: a waived check and the reason. */
  settings: textList,
  files: z.readonly(z.array(z.object({ path: z.string(), hash: z.string() }))),
});
export type TrustedSurface = Readonly<z.output<typeof TrustedSurface>>;

/** The user's permission to run a surface, and the variables that checks may see. */
export const TrustGrant = z.object({
  surface: TrustedSurface,
  at: z.string(),
  passes: textList,
  /** `typed` by a person in a terminal, or `unattended`, as in a pipeline. Missing in older grants. */
  proof: z.exactOptional(z.enum(["typed", "unattended"])),
});
export type TrustGrant = Readonly<z.output<typeof TrustGrant>>;

/** Prefix of the hashed text, so that a later format never produces the same hash. */
const SURFACE_FORMAT = "tenon surface 1\n";

/** The order of the definitions does not matter. Invalid definitions do not run and are not included. */
export function createTrustedSurface(
  { stacks, gates, control, programs }: Omit<CheckDefinitions, "problems">,
  digest: (text: string) => string,
): TrustedSurface {
  const whole = {
    // Includes each stack as a whole, so that fields added later are hashed too.
    stacks: sortCanonically(
      stacks.map((stack) => ({
        ...omitAdvice(stack),
        checks: sortCanonically(stack.checks.map(omitAdvice)),
        test_files: sortCanonically(stack.test_files),
        source_files: sortCanonically(stack.source_files),
        borrowed: sortCanonically(stack.borrowed),
      })),
    ),
    gates,
    control: sortCanonically(control.map(({ path, part = "", hash }) => ({ path, part, hash }))),
    ...(programs === undefined ? {} : { programs }),
  };
  const own = new Set(control.map(({ path }) => path));
  const commands = stacks.flatMap(({ directory, profile, checks, clean }) => [
    ...checks.flatMap((check) => formatCheckCommands(directory, check)),
    ...(clean && own.has(`${STACK_FOLDER}/${profile}.yaml`)
      ? clean.commands.map((line) => `${formatExactWord(clean.directory)}: install [clean clone] $ ${line}`)
      : []),
  ]);
  for (const [purpose, argv] of Object.entries(programs ?? {}))
    commands.push(`${purpose} $ ${formatExactCommand({ argv })}`);
  const { waived, ...others } = gates;
  const { gates: usual } = DEFAULT_CONFIG;
  const settings = [
    ...Object.entries(waived).map(([check, why]) => `gates.waived ${formatExactWord(check)}: ${formatExactWord(why)}`),
    ...Object.entries(others)
      .filter(([name, value]) => value !== usual[name as keyof typeof usual])
      .map(([name, value]) => `gates.${name}: ${formatSurfaceValue(value)}`),
  ];
  return {
    hash: digest(SURFACE_FORMAT + formatSurfaceJson(whole)),
    commands: commands.toSorted(),
    settings: settings.toSorted(),
    files: control
      .map((file) => ({ path: formatControlName(file), hash: file.hash }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/**
 * How to install a tool, and advice on tools that a project lacks, change nothing about what gates run. A profile of the
 * repository is a control file, so the commands with which it fills a clean clone are trusted with it.
 */
function omitAdvice<
  T extends { readonly install?: string | undefined; readonly missing?: unknown; readonly clean?: unknown },
>(part: T): Omit<T, "install" | "missing" | "clean"> {
  const { install: _, missing: __, clean: ___, ...rest } = part;
  return rest;
}

export type SurfaceDifference = ReturnType<typeof compareTrustedSurfaces>;

/** A file in both surfaces with a different hash counts as changed. */
export function compareTrustedSurfaces(before: TrustedSurface, after: TrustedSurface) {
  const listPaths = ({ files }: TrustedSurface): string[] => files.map(({ path }) => path);
  const old = new Map(before.files.map(({ path, hash }) => [path, hash]));
  const isChanged = ({ path, hash }: TrustedSurface["files"][number]): boolean => (old.get(path) ?? hash) !== hash;
  return {
    commands: compareLines(before.commands, after.commands),
    settings: compareLines(before.settings, after.settings),
    files: {
      ...compareLines(listPaths(before), listPaths(after)),
      changed: after.files.filter(isChanged).map(({ path }) => path),
    },
  };
}

const compareLines = (before: readonly string[], after: readonly string[]) => ({
  added: after.filter((line) => !before.includes(line)),
  removed: before.filter((line) => !after.includes(line)),
});

/** Whether it runs no command and changes no gate setting. */
export const isIdleSurface = ({ commands, settings }: TrustedSurface): boolean =>
  commands.length + settings.length === 0;

export const formatControlName = ({ path, part }: Pick<ControlFile, "path" | "part">): string =>
  part === undefined ? formatExactWord(path) : `${formatExactWord(path)} (${formatExactWord(part)})`;

/** The command comes last: everything after `$` belongs to it. */
function formatCheckCommands(directory: string, check: StackCheck): string[] {
  const { kind, tool, run, fix, only, install: _, ...judged } = check;
  const where = `${formatExactWord(directory)}: ${kind} ${formatExactWord(tool)}`;
  const how = Object.entries(judged)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${formatSurfaceValue(value)}`);
  return [
    `${where} [${how.join(" ")}] $ ${formatExactCommand(run)}`,
    ...(only === undefined ? [] : [`${where} [some tests] $ ${formatExactCommand({ argv: only })}`]),
    ...(fix === undefined ? [] : [`${where} [fix] $ ${formatExactCommand(fix)}`]),
  ];
}

const formatExactCommand = (run: CommandInvocation): string =>
  ("argv" in run ? run.argv : ["sh", "-c", run.shell]).map(formatExactWord).join(" ");

function formatSurfaceValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatSurfaceWord).join(",");
  if (typeof value !== "object" || value === null) return formatSurfaceWord(value);
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${formatExactWord(name)}:${formatSurfaceWord(inner)}`)
    .join(",");
}

const formatSurfaceWord = (value: unknown): string =>
  formatExactWord(typeof value === "string" ? value : formatSurfaceJson(value));

function sortCanonically<T>(list: readonly T[]): T[] {
  const keyed = list.map((each) => [formatSurfaceJson(each), each] as const);
  return keyed.toSorted(([a], [b]) => compareTexts(a, b)).map(([, each]) => each);
}

function formatSurfaceJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A file, or part of one, that decides how a check behaves: a script, a rule set, the settings of a runner. */
export interface ControlFile {
  readonly path: string;
  readonly hash: string;
  /** The relevant part, if it is not the whole file: `scripts`. */
  readonly part?: string;
  readonly shown?: readonly string[];
}

export interface CheckDefinitions {
  readonly stacks: readonly FolderStack[];
  readonly gates: Config["gates"];
  readonly control: readonly ControlFile[];
  /** Commands of the settings that `tenon run` starts, by purpose. Undefined if there are none. */
  readonly programs?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Problems in profiles or settings. Invalid parts do not run. */
  readonly problems: readonly string[];
}

/** The commands that `tenon run` starts for these settings, by the purpose that `tenon trust` shows. */
export function listRunPrograms({ run, worktree }: Pick<Config, "run" | "worktree">): CheckDefinitions["programs"] {
  const agents = Object.entries(run.commands).map(
    ([name, command]) => [formatAgentPurpose(name), readCommandWords(command)] as const,
  );
  const setup = worktree.setup.length === 0 ? [] : [[SETUP_PURPOSE, worktree.setup] as const];
  return agents.length + setup.length === 0 ? undefined : Object.fromEntries([...agents, ...setup]);
}

const formatAgentPurpose = (name: string): string => `agent ${name}`;
export const SETUP_PURPOSE = "worktree setup";

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
/** Environment variables that change what a program loads or runs. */
const STEERING_VARIABLES = [
  /^(?:LD|DYLD|GIT|TENON|BASH_FUNC|NPM_CONFIG|YARN|PNPM|CARGO|RUSTC?|RUSTUP|UV|PIP)_/i,
  /PATH(?:EXT)?$|(?:OPTIONS?|OPTS?|FLAGS|ADDOPTS|ARGS|WRAPPER|PRELOAD|STARTUP|PRELOADS|PLUGINS?|LOADER|TOOLCHAIN)$/i,
  /^(?:ENV|BASH_ENV|ZDOTDIR|SHELL|SHELLOPTS|BASHOPTS|IFS|PS4|PROMPT_COMMAND|COMSPEC|HOME|TMPDIR|TEMP|TMP)$/i,
  /^(?:PYTHON(?:HOME|INSPECT|BREAKPOINT|USERBASE|EXECUTABLE)|PERL5(?:LIB|DB)|RUBYLIB|GOENV|GOROOT|JAVA_HOME)$/i,
  /^(?:EDITOR|VISUAL|PAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|CC|CXX|LD|AR|MAKE|NODE|NODE_ENV_FILE)$/i,
];

/** Names of the user's variables that checks may see. Values never appear here. */
export function validatePassedVariables(names: readonly string[]): string[] {
  for (const name of names) {
    const isName = VARIABLE_NAME.test(name);
    if (isName && !STEERING_VARIABLES.some((pattern) => pattern.test(name))) continue;
    throw new Fault("trust.bad-variable", {
      what: `${quote(name, 60)} is not passed to checks.`,
      why: isName
        ? "It changes what programs load or run, so checks get their own value."
        : "It is not the name of a variable.",
      fix: "Name variables that only hold a value, such as: tenon trust --pass DATABASE_URL",
    });
  }
  return [...new Set(names)].toSorted();
}
