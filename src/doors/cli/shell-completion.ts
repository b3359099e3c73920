import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { FEATURE_FOLDER } from "#kernel/model/workspace-paths.ts";
import { isActiveWorkflow } from "#planning/model/workflow/workflow-lifecycle.ts";
import { loadChangeRecords } from "#planning/operations/change/change-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { COMMON_FLAGS, toFlagName, isRepeatableFlag, listExtraFlags } from "./command-arguments.ts";
import type { CliCommand } from "./command-types.ts";
import { CLI_COMMANDS, matchCommand } from "./command-table.ts";
import type { CliHost } from "./run-cli.ts";
import { QUEUE_VERBS } from "./utility-commands.ts";

/** For these the shell completes files itself. */
const PATH_VALUE_FLAGS = new Set(["--file", "--workspace", "--junit"]);

const HOOK_EVENT_WORDS =
  "session-start pre-tool-use post-tool-use user-prompt-submit stop subagent-stop session-end".split(" ");

const UTILITY_COMMAND_WORDS = [
  ...QUEUE_VERBS.map((verb) => `queue ${verb}`),
  ...HOOK_EVENT_WORDS.map((event) => `hook ${event}`),
  "mcp",
  "demo",
  "completion",
  "version",
  "help",
];

/** Completes the last word typed so far. A shell asks on every Tab, so a failure gives no candidates. */
export async function completeCommandLine(words: readonly string[], house: CliHost): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const match = matchCommand(before);
  const flags = match ? await completeAfterCommand(match.command, match.rest, house) : [];
  const candidates = match && match.rest.length > 0 ? flags : [...flags, ...listNextCommandWords(before)];
  return candidates.filter((candidate) => candidate.startsWith(typed)).toSorted();
}

function listNextCommandWords(before: readonly string[]): string[] {
  const lead = before.map((word) => `${word} `).join("");
  const paths = [...CLI_COMMANDS.map((command) => command.path), ...UTILITY_COMMAND_WORDS];
  const next = paths.filter((path) => path.startsWith(lead)).map((path) => path.slice(lead.length).split(" ")[0] ?? "");
  if (before[0] === "completion") return ["bash", "zsh", "fish"];
  if (before[0] === "demo") return ["--verbose", "--keep", "--help"];
  return before[0] === "mcp" ? ["--toolsets", "--workspace", "--help"] : [...new Set(next)];
}

async function completeAfterCommand(command: CliCommand, rest: readonly string[], house: CliHost): Promise<string[]> {
  const { inputSchema } = await house.surface.of(command.operation);
  const fields = new Map(Object.entries(inputSchema.properties ?? {}));
  const last = rest.at(-1) ?? "";
  if (PATH_VALUE_FLAGS.has(last) || (last === "--trust" && command.runsChecks)) return [];
  const takers = new Map(
    [...fields].filter(([, field]) => field.type !== "boolean").map(([name]) => [`--${toFlagName(name)}`, name]),
  );
  const valuesOf = async (name: string): Promise<readonly string[]> => {
    const ids = chooseIdReader(command, name);
    const field = fields.get(name);
    return (
      field?.enum ?? field?.items?.enum ?? (ids ? readWorkspaceIds(house, findFlagValue("--workspace", rest), ids) : [])
    );
  };
  const asked = takers.get(last);
  if (asked !== undefined) return [...(await valuesOf(asked))];
  const isGiven = (flag: string): boolean => rest.some((word) => word === flag || word.startsWith(`${flag}=`));
  const flags = [
    ...Object.keys(COMMON_FLAGS),
    ...[...fields.keys()].map(toFlagName),
    ...Object.keys(command.ownFlags ?? {}),
    ...listExtraFlags(command),
  ];
  const mayRepeat = (flag: string): boolean => isRepeatableFlag(fields.get(takers.get(flag) ?? "") ?? {});
  const free = [...new Set(flags)].map((name) => `--${name}`).filter((flag) => !isGiven(flag) || mayRepeat(flag));
  const loose = rest.filter((word, i) => !word.startsWith("-") && !isValueFlag(rest[i - 1] ?? "", takers));
  const positionals = command.positionals?.filter((name) => !isGiven(`--${toFlagName(name)}`)) ?? [];
  const isList = isRepeatableFlag(fields.get(positionals.at(-1) ?? "") ?? {});
  const positional = positionals[isList ? Math.min(loose.length, positionals.length - 1) : loose.length];
  const values = positional === undefined ? [] : await valuesOf(positional);
  return [...values.filter((value) => !loose.includes(value)), ...free];
}

const isValueFlag = (flag: string, takers: ReadonlyMap<string, string>): boolean =>
  PATH_VALUE_FLAGS.has(flag) || takers.has(flag);

function findFlagValue(flag: string, words: readonly string[]): string | undefined {
  const at = words.indexOf(flag);
  return at < 0 ? words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) : words[at + 1];
}

function chooseIdReader(command: CliCommand, field: string): ((tree: StoreTree) => string[]) | undefined {
  if (field === "change_id") return listChangeIds;
  if (isFeatureArgument(command, field)) return listFeatureNames;
  return isWorkflowArgument(command, field) ? listUnfinishedWorkflowIds : undefined;
}

const isFeatureArgument = ({ operation }: CliCommand, field: string): boolean =>
  /^(?:feature|review|roadmap)\.|^workspace\.status$/.test(operation) && ["feature", "names", "scope"].includes(field);

const listFeatureNames = (tree: StoreTree): string[] => tree.names(FEATURE_FOLDER).filter(isFeatureName);

/** Commands that begin a workflow take a new id; the others name an existing one. */
const isWorkflowArgument = ({ operation }: CliCommand, field: string): boolean =>
  /^(?:gate\.|workflow\.(?!feature|bugfix|research))/.test(operation) && ["id", "a", "b"].includes(field);

const listChangeIds = (tree: StoreTree): string[] => loadChangeRecords(tree).changes.map(({ record }) => record.id);

const listUnfinishedWorkflowIds = (tree: StoreTree): string[] =>
  [...tree.kept(WORKFLOW_SPACE).values()].filter(isActiveWorkflow).map((record) => record.id);

async function readWorkspaceIds(
  house: CliHost,
  workspace: string | undefined,
  look: (tree: StoreTree) => string[],
): Promise<string[]> {
  try {
    const engine = await house.open({ argument: workspace, mayBegin: false });
    return await engine.store.read(look);
  } catch {
    return [];
  }
}
