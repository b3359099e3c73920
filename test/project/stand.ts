import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse, type TestHouse } from "../kit/house.ts";
import { PROJECT_LIFE, type TIDES } from "../kit/project.ts";

type Input = Readonly<Record<string, unknown>>;
/** As much of an answer as the tests ask for. */
export interface Answer {
  readonly passed?: boolean;
  readonly problems?: readonly { readonly problem: string }[];
  readonly project?: { readonly status: string; readonly current_stage: string; readonly rev: number };
  readonly [more: string]: unknown;
}

/** A project in a real folder, brought to where a stage is open. */
export interface Stand extends Disposable {
  readonly root: string;
  readonly tenon: TestHouse;
  readonly engine: Engine;
  run(operation: OperationId, input?: Input): Promise<Answer>;
  /** Runs every call of the project's life that ends a stage before this one. */
  upTo(stage: keyof typeof TIDES | "completed"): Promise<void>;
  read(path: string): string;
  write(path: string, text: string): void;
  record(): Record<string, unknown> & { ids: string[]; rounds: { answers?: string }[] };
  /** Of everything that is committed. */
  fingerprint(): string;
}

const ENDING = PROJECT_LIFE.filter(([, input], i) => i < 9 && Object.keys(input).length > 0);

export async function stand(folder: TemporaryFolder = temporaryRepository()): Promise<Stand> {
  const root = folder.path;
  const tenon = testHouse(root);
  const engine = await tenon.house.open({});
  const run: Stand["run"] = async (id, input = {}) =>
    (await (await loadCatalogueOperation(id)).run(engine, input)) as Answer;
  return {
    root,
    tenon,
    engine,
    run,
    async upTo(stage) {
      for (const [id, input] of ENDING) {
        if (id === `project.${stage}`) return;
        const answer = await run(id, input);
        if (answer.passed === false) throw new Error(`${id}: ${JSON.stringify(answer.problems)}`);
      }
    },
    read: (path) => fs.readFileSync(join(root, path), "utf8"),
    write: (path, text) => fs.writeFileSync(join(root, path), text),
    record: () => JSON.parse(fs.readFileSync(join(root, "sdd/sdd.json"), "utf8")) as ReturnType<Stand["record"]>,
    fingerprint: () => fingerprintOf(join(root, "sdd")),
    [Symbol.dispose]() {
      tenon[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

function fingerprintOf(folder: string): string {
  const hash = createHash("sha256");
  for (const entry of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    const path = join(folder, entry);
    hash.update(`${entry}\0`);
    if (fs.statSync(path).isFile()) hash.update(fs.readFileSync(path));
  }
  return hash.digest("hex");
}

export const told = ({ problems = [] }: Answer): string[] => problems.map(({ problem }) => problem);
