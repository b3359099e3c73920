import fs from "node:fs";
import { dirname, join } from "node:path";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { createTrustedSurface } from "#checking/model/stack/trusted-surface.ts";
import { git, temporaryFolder, type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";
import type { ProcessContext } from "#app/application-host.ts";
import { testHouse, type TestHouse } from "../kit/house.ts";
import { bugSpec, featureSpec, researchSpec } from "../kit/specs.ts";

type Input = Readonly<Record<string, unknown>>;

/** As much of an answer as the tests ask for. */
export interface Answer {
  readonly passed?: boolean;
  readonly checks?: readonly {
    readonly check: string;
    readonly status: string;
    readonly problems: readonly { readonly problem: string }[];
    readonly reason?: string;
  }[];
  readonly workflow?: {
    readonly id: string;
    readonly stage: string;
    readonly status: string;
    readonly interrupted: boolean;
    readonly is_current: boolean;
    readonly files_locked: readonly string[];
    readonly snapshots: readonly {
      readonly n: number;
      readonly stage: string;
      readonly why: string;
      readonly files_modified: readonly string[];
    }[];
    readonly timebox?: { readonly percent: number; readonly limit: string };
    readonly adr?: string;
    readonly worktree?: string;
  };
  readonly queue?: readonly {
    readonly id: string;
    readonly status: string;
    readonly interrupted: boolean;
    readonly is_current: boolean;
    readonly priority: number;
  }[];
  readonly finished?: readonly { readonly id: string; readonly status: string; readonly age: string }[];
  readonly notes?: readonly string[];
  readonly [more: string]: unknown;
}

/** A repository in which several may be at work. */
export interface Stand extends Disposable {
  readonly root: string;
  readonly tenon: TestHouse;
  readonly engine: Engine;
  run(operation: OperationId, input?: Input): Promise<Answer>;
  read(path: string): string;
  write(path: string, text: string): void;
  has(path: string): boolean;
  /** Fills a spec in, as its user would. */
  fill(id: string): void;
  /** Ends a stage, with the user's word. */
  advance(id: string, more?: Input): Promise<Answer>;
  /** Builds something that looks the part: code and a test with the tag of the spec. */
  build(id: string): void;
  /** Lets the settings do without what nobody can run, as the user trusts them to. */
  waive(): Promise<void>;
  commit(message: string): void;
  pass(minutes: number): void;
}

/** What nothing here can run. */
export const WAIVED = [
  "tests",
  "lint",
  "types",
  "criteria",
  "coverage",
  "tests-seen-to-fail",
  "regression-seen-to-fail",
  "documentation",
];

export async function stand(
  folder: TemporaryFolder = temporaryRepository(),
  isGit = true,
  world: Partial<ProcessContext> = {},
  io: Partial<ProcessContext["io"]> = {},
): Promise<Stand> {
  const root = folder.path;
  // What a user trusts is kept outside of the repository.
  const data = temporaryFolder();
  let steady = 0;
  const steadyClock = { boot: "test boot", nowMs: () => steady };
  const tenon = testHouse(root, { steadyClock, dataFolder: data.path, ...world }, io);
  const write = (path: string, text: string): void => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  };
  if (isGit) {
    if (fs.readdirSync(root).length <= 1) write("src/login.ts", "export const login = 1;\n");
    write(".gitignore", ".sdd/\n*.log\nnode_modules\n");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "Begin");
  }
  const engine = await tenon.house.open({ argument: root });
  const run: Stand["run"] = async (id, input = {}) =>
    (await (await loadCatalogueOperation(id)).run(engine, input)) as Answer;
  const specs: Readonly<Record<string, (id: string) => string>> = { BUG: bugSpec, RES: researchSpec };
  return {
    root,
    tenon,
    engine,
    run,
    write,
    read: (path) => fs.readFileSync(join(root, path), "utf8"),
    has: (path) => fs.existsSync(join(root, path)),
    fill: (id) => write(`sdd/specs/${id}.yaml`, (specs[id.split("-")[0] ?? ""] ?? featureSpec)(id)),
    advance: (id, more = {}) => run("workflow.advance", { id, approve: "Ann", ...more }),
    build(id) {
      write("src/login.ts", `// @spec ${id}\nexport const login = 2;\n`);
      write("tests/login.test.ts", `// @spec ${id}.AC-1, AC-2\ntest("asks for a code", () => undefined);\n`);
    },
    async waive() {
      const waived = WAIVED.map((check) => `    ${check}: Nothing to run yet\n`).join("");
      write("sdd/config.yaml", `gates:\n  waived:\n${waived}`);
      const definitions = await engine.stacks.definitions();
      if (!definitions) throw new Error("There is nothing to trust.");
      const surface = createTrustedSurface(definitions, (text) => engine.digest(text));
      await engine.trust.grant({ surface, at: engine.clock.now(), passes: [] });
    },
    commit(message) {
      git(root, "add", "-A");
      git(root, "commit", "-qm", message);
    },
    pass(minutes) {
      steady += minutes * 60_000;
      tenon.clock.set(new Date(Date.parse(tenon.clock.now()) + minutes * 60_000).toISOString());
    },
    [Symbol.dispose]() {
      tenon[Symbol.dispose]();
      folder[Symbol.dispose]();
      data[Symbol.dispose]();
    },
  };
}

/** The checks that did not pass, with what they said. */
export const listFailedChecks = ({ checks = [] }: Answer): string[] =>
  checks.filter(({ status }) => status === "failed" || status === "unknown").map(({ check }) => check);

/** Everything outside Tenon's folders and git's, by path. */
export function filesIn(root: string, inside = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(join(root, inside), { withFileTypes: true })) {
    const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
    if (path === ".git" || path === ".sdd") continue;
    if (entry.isDirectory()) Object.assign(found, filesIn(root, path));
    else found[path] = entry.isFile() ? fs.readFileSync(join(root, path), "utf8") : "no file";
  }
  return found;
}
