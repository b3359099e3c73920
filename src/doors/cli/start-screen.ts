import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import { loadCatalogueOperation } from "../catalogue.ts";
import { CLI_COMMANDS } from "./command-table.ts";
import type { CliHost } from "./run-cli.ts";
import { renderTerminalFix, styleBold } from "./terminal-render.ts";
import { measureTextWidth, shortenPath, wrapHelpText } from "./text-wrap.ts";

type StartStep = readonly [command: string, purpose: string];

const HELP_STEP: StartStep = ["tenon help", "List the commands by job"];
const DEMO_STEP: StartStep = ["tenon demo", "Watch a scripted day with Tenon; takes a minute"];

/** `tenon` without a command: where you are, and two or three commands that make sense here. */
export async function renderStartScreen(house: CliHost): Promise<string> {
  const { place, state, steps } = await readStartState(house);
  const { io, version } = house;
  const width = Math.max(...steps.map(([command]) => measureTextWidth(command)));
  const rows = steps.map(([command, purpose]) =>
    measureTextWidth(command) > MAX_COMMAND_WIDTH
      ? `  ${command}`
      : `  ${command.padEnd(Math.min(width, MAX_COMMAND_WIDTH))}  ${purpose}`,
  );
  const head = `Tenon ${version}${place === undefined ? "" : ` in ${shortenPath(place, io.width - version.length - 10)}`}`;
  return `${styleBold(head, io)}\n${wrapHelpText([state, "", "Next:", ...rows, ""].join("\n"), io.width)}`;
}

/** A longer command has its line to itself. */
const MAX_COMMAND_WIDTH = 40;

interface StartState {
  readonly place?: string;
  readonly state: string;
  readonly steps: readonly StartStep[];
}

async function readStartState(house: CliHost): Promise<StartState> {
  try {
    const engine = await house.open({ mayBegin: false });
    const place = engine.root;
    const isReady = await engine.store.read((tree) => tree.has(CONFIG_PATH));
    const begin: StartStep = ["tenon init", "Set up Tenon in this repository"];
    if (!isReady) return { place, state: "Tenon is not set up here yet.", steps: [begin, DEMO_STEP, HELP_STEP] };
    const status = await loadCatalogueOperation("workspace.status");
    const { title, next = [] } = status.page(await status.run(engine, {}));
    return { place, state: title, steps: [...next.slice(0, 2).map(describeStep), HELP_STEP] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (!/^workspace\.(?:not-found|is-home)$/.test(error.code)) throw error;
    const begin: StartStep = ["git init && tenon init", "Start a repository with Tenon in this folder"];
    return { state: "This folder is not in a git repository.", steps: [begin, DEMO_STEP, HELP_STEP] };
  }
}

function describeStep(fix: SuggestedFix): StartStep {
  const command =
    typeof fix === "string" ? undefined : CLI_COMMANDS.find(({ operation }) => operation === fix.operation);
  return [renderTerminalFix(fix), command?.summary.replace(/[;:].*$/, "") ?? ""];
}
