import { toSystemFault } from "#kernel/model/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { quote, quoteShellWord, sanitizeText } from "#kernel/model/text-format.ts";
import { loadCatalogueOperation, type OperationId, type ToolSurface } from "../catalogue.ts";
import type { Engine } from "../engine.ts";
import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import { validateOperationInput } from "#kernel/operations/operation.ts";
import type { ParsedArguments } from "./command-arguments.ts";
import type { CliCommand, ExitCode, TerminalIo } from "./command-table.ts";
import {
  CLI_COMMANDS,
  EXIT_CODES,
  listGroupCommands,
  matchCommand,
  printCliText,
  printHelpText,
} from "./command-table.ts";
import type { RunningUi, UiServing } from "./ui-command.ts";
import { renderFaultFixes, renderTerminalFault, renderTerminalPage } from "./terminal-render.ts";

export interface McpServing {
  readonly argument?: string | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly isStructured?: boolean;
}

export interface CliHost {
  readonly io: TerminalIo;
  readonly version: string;
  readonly surface: { of(id: OperationId): Promise<Pick<ToolSurface, "inputSchema">> };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens the workspace. `mayBegin` lets a folder become one; `mayLack` allows a call without one. */
  open(where: {
    readonly argument?: string | undefined;
    readonly mayBegin: boolean;
    readonly mayLack?: boolean;
    readonly progress?: CallProgress | undefined;
    readonly trust?: string | undefined;
    /** The model that the caller names, for this call only. */
    readonly model?: ModelChoice | undefined;
  }): Promise<Engine>;
  serveMcp(serving: McpServing): Promise<void>;
  serveUi(serving: UiServing): Promise<RunningUi>;
  /** Writes the page with its content into the new folder `name` in `to`. Resolves to its path. */
  exportUi(target: {
    readonly workspace: string | undefined;
    readonly to: string;
    readonly name: string;
  }): Promise<string>;
  /** Merges three files for git into `ours`. Resolves to false when conflicts remain. */
  mergeFiles(files: {
    readonly base: string;
    readonly ours: string;
    readonly theirs: string;
    readonly path: string;
  }): Promise<boolean>;
  /** Plays the demo until it ends or is aborted. Resolves to whether every promise was kept. */
  demo(wish: { readonly verbose: boolean; readonly keep: boolean }, stopped: AbortSignal): Promise<boolean>;
  asset(name: string): Promise<string>;
  logDefect(error: unknown): Promise<{ readonly id: string; readonly log: string }>;
}

/** Runs one command line and returns its exit code. It never throws. */
export async function runCli(words: readonly string[], house: CliHost): Promise<ExitCode> {
  try {
    return await dispatchCommand(words, house);
  } catch (thrown) {
    const error = toSystemFault(thrown) ?? thrown;
    await reportCliError(error, words, house);
    if (!(error instanceof Fault)) return EXIT_CODES.defect;
    if (error.code === "call.cancelled") return EXIT_CODES.cancelled;
    const { isScript, isCheck } = matchCommand(words)?.command ?? {};
    const isUsage = /^(?:usage|input)\./.test(error.code) || ARGUMENT_FAULT_CODES.has(error.code);
    // For a script, 1 is an answer, so every error is a 2.
    return isUsage || (isScript ?? isCheck) ? EXIT_CODES.usage : EXIT_CODES.fault;
  }
}

/** Faults in one argument. A different workspace state would not fix them. */
const ARGUMENT_FAULT_CODES = new Set(["lock.bad-path", "timebox.unreadable", "workflow.bad-id"]);

async function dispatchCommand(said: readonly string[], house: CliHost): Promise<ExitCode> {
  const words = said[0] === "queue" ? (await import("./utility-commands.ts")).translateQueueCommand(said) : said;
  if (!words) return printHelpText(house, await house.asset("cli/queue.md"));
  if (words.length === 0) {
    return printCliText(house, await (await import("./start-screen.ts")).renderStartScreen(house));
  }
  const match = matchCommand(words);
  if (match) return runCommandOperation(match.command, match.rest, house);
  const [first = "", ...rest] = words;
  switch (first) {
    case "help":
    case "--help":
    case "-h":
      if (rest.length > 0 && !["help", "--help", "-h", "--all"].includes(rest[0] ?? ""))
        return dispatchCommand([...rest, "--help"], house);
      return printHelpText(
        house,
        (await import("./command-help.ts")).formatFullHelp(await house.asset("cli/intro.md"), rest.includes("--all")),
      );
    case "version":
    case "--version":
    case "-V":
    case "-v":
      return printCliText(house, `${house.version}\n`);
    case "mcp":
      return (await import("./utility-commands.ts")).runMcpCommand(rest, house);
    case "completion":
      return (await import("./utility-commands.ts")).printCompletionScript(rest, house);
    case "merge-driver":
      return (await import("./utility-commands.ts")).runMergeDriverCommand(rest, house);
    case "ui":
      return (await import("./ui-command.ts")).runUiCommand(rest, house);
    case "demo":
      return (await import("./utility-commands.ts")).runDemoCommand(rest, house);
    case "hook":
      // Hook calls never reach this point: they have their own entry.
      return printHelpText(house, await house.asset("cli/hook.md"));
    case "__complete": {
      const candidates = await (await import("./shell-completion.ts")).completeCommandLine(rest, house);
      return printCliText(house, candidates.map((word) => `${word}\n`).join(""));
    }
    default:
      return reportUnknownCommand(first, rest, house);
  }
}

async function runCommandOperation(command: CliCommand, words: readonly string[], house: CliHost): Promise<ExitCode> {
  const isPlain = words.length === 0 || (words.length === 1 && words[0] === "--json");
  const schema = isPlain ? undefined : (await house.surface.of(command.operation)).inputSchema;
  // The most frequent calls have no flags, so they skip loading the parser.
  const parsed: ParsedArguments = isPlain
    ? { input: {}, common: { json: words.length > 0, help: false } }
    : (await import("./command-arguments.ts")).parseCommandArguments(command, words, schema);
  const { file, inputFile, own = {}, common } = parsed;
  if (common.help) return printHelpText(house, (await import("./command-help.ts")).formatCommandHelp(command, schema));
  const input = { ...(inputFile === undefined ? {} : await readArgumentObject(inputFile, house.io)), ...parsed.input };
  if (file !== undefined && command.fileFor) input[command.fileFor] = await readArgumentFile(file, house.io);
  const operation = await loadCatalogueOperation(command.operation);
  const checked = await validateOperationInput(operation, input, (field) =>
    command.positionals?.includes(field) ? `<${field}>` : `--${field.replaceAll("_", "-")}`,
  );
  const isJson = common.json || command.isScript === true;
  const createProgress = command.view ?? (async () => (await import("./progress-line.ts")).createTerminalProgress);
  const progress = operation.isLong ? (await createProgress())(house.io, isJson) : undefined;
  const where = {
    argument: common.workspace,
    mayBegin: operation.mayBegin ?? false,
    mayLack: operation.isUsers ?? false,
    trust: common.trust,
    model: command.names?.(own),
  };
  const engine = await house.open({ progress, ...where });
  const output = await operation.run(engine, checked).finally(() => progress?.end());
  const proposed = common.json || !house.io.canAsk ? undefined : findConfirmation(command, output);
  const isLed = command.isLeading === true && (house.io.canAsk || own["yes"] === true);
  show(output, proposed !== undefined || isLed);
  const afterwards = await command.afterwards?.();
  await afterwards?.(output, own, house, isJson, async (waiting) => {
    const same = await house.open({ progress: waiting, ...where });
    return {
      engine: same,
      run: async (other) => operation.run(same, await validateOperationInput(operation, { ...other })),
    };
  });
  if (proposed === undefined) return codeOf(output);
  if (!(await house.io.ask(command.asks?.question ?? ""))) return printCliText(house, "Nothing was changed.\n");
  const done = await operation.run(engine, await validateOperationInput(operation, { ...input, ...proposed }));
  show(done);
  return codeOf(done);

  /** A question follows, so the hint how to confirm is left out. */
  function show(shown: unknown, isAsked = false): void {
    if (isJson) return house.io.out(`${JSON.stringify(shown)}\n`);
    const page = operation.page(shown);
    // Green and red are for answers that can also be a refusal.
    const outcome = operation.isRefusal && (operation.isRefusal(shown) ? "failed" : "passed");
    house.io.out(
      renderTerminalPage(
        isAsked ? { ...page, next: [], ...(command.isLeading ? { guide: "" } : {}) } : page,
        house.io,
        outcome,
      ),
    );
  }
  function codeOf(shown: unknown): ExitCode {
    if (!operation.isRefusal?.(shown)) return EXIT_CODES.done;
    return command.isScript || command.isCheck ? EXIT_CODES.fault : EXIT_CODES.refused;
  }
}

/** The confirmation that one yes/no question covers. A machine calls again with the token by itself. */
function findConfirmation({ asks }: CliCommand, output: unknown): Record<string, unknown> | undefined {
  if (!asks || typeof output !== "object" || output === null) return undefined;
  const token: unknown = Reflect.get(output, asks.token);
  const undecided: unknown = asks.unless === undefined ? [] : Reflect.get(output, asks.unless);
  const isOpen = Array.isArray(undecided) && undecided.length > 0;
  return typeof token === "string" && !isOpen ? { [asks.field]: token } : undefined;
}

async function reportUnknownCommand(first: string, rest: readonly string[], house: CliHost): Promise<ExitCode> {
  const group = listGroupCommands(first);
  const { acceptsArguments, COMMON_FLAGS } = await import("./command-arguments.ts");
  if (group.length > 0 && (rest.length === 0 || Object.keys(COMMON_FLAGS).some((flag) => rest[0] === `--${flag}`))) {
    return printHelpText(house, (await import("./command-help.ts")).formatGroupHelp(first));
  }
  const said = group.length > 0 ? `${first} ${rest[0]}` : first;
  const { findClosestWord } = await import("#kernel/model/text-format.ts");
  const topWords = [...new Set(CLI_COMMANDS.map((command) => command.path.split(" ")[0] ?? "")), ...UTILITY_WORDS];
  const near = findClosestWord(said, group.length > 0 ? group.map((command) => command.path) : topWords);
  const words = [...(near?.split(" ") ?? []), ...rest.slice(group.length > 0 ? 1 : 0)];
  const closest = matchCommand(words);
  const schema = closest && (await house.surface.of(closest.command.operation)).inputSchema;
  const isRunnable = closest !== undefined && acceptsArguments(closest, schema);
  throw new Fault("usage.unknown-command", {
    what: `Unknown command ${quote(said, 60)}.`,
    why: near ? `Did you mean "${near}"?` : "`tenon help` lists all commands.",
    fix: near
      ? `tenon ${isRunnable ? words.map(quoteShellWord).join(" ") : `${closest?.command.path ?? near}${(schema?.required ?? []).length > 0 ? " --help" : ""}`}`
      : group.length > 0
        ? `tenon ${first} --help`
        : "tenon help",
  });
}

const UTILITY_WORDS = ["mcp", "ui", "queue", "hook", "demo", "completion", "version", "help", "--help", "--version"];

async function readArgumentFile(path: string, io: TerminalIo): Promise<string> {
  try {
    return await (path === "-" ? io.stdin() : io.file(path));
  } catch (error) {
    const known = READ_FAILURES.get(error instanceof Error && "code" in error ? error.code : undefined);
    const why = known ?? sanitizeText(error instanceof Error ? error.message : String(error), 200);
    const fix = "Name a readable file, or - for standard input.";
    throw new Fault("usage.no-file", { what: `${quote(path)} cannot be read.`, why, fix });
  }
}

/** Reads long or many arguments from a file with a JSON object. A flag overrides the same field. */
async function readArgumentObject(path: string, io: TerminalIo): Promise<Record<string, unknown>> {
  const text = await readArgumentFile(path, io);
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.replaceAll("-", "_"), each]));
  } catch {
    // The fault below also covers JSON that is not an object.
  }
  throw new Fault("usage.bad-input", {
    what: `${quote(path)} was not saved.`,
    why: "It is not a JSON object of arguments.",
    fix: 'Write it as {"name": "…"}, with the names of the flags.',
  });
}

const READ_FAILURES = new Map<unknown, string>([
  ["ENOENT", "There is no such file."],
  ["EISDIR", "It is a folder."],
  ["EACCES", "Its permissions do not allow it."],
  ["ERR_ENCODING_INVALID_ENCODED_DATA", "It is not UTF-8 text."],
]);

async function reportCliError(error: unknown, words: readonly string[], house: CliHost): Promise<void> {
  const { io } = house;
  const isJson = words.includes("--json");
  const failed = ["tenon", ...words.filter((word) => word !== "--json").map(quoteShellWord)].join(" ");
  if (error instanceof Fault) {
    const { code, what, why } = error;
    io.err(
      isJson
        ? `${JSON.stringify({ error: { code, what, why, fix: renderFaultFixes(error, failed) } })}\n`
        : renderTerminalFault(
            error,
            { isTerminal: io.isTerminal, hasColour: io.hasErrorColour, width: io.errorWidth ?? io.width },
            failed,
          ),
    );
    return;
  }
  const { id, log } = await house.logDefect(error);
  const message = error instanceof Error ? error.message : String(error);
  io.err(
    isJson
      ? `${JSON.stringify({ error: { code: "defect", what: message, why: `defect ${id}`, fix: [`Report it with ${log}`] } })}\n`
      : `defect ${id}: ${message}\nThis is a mistake in Tenon. The details are in ${log}; please report it.\n`,
  );
}
