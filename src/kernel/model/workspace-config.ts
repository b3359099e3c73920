import * as z from "zod/mini";
import { CHANGE_STAGES } from "./stages/change-stages.ts";
import { Fault } from "./fault.ts";
import { isPlainObject } from "./plain-object.ts";
import { formatUnknownKey } from "./text-format.ts";
import { CONFIG_PATH } from "./workspace-paths.ts";

/** Checks that gates run and a workspace may waive. Defined here because every command reads the settings. */
export const COMMAND_CHECKS = [
  "tests",
  "lint",
  "types",
  "format",
  "build",
  "tags",
  "criteria",
  "shortcuts",
  "coverage",
  "tests-kept",
  "tests-seen-to-fail",
  "regression-seen-to-fail",
  "mutation-check",
  "drift",
  "documentation",
] as const;
export type CommandCheck = (typeof COMMAND_CHECKS)[number];

/** `auto` asks for proof where a client can give it. `relayed` accepts the agent's word everywhere, `proven` never. */
export const APPROVAL_SETTINGS = ["auto", "relayed", "proven"] as const;

const FLAG_PROBLEM = "must be true or false";
const NAME_PROBLEM = "must be a name";
const PERCENT_PROBLEM = "must be a number from 0 to 100";
const MINUTES_PROBLEM = "must be a whole number from 1 to 1440";
const BRANCH_PROBLEM = "must be current or the name of a branch, such as roadmap/{wave} or feature/{feature}";
const CONSENSUS_PROBLEM = "must be a whole number from 1 to 5";
const LANGUAGE_PROBLEM = "must be a language tag, such as en or pt-BR";

const WordList = z.custom<readonly string[]>(
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string" && item.trim() !== ""),
  "must be a list of words",
);
const WaiverReason = z.custom<string>(
  (value) => typeof value === "string" && /\p{L}/u.test(value) && !/^<.*>$/.test(value.trim()),
  "must be a reason",
);
const StackDirectories = z.custom<Readonly<Record<string, string>>>(
  (value) =>
    isPlainObject(value) &&
    Object.entries(value).every(([folder, id]) => isWorkspaceFolder(folder) && typeof id === "string" && id !== ""),
  "must name a profile for each folder, such as { web: typescript-react }",
);

const RunAgents = z.custom<Readonly<Record<string, string>>>(
  (value) => isPlainObject(value) && Object.values(value).every((name) => typeof name === "string" && name !== ""),
  "must name an agent for each role, such as { builder: codex, default: claude }",
);
const isWordList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string" && word !== "");
/** A program that reads a task and prints a report, or one that speaks the Agent Client Protocol. */
export type RunCommand = readonly string[] | { readonly command: readonly string[]; readonly protocol: "acp" };
const isRunCommand = (value: unknown): value is RunCommand =>
  isWordList(value) ||
  (isPlainObject(value) &&
    isWordList(value["command"]) &&
    value["protocol"] === "acp" &&
    Object.keys(value).length === 2);
export const readCommandWords = (command: RunCommand): readonly string[] =>
  "protocol" in command ? command.command : command;
const RunCommands = z.custom<Readonly<Record<string, RunCommand>>>(
  (value) =>
    isPlainObject(value) &&
    Object.entries(value).every(([name, command]) => /^[\w.-]{1,40}$/.test(name) && isRunCommand(command)),
  "must name a command as a list of words for each agent, such as { mine: [my-agent, --headless] }, or { mine: { command: [my-agent, acp], protocol: acp } }",
);
const SetupCommand = z.custom<readonly string[]>(
  (value) => Array.isArray(value) && (value.length === 0 || isWordList(value)),
  "must be a command as a list of words, such as [npm, ci]",
);

/** What git accepts as the name of a branch, with `{wave}` and `{feature}` in it. */
const isBranchPattern = (text: string): boolean =>
  /^(?!-)[\w.+@/-]+$/.test(text.replace(/\{(?:wave|feature)\}/g, "x")) &&
  !/\.\.|\/\/|(?:^|\/)\.|\.(?:lock)?(?:\/|$)|^\/|\/$|^HEAD$|^@$/.test(text);

/** Unknown keys are problems. An empty section means its defaults. */
const createSection = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.pipe(
    z.transform((value: unknown) => value ?? {}),
    z.strictObject(shape, {
      error: ({ code }) => (code === "unrecognized_keys" ? Object.keys(shape).join(", ") : "must be a mapping"),
    }),
  );

const createOptionalFields = <Key extends string, Field extends z.core.$ZodType>(keys: readonly Key[], field: Field) =>
  Object.fromEntries(keys.map((key) => [key, z.exactOptional(field)])) as Record<Key, z.ZodMiniExactOptional<Field>>;

const ConfigSchema = createSection({
  version: z.optional(z.literal(1, "must be 1")),
  changes: createSection({ headings: createSection(createOptionalFields(CHANGE_STAGES, WordList)) }),
  memory: createSection({
    enabled: z._default(z.boolean(FLAG_PROBLEM), true),
    /** Name of the project in memory. Empty means the name of its remote or folder. */
    project: z._default(z.string(NAME_PROBLEM).check(z.maxLength(100, NAME_PROBLEM), z.trim()), ""),
  }),
  gates: createSection({
    waived: createSection(createOptionalFields<string, typeof WaiverReason>(COMMAND_CHECKS, WaiverReason)),
    /** Percent of the changed lines that tests must cover. */
    coverage: z._default(
      z.number(PERCENT_PROBLEM).check(z.minimum(0, PERCENT_PROBLEM), z.maximum(100, PERCENT_PROBLEM)),
      90,
    ),
    /** Retries every failure, not only failures that may pass on a second run. */
    retry_all: z._default(z.boolean(FLAG_PROBLEM), false),
    /** Requires mutation checks: tests must fail when the code is wrong. */
    mutation_check: z._default(z.boolean(FLAG_PROBLEM), false),
  }),
  stack: createSection({
    /** Stack profile of each folder. `.` is the workspace itself. Other folders are detected. */
    directories: z._default(StackDirectories, {}),
    primary: z._default(z.string("must be the id of a profile"), ""),
  }),
  approvals: z._default(z.enum(APPROVAL_SETTINGS, "must be auto, relayed or proven"), "auto"),
  mcp: createSection({ toolsets: z._default(WordList, ["default"]) }),
  sessions: createSection({
    after_compact: z._default(z.enum(["wait", "continue"], "must be wait or continue"), "wait"),
  }),
  /** Agents that `tenon run` starts. */
  run: createSection({
    /** An agent and its model for a role, a group of roles such as `inspector`, or `default`. */
    agents: z._default(RunAgents, {}),
    /** Agents besides the known ones. Each gets the brief as its input and prints its report. */
    commands: z._default(RunCommands, {}),
    minutes: z._default(
      z.int(MINUTES_PROBLEM).check(z.minimum(1, MINUTES_PROBLEM), z.maximum(1_440, MINUTES_PROBLEM)),
      60,
    ),
    silence_minutes: z._default(
      z.int(MINUTES_PROBLEM).check(z.minimum(1, MINUTES_PROBLEM), z.maximum(1_440, MINUTES_PROBLEM)),
      15,
    ),
  }),
  worktree: createSection({
    /** Prepares the worktree of an agent before the agent starts: a command that installs packages. */
    setup: z._default(SetupCommand, []),
  }),
  roadmap: createSection({
    /** Minutes after which an assigned action without a report is offered again. */
    lost_after_minutes: z._default(
      z.int(MINUTES_PROBLEM).check(z.minimum(1, MINUTES_PROBLEM), z.maximum(1_440, MINUTES_PROBLEM)),
      120,
    ),
    /** `current`, or the name of the branch that an offered commit belongs on. */
    branch: z._default(z.string(BRANCH_PROBLEM).check(z.refine(isBranchPattern, BRANCH_PROBLEM)), "current"),
    /** Inspectors for each view of a review. */
    consensus: z._default(
      z.int(CONSENSUS_PROBLEM).check(z.minimum(1, CONSENSUS_PROBLEM), z.maximum(5, CONSENSUS_PROBLEM)),
      1,
    ),
    language: z._default(
      z.string(LANGUAGE_PROBLEM).check(z.regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/, LANGUAGE_PROBLEM)),
      "en",
    ),
  }),
});

export type Config = Omit<z.infer<typeof ConfigSchema>, "version">;

/** Settings under an earlier name still work: the mutation check was called `bite`. */
function renameFormerKeys(value: unknown): unknown {
  if (!isPlainObject(value) || !isPlainObject(value["gates"])) return value;
  const { bite, waived, ...gates } = value["gates"];
  const { bite: reason, ...others } = isPlainObject(waived) ? waived : {};
  const reasons = isPlainObject(waived)
    ? { ...others, ...(reason === undefined ? {} : { "mutation-check": reason }) }
    : waived;
  return {
    ...value,
    gates: { ...gates, waived: reasons, ...(bite === undefined ? {} : { mutation_check: bite }) },
  };
}

export function parseWorkspaceConfig(value: unknown): Config {
  const { data, error } = z.safeParse(ConfigSchema, renameFormerKeys(value), { jitless: true });
  if (data) {
    const { version: _, ...config } = data;
    return config;
  }
  throw new Fault("config.invalid", {
    what: `${CONFIG_PATH} cannot be used.`,
    why: `${sortUnknownKeysFirst(error.issues).flatMap(formatConfigIssue).join("; ")}.`,
    fix: `Fix ${CONFIG_PATH}; Tenon's docs/guide/configuration.md lists every key.`,
  });
}

export const DEFAULT_CONFIG: Config = parseWorkspaceConfig({});

/** Unknown keys of a section come before the problems inside it. */
function sortUnknownKeysFirst(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const sorted: z.core.$ZodIssue[] = [];
  for (const issue of issues) {
    const isInside = ({ path }: z.core.$ZodIssue): boolean => issue.path.every((part, i) => path[i] === part);
    const at = issue.code === "unrecognized_keys" ? sorted.findIndex(isInside) : -1;
    sorted.splice(at < 0 ? sorted.length : at, 0, issue);
  }
  return sorted;
}

function formatConfigIssue(issue: z.core.$ZodIssue): string[] {
  const name = issue.path.join(".") || "the file";
  if (issue.code !== "unrecognized_keys") return [`${name} ${issue.message}`];
  return issue.keys.map((key) => formatUnknownKey(key, name, issue.message));
}

const isWorkspaceFolder = (folder: string): boolean =>
  folder === "." ||
  folder.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:]/.test(part));
