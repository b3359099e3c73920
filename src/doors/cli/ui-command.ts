import { basename, dirname } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { isLoopbackAddress } from "../http/browser-access.ts";
import type { UiAddress } from "../http/ui-server.ts";
import { parseCommandArguments } from "./command-arguments.ts";
import { EXIT_CODES, type ExitCode, printCliText, printHelpText } from "./command-table.ts";
import type { CliHost } from "./run-cli.ts";

export interface UiServing extends UiAddress {
  readonly workspace: string | undefined;
  readonly password: string | undefined;
}

/** A running page. `link` opens it once. */
export interface RunningUi {
  readonly link: string;
  openBrowser(): boolean;
  close(): Promise<void>;
}

const UI_FLAGS = {
  port: { type: "integer" },
  host: { type: "string" },
  cert: { type: "string" },
  key: { type: "string" },
  password_file: { type: "string" },
  export: { type: "string" },
  no_open: { type: "boolean" },
} as const;

export async function runUiCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  const command = { path: "ui", operation: "workspace.status", summary: "", examples: [] } as const;
  const { input, common } = parseCommandArguments(command, words, { properties: UI_FLAGS });
  if (common.help) return printHelpText(house, await house.asset("cli/ui.md"));
  const read = (name: keyof typeof UI_FLAGS): string | undefined =>
    typeof input[name] === "string" ? input[name] : undefined;
  const folder = read("export");
  if (folder !== undefined) {
    const target = await house.exportUi({ workspace: common.workspace, to: dirname(folder), name: basename(folder) });
    return printCliText(house, `The snapshot is in ${target}. Open index.html in a browser.\n`);
  }
  const { address, ...secured } = await readAddress(house, read);
  const port = typeof input["port"] === "number" ? input["port"] : 0;
  const ui = await house.serveUi({ address, port, workspace: common.workspace, ...secured });
  const { promise: interrupted, resolve } = Promise.withResolvers<void>();
  const forget = house.io.onInterrupt(resolve);
  try {
    house.io.out(
      `${common.json ? JSON.stringify({ url: ui.link }) : `Open this link, which works once:\n\n  ${ui.link}`}\n`,
    );
    const isOpened = input["no_open"] !== true && house.io.canAsk && ui.openBrowser();
    if (!common.json) house.io.out(`\n${isOpened ? "Your browser opens it. " : ""}Press Ctrl-C to stop.\n`);
    await interrupted;
  } finally {
    forget();
    await ui.close();
  }
  return EXIT_CODES.done;
}

/** Beyond this machine, others can read the traffic and try to log in. */
async function readAddress(
  { io }: CliHost,
  read: (name: "host" | "cert" | "key" | "password_file") => string | undefined,
): Promise<{ address: string; tls: UiAddress["tls"]; password: string | undefined }> {
  const address = read("host") ?? "127.0.0.1";
  const [cert, key, file] = [read("cert"), read("key"), read("password_file")];
  const tls = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  const password = file === undefined ? undefined : (await io.file(file)).trim();
  if (!isLoopbackAddress(address) && (!tls || !password)) {
    throw new Fault("ui.unsafe-host", {
      what: `The page was not served on ${address}.`,
      why: "Others could read it there: it needs a certificate, its key and a password.",
      fix: `tenon ui --host ${address} --cert <file> --key <file> --password-file <file>`,
    });
  }
  return { address, tls, password: password || undefined };
}
