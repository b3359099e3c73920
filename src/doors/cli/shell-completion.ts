import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { BUSINESS_RULES_PATH, FEATURE_FOLDER, REQUIREMENTS_PATH } from "#kernel/model/workspace-paths.ts";
import { listRequirementIds, listRuleIds } from "#planning/model/project/project-document.ts";
import { isActiveWorkflow } from "#planning/model/workflow/workflow-lifecycle.ts";
import { loadChangeRecords } from "#planning/operations/change/change-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { COMMON_FLAGS, toFlagName, isRepeatableFlag, listExtraFlags } from "./command-arguments.ts";
import { CLI_COMMANDS, type CliCommand, matchCommand } from "./command-table.ts";
import type { CliHost } from "./run-cli.ts";
import { QUEUE_VERBS } from "./utility-commands.ts";

/** For these the shell completes files itself. */
const PATH_VALUE_FLAGS = new Set(["--file", "--workspace", "--junit"]);

const HOOK_EVENT_WORDS =
  "session-start pre-tool-use post-tool-use user-prompt-submit stop subagent-stop session-end".split(" ");

const UTILITY_COMMAND_WORDS = ["mcp", "ui", "demo", "completion", "version", "help"].concat(
  QUEUE_VERBS.map((verb) => `queue ${verb}`),
  HOOK_EVENT_WORDS.map((event) => `hook ${event}`),
);

/** The words after utility commands, which have no schema. */
const UTILITY_ARGUMENTS = new Map([
  ["completion", ["bash", "zsh", "fish"]],
  ["demo", ["--verbose", "--keep", "--help"]],
  ["ui", ["--port", "--no-open", "--export", "--host", "--cert", "--key", "--password-file", "--workspace", "--help"]],
  ["mcp", ["--structured", "--toolsets", "--workspace", "--help"]],
]);

/** Completes the last word typed so far. A shell asks on every Tab, so a failure gives no candidates. */
export async function completeCommandLine(words: readonly string[], house: CliHost): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const match = matchCommand(before);
  const flags = match ? await completeAfterCommand(match.command, match.rest, house) : [];
  const lead = before.map((word) => `${word} `).join("");
  const paths = [...CLI_COMMANDS.map((command) => command.path), ...UTILITY_COMMAND_WORDS];
  const next = paths.filter((path) => path.startsWith(lead)).map((path) => path.slice(lead.length).split(" ")[0] ?? "");
  const following = UTILITY_ARGUMENTS.get(before[0] ?? "") ?? new Set(next);
  const candidates = match && match.rest.length > 0 ? flags : [...flags, ...following];
  return candidates.filter((candidate) => candidate.startsWith(typed)).toSorted();
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
    return field?.enum ?? field?.items?.enum ?? (ids ? readWorkspaceIds(house, rest, ids) : []);
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
  const takesValue = (flag = ""): boolean => PATH_VALUE_FLAGS.has(flag) || takers.has(flag);
  const loose = rest.filter((word, i) => !word.startsWith("-") && !takesValue(rest[i - 1]));
  const positionals = command.positionals?.filter((name) => !isGiven(`--${toFlagName(name)}`)) ?? [];
  const isList = isRepeatableFlag(fields.get(positionals.at(-1) ?? "") ?? {});
  const positional = positionals[isList ? Math.min(loose.length, positionals.length - 1) : loose.length];
  const values = positional === undefined ? [] : await valuesOf(positional);
  return [...values.filter((value) => !loose.includes(value)), ...free];
}

type IdReader = (tree: StoreTree) => string[];

function chooseIdReader({ operation }: CliCommand, field: string): IdReader | undefined {
  if (field === "change_id") return (tree) => loadChangeRecords(tree).changes.map(({ record }) => record.id);
  if (/^(?:feature|review|roadmap)\.|^workspace\.status$/.test(operation) && /^(?:feature|names|scope)$/.test(field))
    return (tree) => tree.names(FEATURE_FOLDER).filter(isFeatureName);
  // Commands that begin a workflow take a new id; the others name an existing one.
  if (/^(?:gate\.|workflow\.(?!feature|bugfix|research))/.test(operation) && /^(?:id|a|b)$/.test(field))
    return (tree) => [...tree.kept(WORKFLOW_SPACE).values()].filter(isActiveWorkflow).map((record) => record.id);
  if (/^(?:trace\.|spec\.)/.test(operation) && /^(?:id|of|accept)$/.test(field)) return listTracedIds;
  return undefined;
}

/** Requirements, business rules and the specs of all workflows. */
const listTracedIds: IdReader = (tree) => [
  ...listRequirementIds(tree.text(REQUIREMENTS_PATH) ?? ""),
  ...listRuleIds(tree.text(BUSINESS_RULES_PATH) ?? ""),
  ...[...tree.kept(WORKFLOW_SPACE).values()].map((record) => record.id),
];

async function readWorkspaceIds(house: CliHost, words: readonly string[], readIds: IdReader): Promise<string[]> {
  const at = words.indexOf("--workspace");
  const joined = words.find((word) => word.startsWith("--workspace="))?.slice("--workspace=".length);
  try {
    const engine = await house.open({ argument: at < 0 ? joined : words[at + 1], mayBegin: false });
    return await engine.store.read(readIds);
  } catch {
    return [];
  }
}
