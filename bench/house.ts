import { pathToFileURL } from "node:url";
import { ApplicationHost } from "#app/application-host.ts";

/** The product in this process, with the real clock and without output. */
export function createBenchHouse(root: string): ApplicationHost {
  const silent = (): void => undefined;
  return new ApplicationHost(
    {
      cwd: root,
      home: "/nowhere/home",
      environment: {},
      clock: { now: () => new Date().toISOString().replace(/\.\d+Z$/, "Z") },
      wait: async () => undefined,
      steadyClock: { boot: "bench", nowMs: () => Math.floor(performance.now()) },
      newId: () => crypto.randomUUID(),
      io: {
        isTerminal: false,
        hasColour: false,
        hasErrorColour: false,
        width: 1000,
        errorWidth: undefined,
        askKey: async () => false,
        onInterrupt: () => () => undefined,
        out: silent,
        err: silent,
        canAsk: false,
        ask: async () => false,
        stdin: async () => "",
        file: async () => "",
        save: async () => undefined,
      },
      streams: () => ({ input: process.stdin, output: process.stdout, log: silent }),
      packageFolder: pathToFileURL(`${process.cwd()}/`),
      dataFolder: root,
      ancestors: async () => [],
    },
    "0.0.0",
  );
}
