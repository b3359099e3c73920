import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { openMemoryWorkspace } from "../kit/memory-engine.ts";
import { PROJECT_LIFE, type TIDES } from "../kit/project.ts";

type Input = Readonly<Record<string, unknown>>;
/** As much of an answer as the tests ask for. */
export interface Answer {
  readonly passed?: boolean;
  readonly problems?: readonly { readonly problem: string }[];
  readonly project?: { readonly status: string; readonly current_stage: string; readonly rev: number };
  readonly [more: string]: unknown;
}

/** The files of a project, in memory or in a folder. */
interface StandFiles {
  read(path: string): string;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Sorted paths of everything under `sdd/`. */
  list(): string[];
}

/** A project, brought to where a stage is open. */
export interface Stand extends StandFiles, Disposable {
  readonly engine: Engine;
  run(operation: OperationId, input?: Input): Promise<Answer>;
  /** Runs every call of the project's life that ends a stage before this one. */
  upTo(stage: keyof typeof TIDES | "completed"): Promise<void>;
  record(): Record<string, unknown> & { ids: string[]; rounds: { answers?: string }[] };
  /** Of everything that is committed. */
  fingerprint(): string;
}

const ENDING = PROJECT_LIFE.filter(([, input], i) => i < 9 && Object.keys(input).length > 0);

export async function stand(): Promise<Stand> {
  const { engine, files, read, list } = openMemoryWorkspace();
  const write = (path: string, text: string): void => void files.set(path, text);
  const remove = (path: string): void => void files.delete(path);
  return createStand(engine, { read, write, remove, list: () => list("sdd") }, () => undefined);
}

/** For tests that need a real folder, or memory of agents. */
export async function standOnDisk(folder: TemporaryFolder = temporaryRepository()): Promise<Stand> {
  const at = (path: string): string => join(folder.path, path);
  const house = testHouse(folder.path);
  const files: StandFiles = {
    read: (path) => fs.readFileSync(at(path), "utf8"),
    write(path, text) {
      fs.mkdirSync(dirname(at(path)), { recursive: true });
      fs.writeFileSync(at(path), text);
    },
    remove: (path) => fs.rmSync(at(path)),
    list: () =>
      fs
        .readdirSync(at("sdd"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.path.length + 1))
        .toSorted(),
  };
  return createStand(await house.house.open({}), files, () => {
    house[Symbol.dispose]();
    folder[Symbol.dispose]();
  });
}

function createStand(engine: Engine, files: StandFiles, dispose: () => void): Stand {
  const run: Stand["run"] = async (id, input = {}) =>
    (await (await loadCatalogueOperation(id)).run(engine, input)) as Answer;
  return {
    ...files,
    engine,
    run,
    async upTo(stage) {
      for (const [id, input] of ENDING) {
        if (id === `project.${stage}`) return;
        const answer = await run(id, input);
        if (answer.passed === false) throw new Error(`${id}: ${JSON.stringify(answer.problems)}`);
      }
    },
    record: () => JSON.parse(files.read("sdd/sdd.json")) as ReturnType<Stand["record"]>,
    fingerprint() {
      const hash = createHash("sha256");
      for (const path of files.list()) hash.update(`${path}\0${files.read(path)}`);
      return hash.digest("hex");
    },
    [Symbol.dispose]: dispose,
  };
}

export const listProblemTexts = ({ problems = [] }: Answer): string[] => problems.map(({ problem }) => problem);
