import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { git, type TemporaryFolder, temporaryRepository } from "./folder.ts";

/** The small real projects in `test/fixtures`, by the profile that each stands for. */
export const STACKS = ["typescript-react", "python-fastapi", "go", "rust"] as const;
export type Stack = (typeof STACKS)[number];

const FIXTURES = fs.realpathSync("test/fixtures");

/** What is installed beside a project and linked into its copies, because copying it takes too long. */
const LINKED = ["node_modules", ".venv"];
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.venv|target|coverage|dist|__pycache__|\.\w+_cache|\.coverage)$/;

/** A copy of a project as a git repository with one commit, on which every check passes. */
export function fixtureRepository(stack: Stack): TemporaryFolder {
  const repository = temporaryRepository();
  placeFixture(stack, repository.path);
  git(repository.path, "add", "--all");
  git(repository.path, "commit", "--quiet", "--message", "Begin");
  return repository;
}

/** The project's files in a folder, with the tools that are installed for it. */
export function placeFixture(stack: Stack, folder: string): void {
  const source = join(FIXTURES, stack);
  fs.cpSync(source, folder, { recursive: true, filter: (path) => !LEFT_OUT.test(path.slice(source.length)) });
  for (const name of LINKED) {
    if (fs.existsSync(join(source, name))) fs.symlinkSync(join(source, name), join(folder, name));
  }
}

interface Tool {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
}

const INSTALL = "scripts/install-fixture-tools";

const TOOLS: Readonly<Record<Stack, readonly Tool[]>> = {
  "typescript-react": [
    {
      name: `the packages of typescript-react (${INSTALL})`,
      argv: ["test/fixtures/typescript-react/node_modules/.bin/tsc", "--version"],
    },
  ],
  "python-fastapi": [
    {
      name: `the packages of python-fastapi (${INSTALL})`,
      argv: ["test/fixtures/python-fastapi/.venv/bin/python", "-c", "import fastapi, pytest, mypy"],
    },
  ],
  go: [{ name: "go", argv: ["go", "version"] }],
  rust: ["cargo", "cargo fmt", "cargo clippy"].map((name) => {
    const [program = "", ...rest] = name.split(" ");
    return { name, argv: [program, ...rest, "--version"] };
  }),
};

/** What is missing on this machine for a stack's checks, so that a test can say so and skip. */
export function toolchainProblem(stack: Stack): string | undefined {
  const missing = TOOLS[stack].find(({ argv: [program, ...rest] }) => {
    const { status } = spawnSync(program, rest, { stdio: "ignore", env: environment() });
    return status !== 0;
  });
  return missing && `missing: ${missing.name}`;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool in a copy, with none of the variables of the test runner around it. */
export function runTool(
  folder: string,
  argv: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const [program = "", ...rest] = argv;
  const { promise, resolve, reject } = Promise.withResolvers<Ran>();
  const child = spawn(program, rest, { cwd: folder, env: { ...environment(), ...variables } });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  child.on("error", reject).on("close", (code) => resolve({ code, ...said }));
  return promise;
}

const KEPT = [
  "PATH",
  "HOME",
  "LANG",
  "TMPDIR",
  "GOCACHE",
  "GOPATH",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "RUSTUP_TOOLCHAIN",
];

/** Where the tools of this machine are, and nothing of the test runner around. */
export const environment = (): Record<string, string> =>
  Object.fromEntries(KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
