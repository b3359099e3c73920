import { formatCount, joinWithAnd } from "#kernel/model/text-format.ts";
import { validateOperationInput } from "#kernel/operations/operation.ts";
import { loadCatalogueOperation, type OperationId } from "../catalogue.ts";
import type { CommandFollowUp } from "./command-table.ts";
import { type CliHost, runCli } from "./run-cli.ts";

interface ClientRow {
  readonly id: string;
  readonly title: string;
  readonly found: boolean;
  readonly set_up: boolean;
}

/** With fewer source files there is little to draft specs from. */
const MIN_FILES_TO_ADOPT = 10;

/** `--yes` sets up the clients without asking. It never trusts: only a person who saw the commands may. */
export const leadAfterInit: CommandFollowUp = async (output, flags, house, isJson) => {
  const { io } = house;
  const { root } = output as { root: string };
  const isYes = flags["yes"] === true;
  if (isJson ? !isYes : !isYes && !io.canAsk) return;
  const clients = await listOpenClients(house, root);
  const words = ["setup", ...clients.map(({ id }) => id), "--workspace", root];
  if (isJson) {
    if (clients.length > 0) await callOperation(house, root, "setup.clients", { clients: clients.map(({ id }) => id) });
    return;
  }
  const { stacks } = (await callOperation(house, root, "stack.detect")) as {
    stacks: readonly { readonly name: string; readonly files: number }[];
  };
  const names = [...new Set(stacks.map(({ name }) => name))];
  io.out(`\nstack:   ${names.join("; ") || "none detected"}\n`);
  io.out(`clients: ${clients.map(({ title }) => title).join(", ") || "none to set up; tenon setup lists all"}\n\n`);
  const run = (line: readonly string[]): Promise<number> => runCli(line, house);
  const offer = async (question: string, line: readonly string[]): Promise<void> => {
    if (await io.askKey(question)) await run(line);
  };
  if (clients.length > 0) {
    if (isYes) await run(words);
    else await offer(`Set up ${joinWithAnd(clients.map(({ title }) => title))} here?`, words);
  }
  const { state, commands } = (await callOperation(house, root, "stack.trust")) as {
    state: string;
    commands: readonly unknown[];
  };
  const isUntrusted = state === "untrusted" || state === "changed";
  if (isYes) {
    io.out(`${isUntrusted ? "next: tenon trust\n" : ""}${NEXT_LINES}`);
    return;
  }
  if (isUntrusted)
    await offer(`Review ${formatCount(commands.length, "command")} that gates would run?`, [
      "trust",
      "--workspace",
      root,
    ]);
  const files = stacks.reduce((sum, stack) => sum + stack.files, 0);
  const { specs } = (await callOperation(house, root, "workspace.status")) as { specs: boolean };
  if (!specs && files >= MIN_FILES_TO_ADOPT)
    await offer(`Draft requirements from ${formatCount(files, "source file")}?`, [
      "adopt",
      "--write",
      "--workspace",
      root,
    ]);
  io.out(`\n${NEXT_LINES}`);
};

const NEXT_LINES = 'next: tenon change start "…"\nnext: tenon help\n';

async function listOpenClients(house: CliHost, root: string): Promise<ClientRow[]> {
  const read = async (user: boolean): Promise<readonly ClientRow[]> =>
    ((await callOperation(house, root, "setup.clients", user ? { user } : {})) as { clients: ClientRow[] }).clients;
  const [here, home] = [await read(false), await read(true).catch(() => [])];
  const used = new Set([...here, ...home].filter(({ found }) => found).map(({ id }) => id));
  return here.filter(({ id, set_up }) => used.has(id) && !set_up);
}

async function callOperation(
  house: CliHost,
  root: string,
  id: OperationId,
  input: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const operation = await loadCatalogueOperation(id);
  const engine = await house.open({ argument: root, mayBegin: false });
  return operation.run(engine, await validateOperationInput(operation, input));
}
