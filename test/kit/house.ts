import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { runCli } from "#doors/cli/run-cli.ts";
import { ApplicationHost, type ProcessContext } from "#app/application-host.ts";

/** The checkout the tests run in. */
const PACKAGE = pathToFileURL(`${process.cwd()}/`);

export interface TestHouse extends Disposable {
  readonly house: ApplicationHost;
  readonly clock: { now(): string; set(time: string): void };
  /** The seconds that were waited for, of which none passed. */
  readonly waits: readonly number[];
  /** Runs one command line in this process. */
  run(...words: string[]): Promise<{ code: number; out: string; err: string }>;
  /** The same by a person at a terminal. */
  type(...words: string[]): Promise<{ code: number; out: string; err: string }>;
}

/** A person at a terminal, for commands that no agent may run. */
export const PERSON: Partial<ProcessContext["io"]> = { canAsk: true };

/** The whole product in this process, on a real folder, with a clock that moves one second at each look. */
export function testHouse(
  root: string,
  changes: Partial<ProcessContext> = {},
  io: Partial<ProcessContext["io"]> = {},
): TestHouse {
  const clock = steppingClock();
  const waits: number[] = [];
  let ids = 0;
  let steady = 0;
  const written = { out: "", err: "" };
  const world: ProcessContext = {
    cwd: root,
    home: "/nowhere/home",
    environment: {},
    clock,
    wait: async (ms) => {
      waits.push(ms / 1000);
      clock.set(new Date(Date.parse(clock.now()) + ms).toISOString());
    },
    steadyClock: { boot: "test boot", nowMs: () => ++steady },
    newId: () => `id-${String(++ids).padStart(6, "0")}`,
    io: {
      isTerminal: false,
      hasColour: false,
      hasErrorColour: false,
      // Most tests compare whole sentences, so nothing wraps.
      width: 1000,
      errorWidth: undefined,
      askKey: async () => false,
      onInterrupt: () => () => undefined,
      out: (text) => void (written.out += text),
      err: (text) => void (written.err += text),
      canAsk: false,
      ask: async () => false,
      stdin: async () => "",
      file: async (path) => (await import("node:fs")).readFileSync(path, "utf8"),
      save: async (path, text) => (await import("node:fs")).writeFileSync(path, text),
      ...io,
    },
    streams: () => ({ input: new PassThrough(), output: new PassThrough(), log: () => undefined }),
    packageFolder: PACKAGE,
    dataFolder: `${root}/.sdd/data`,
    ancestors: async () => [],
    ...changes,
  };
  const house = new ApplicationHost(world, "0.0.0");
  const run: TestHouse["run"] = async (...words) => {
    written.out = "";
    written.err = "";
    const code = await runCli(words, house);
    return { code, ...written };
  };
  return {
    house,
    clock,
    waits,
    run,
    async type(...words) {
      const { canAsk } = world.io;
      Object.assign(world.io, PERSON);
      try {
        return await run(...words);
      } finally {
        Object.assign(world.io, { canAsk });
      }
    },
    [Symbol.dispose]: () => house.close(),
  };
}

function steppingClock(): TestHouse["clock"] {
  let time = Date.parse("2026-01-31T12:00:00Z");
  return {
    now: () => new Date((time += 1000)).toISOString().replace(".000Z", "Z"),
    set: (text) => void (time = Date.parse(text)),
  };
}
