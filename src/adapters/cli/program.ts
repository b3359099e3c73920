import { Fault } from "#domain/fault.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import { loadCatalogueOperation, type OperationId } from "#operations/catalogue.ts";
import type { Engine } from "#operations/engine.ts";
import type { ModelChoice } from "#operations/ports/model.ts";
import type { CallProgress } from "#operations/ports/runner.ts";
import { validateOperationInput } from "#operations/input.ts";
import type { ToolSurface } from "#operations/surface.ts";
import type { Parsed } from "./argv.ts";
import type { Command } from "./command.ts";
import { COMMANDS, groupOf, matchCommand } from "./commands.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { renderFault, renderFix, renderPage } from "./render.ts";

export interface CliHouse {
  readonly io: Io;
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
  serveMcp(where: {
    readonly argument?: string | undefined;
    readonly toolsets?: readonly string[] | undefined;
  }): Promise<void>;
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
export async function runCli(words: readonly string[], house: CliHouse): Promise<ExitCode> {
  try {
    return await dispatch(words, house);
  } catch (error) {
    await report(error, words.includes("--json"), house);
    const { isScript, isCheck } = matchCommand(words)?.command ?? {};
    return exitCodeOf(error, isScript ?? isCheck);
  }
}

async function dispatch(said: readonly string[], house: CliHouse): Promise<ExitCode> {
  const words = said[0] === "queue" ? (await import("./queue.ts")).queueWords(said) : said;
  if (!words) return print(house, await house.asset("cli/queue.md"));
  const match = matchCommand(words);
  if (match) return runOperation(match.command, match.rest, house);
  const [first = "help", ...rest] = words;
  switch (first) {
    case "help":
    case "--help":
    case "-h":
      if (rest.length > 0 && rest[0] !== "help") return dispatch([...rest, "--help"], house);
      return print(house, (await import("./help.ts")).helpForAll((await house.asset("cli/intro.md")).trimEnd()));
    case "version":
    case "--version":
    case "-V":
    case "-v":
      return print(house, `${house.version}\n`);
    case "mcp":
      return (await import("./serve-mcp.ts")).serveMcp(rest, house);
    case "completion":
      return (await import("./completion-script.ts")).printCompletion(rest, house);
    case "merge-driver":
      return (await import("./merge-driver.ts")).mergeDriver(rest, house);
    case "demo":
      return (await import("./demo.ts")).showDemo(rest, house);
    case "hook":
      // Hook calls never reach this point: they have their own entry.
      return print(house, await house.asset("cli/hook.md"));
    case "__complete":
      return print(
        house,
        (await (await import("./complete.ts")).complete(rest, house)).map((word) => `${word}\n`).join(""),
      );
    default:
      return unmatched(first, rest, house);
  }
}

async function runOperation(command: Command, words: readonly string[], house: CliHouse): Promise<ExitCode> {
  const isPlain = words.length === 0 || (words.length === 1 && words[0] === "--json");
  const schema = isPlain ? undefined : (await house.surface.of(command.operation)).inputSchema;
  // The most frequent calls have no flags, so they skip loading the parser.
  const {
    input: said,
    file,
    inputFile,
    own = {},
    common,
  }: Parsed = isPlain
    ? { input: {}, common: { json: words.length > 0, help: false } }
    : (await import("./argv.ts")).parseArgv(command, words, schema);
  if (common.help)
    return print(
      house,
      (await import("./help.ts")).helpForCommand(
        command,
        schema ?? (await house.surface.of(command.operation)).inputSchema,
      ),
    );
  const input = { ...(inputFile === undefined ? {} : await readInput(inputFile, house.io)), ...said };
  if (file !== undefined && command.fileFor) input[command.fileFor] = await readFile(file, house.io);
  const operation = await loadCatalogueOperation(command.operation);
  const checked = await validateOperationInput(operation, input);
  const isJson = common.json || command.isScript === true;
  const progress = operation.isLong ? (await import("./progress.ts")).shownProgress(house.io, isJson) : undefined;
  const where = {
    argument: common.workspace,
    mayBegin: operation.mayBegin ?? false,
    mayLack: operation.isUsers ?? false,
    trust: common.trust,
    model: command.names?.(own),
  };
  const engine = await house.open({ progress, ...where });
  const output = await operation.run(engine, checked).finally(() => progress?.end());
  const proposed = common.json || !house.io.canAsk ? undefined : proposalIn(command, output);
  show(output, proposed !== undefined);
  const afterwards = await command.afterwards?.();
  await afterwards?.(output, own, house, isJson, async (waiting) => {
    const same = await house.open({ progress: waiting, ...where });
    return {
      engine: same,
      run: async (other) => operation.run(same, await validateOperationInput(operation, { ...other })),
    };
  });
  if (proposed === undefined) return codeOf(output);
  if (!(await house.io.ask(command.asks?.question ?? ""))) return print(house, "Nothing was changed.\n");
  const done = await operation.run(engine, await validateOperationInput(operation, { ...input, ...proposed }));
  show(done);
  return codeOf(done);

  /** A question follows, so the hint how to confirm is left out. */
  function show(shown: unknown, isAsked = false): void {
    if (isJson) return house.io.out(`${JSON.stringify(shown)}\n`);
    const page = operation.page(shown);
    house.io.out(renderPage(isAsked ? { ...page, next: [] } : page, house.io));
  }
  function codeOf(shown: unknown): ExitCode {
    if (!operation.isRefusal?.(shown)) return EXIT.done;
    return command.isScript || command.isCheck ? EXIT.fault : EXIT.refused;
  }
}

/** The confirmation that one yes/no question covers. A machine calls again with the token by itself. */
function proposalIn({ asks }: Command, output: unknown): Record<string, unknown> | undefined {
  if (!asks || typeof output !== "object" || output === null) return undefined;
  const token: unknown = Reflect.get(output, asks.token);
  const undecided: unknown = asks.unless === undefined ? [] : Reflect.get(output, asks.unless);
  const isOpen = Array.isArray(undecided) && undecided.length > 0;
  return typeof token === "string" && !isOpen ? { [asks.field]: token } : undefined;
}

function print(house: CliHouse, text: string): ExitCode {
  house.io.out(text);
  return EXIT.done;
}

async function unmatched(first: string, rest: readonly string[], house: CliHouse): Promise<ExitCode> {
  const group = groupOf(first);
  const { COMMON_FLAGS } = await import("./argv.ts");
  if (group.length > 0 && (rest.length === 0 || Object.keys(COMMON_FLAGS).some((flag) => rest[0] === `--${flag}`))) {
    return print(house, (await import("./help.ts")).helpForGroup(first));
  }
  const said = group.length > 0 ? `${first} ${rest[0]}` : first;
  const { findClosestWord: closest } = await import("#domain/closest.ts");
  const near = closest(said, group.length > 0 ? group.map((command) => command.path) : topWords());
  throw new Fault("usage.unknown-command", {
    what: `There is no command ${quote(said, 60)}.`,
    why: near ? `${near} is near it.` : "tenon help lists them all.",
    fix: near ? `tenon ${near}` : group.length > 0 ? `tenon ${first} --help` : "tenon help",
  });
}

const topWords = (): string[] => [
  ...new Set(COMMANDS.map((command) => command.path.split(" ")[0] ?? "")),
  "mcp",
  "queue",
  "hook",
  "demo",
  "completion",
  "version",
  "help",
];

async function readFile(path: string, io: Io): Promise<string> {
  try {
    return await (path === "-" ? io.stdin() : io.file(path));
  } catch (error) {
    throw new Fault("usage.no-file", {
      what: `${quote(path)} cannot be read.`,
      why: whyUnreadable(error),
      fix: "Name a readable file, or - for standard input.",
    });
  }
}

/** Reads long or many arguments from a file with a JSON object. A flag overrides the same field. */
async function readInput(path: string, io: Io): Promise<Record<string, unknown>> {
  const text = await readFile(path, io);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.replaceAll("-", "_"), each]));
    }
  } catch {
    // The fault below also covers JSON that is not an object.
  }
  throw new Fault("usage.bad-input", {
    what: `${quote(path)} was not taken.`,
    why: "It is not a JSON object of arguments.",
    fix: 'Write it as {"name": "…"}, with the names of the flags.',
  });
}

function whyUnreadable(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "There is no such file.";
  if (code === "EISDIR") return "It is a folder.";
  if (code === "EACCES") return "Its permissions do not allow it.";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "It is not UTF-8 text.";
  return sanitizeText(error instanceof Error ? error.message : String(error), 200);
}

async function report(error: unknown, isJson: boolean, house: CliHouse): Promise<void> {
  const { io } = house;
  if (error instanceof Fault) {
    const { code, what, why, fixes } = error;
    io.err(
      isJson
        ? `${JSON.stringify({ error: { code, what, why, fix: fixes.map(renderFix) } })}\n`
        : renderFault(error, { isTerminal: io.isTerminal, hasColour: io.hasErrorColour }),
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
