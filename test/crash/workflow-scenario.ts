import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import { testHouse, type TestHouse } from "../kit/house.ts";
import { put } from "../kit/repository.ts";
import { featureSpec, researchSpec } from "../kit/specs.ts";

/** A command on workflows that is struck, and what may be done once it has happened. */
export interface WorkflowScenario {
  readonly name: string;
  readonly prepare: (run: Run, root: string) => Promise<void>;
  /** Its words; a plan is made in the prepared repository first where they need its token. */
  readonly words: (run: Run) => Promise<readonly string[]>;
  readonly after: readonly string[];
}

/** Runs a command that must succeed and gives its answer. */
type Run = (...words: string[]) => Promise<Readonly<Record<string, unknown>>>;

/** What AUTH-001 works on. Everything else in the repository is somebody else's. */
export const OWN = ["src/login.ts", "src/gone.ts", "src/run.sh", "src/code/check.ts", "src/code/deep/more.ts"];

/** A workflow that nothing is about: to abandon it is what somebody does next who knows nothing of the strike. */
export const NEXT = ["workflow", "abandon", "UI-001", "--reason", "Solved upstream"];

const BEGIN = ["feature", "Second factor at login", "--id", "AUTH-001", "--files", "src/login.ts,src/code/"];
const words =
  (...all: string[]) =>
  async (): Promise<readonly string[]> =>
    all;

async function toImplement(run: Run, root: string): Promise<void> {
  await run(...BEGIN);
  await run("workflow", "advance", "AUTH-001", "--approve", "Ann");
  put(root, "sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  await run("workflow", "advance", "AUTH-001", "--approve", "Ann");
  await run("lock", "claim", "src/gone.ts", "src/run.sh", "--id", "AUTH-001");
  editWorkFiles(root);
}

/** Files change, come and go; one is staged, and changed again. */
function editWorkFiles(root: string): void {
  put(root, "src/login.ts", "export const login = 2;\n");
  git(root, "add", "src/login.ts");
  put(root, "src/login.ts", "export const login = 3;\n");
  fs.rmSync(join(root, "src/gone.ts"));
  fs.chmodSync(join(root, "src/run.sh"), 0o644);
  put(root, "src/code/check.ts", "export const check = 1;\n");
  put(root, "src/code/deep/more.ts", "export const more = 1;\n");
}

export const WORKFLOW_SCENARIOS: readonly WorkflowScenario[] = [
  {
    name: "workflow rollback",
    prepare: toImplement,
    async words(run) {
      const { token } = await run("workflow", "rollback", "AUTH-001", "specify", "--presumed");
      return ["workflow", "rollback", "AUTH-001", "specify", "--presumed", "--confirm", String(token)];
    },
    after: ["workflow", "snapshot", "AUTH-001"],
  },
  {
    name: "workflow switch",
    async prepare(run, root) {
      await toImplement(run, root);
      for (let i = 0; i < 3; i++) {
        put(root, "src/login.ts", `export const login = ${10 + i};\n`);
        await run("workflow", "snapshot", "AUTH-001");
      }
      put(root, "src/login.ts", "export const login = 20;\n");
    },
    words: words("workflow", "switch", "BUG-001"),
    after: ["workflow", "switch", "AUTH-001"],
  },
  {
    name: "workflow advance",
    async prepare(run, root) {
      await run(...BEGIN);
      await run("workflow", "advance", "AUTH-001", "--approve", "Ann");
      put(root, "sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
      editWorkFiles(root);
    },
    words: words("workflow", "advance", "AUTH-001", "--approve", "Ann", "--stage", "specify"),
    after: ["workflow", "snapshot", "AUTH-001"],
  },
  {
    name: "workflow advance to the end",
    async prepare(run, root) {
      await run("research", "Which auth provider", "--id", "RES-001", "--timebox", "1h");
      put(root, "sdd/specs/RES-001.yaml", researchSpec("RES-001"));
      for (let i = 0; i < 2; i++) await run("workflow", "advance", "RES-001");
    },
    words: words("workflow", "advance", "RES-001", "--approve", "Ann"),
    after: ["workflow", "switch", "BUG-001"],
  },
  {
    name: "feature",
    async prepare(run, root) {
      await toImplement(run, root);
    },
    words: words("feature", "Export of every table", "--id", "CSV-001", "--files", "src/export.ts"),
    after: ["workflow", "snapshot", "CSV-001"],
  },
];

/** A repository in which a user is in the middle of other things. */
export async function prepareRepository(scenario: WorkflowScenario, root: string): Promise<readonly string[]> {
  fs.mkdirSync(root);
  git(root, "init", "--quiet", "--initial-branch=main", "--template=");
  git(root, "config", "user.name", "Tester");
  git(root, "config", "user.email", "tester@example.com");
  put(root, ".gitignore", ".sdd/\n*.log\n");
  for (const path of ["src/login.ts", "src/gone.ts", "src/run.sh", "src/token.ts", "README.md"]) put(root, path, "1\n");
  fs.chmodSync(join(root, "src/run.sh"), 0o755);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  git(root, "branch", "side");
  put(root, "README.md", "Stashed\n");
  git(root, "stash", "--quiet");
  using house = realHouse(root);
  const run = runIn(house);
  await run("feature", "Something on the screen", "--id", "UI-001");
  await run("bugfix", "Login fails with special characters", "--id", "BUG-001", "--files", "src/token.ts");
  put(root, "src/token.ts", "Staged by somebody else\n");
  git(root, "add", "src/token.ts");
  put(root, "src/token.ts", "Changed by somebody else\n");
  put(root, "notes.txt", "Not tracked\n");
  put(root, "run.log", "Ignored\n");
  await scenario.prepare(run, root);
  return scenario.words(run);
}

/** The product in this process, by the clock that other processes have too. */
export function realHouse(root: string): TestHouse {
  const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z");
  return testHouse(root, { newId: randomUUID, clock: { now }, environment: { TENON_MEMORY: "off" } });
}

function runIn(house: TestHouse): Run {
  return async (...said) => {
    const { code, out, err } = await house.run(...said, "--json");
    if (code !== 0) throw new Error(`tenon ${said.join(" ")}: ${code} ${err}${out}`);
    return JSON.parse(out) as Record<string, unknown>;
  };
}
