import fs from "node:fs";
import { join } from "node:path";
import { createTrustedSurface } from "#checking/model/stack/trusted-surface.ts";
import type { ProcessContext } from "#app/application-host.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { featureSpec } from "../kit/specs.ts";
import { type Answer, type Stand, stand } from "../workflow/stand.ts";

export interface ProjectStand extends Stand {
  /** As the user does with `tenon trust`, having looked. */
  trust(): Promise<string>;
  /** Runs the gate, and tells what does not pass. */
  gate(id?: string): Promise<Answer & { readonly open: readonly string[] }>;
  /** A feature whose spec is agreed to; the stage in which it is built is open. */
  begin(id?: string): Promise<void>;
}

const write = (root: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(root, path, ".."), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  }
};

/** A repository with these files in its first commit. What the user trusts is kept outside of it. */
export async function projectStand(
  files: Readonly<Record<string, string>>,
  world: Partial<ProcessContext> = {},
  io: Partial<ProcessContext["io"]> = {},
): Promise<ProjectStand> {
  const folder = temporaryRepository();
  write(folder.path, files);
  const { PATH, HOME } = process.env;
  const inner = await stand(folder, true, { environment: { PATH, HOME }, ...world }, io);
  const { engine } = inner;
  const trust = async (): Promise<string> => {
    const definitions = await engine.stacks.definitions();
    if (!definitions) throw new Error("There is nothing to trust.");
    const surface = createTrustedSurface(definitions, (text) => engine.digest(text));
    await engine.trust.grant({ surface, at: engine.clock.now(), passes: [] });
    return surface.hash;
  };
  return {
    ...inner,
    trust,
    async gate(id = "AUTH-001") {
      const answer = await inner.run("gate.run", { id });
      return { ...answer, open: openIn(answer) };
    },
    async begin(id = "AUTH-001") {
      await inner.run("workflow.feature", { description: "Log in with a code", id });
      inner.write(`sdd/specs/${id}.yaml`, featureSpec(id));
      for (const stage of ["discover", "specify"]) {
        const answer = await inner.advance(id, { stage });
        if (!answer.passed) throw new Error(`${stage} did not pass: ${JSON.stringify(answer.checks)}`);
      }
    },
    [Symbol.dispose]: () => inner[Symbol.dispose](),
  };
}

/** What failed or nobody knows, each as `check: what it said`. */
export const openIn = ({ checks = [] }: Answer): string[] =>
  checks
    .filter(({ status }) => status === "failed" || status === "unknown")
    .flatMap(({ check, problems, reason }) => {
      const said = problems.length > 0 ? problems.map(({ problem }) => problem) : [reason ?? ""];
      return said.map((text) => `${check}: ${text}`);
    });

const MODULES = join(process.cwd(), "node_modules");

/** A small project in TypeScript with tools of its own, all of them real: vitest, oxlint and tsc. */
export async function typescriptStand(more: Readonly<Record<string, string>> = {}): Promise<ProjectStand> {
  const made = await projectStand({
    "package.json": JSON.stringify({
      name: "small",
      type: "module",
      scripts: { test: "vitest run", lint: "oxlint" },
      devDependencies: { vitest: "5.1.0", oxlint: "1.93.0", typescript: "7.0.2" },
    }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        module: "nodenext",
        target: "es2024",
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: [],
      },
      include: ["src", "tests"],
    }),
    ".oxlintrc.json": JSON.stringify({ rules: { "no-var": "error", "no-debugger": "error" } }),
    "src/add.ts": "export const add = (a: number, b: number): number => a + b;\n",
    "tests/add.test.ts": [
      'import { expect, test } from "vitest";',
      'import { add } from "../src/add.ts";',
      'test("adds", () => expect(add(1, 2)).toBe(3));',
      'test("adds nothing", () => expect(add(1, 0)).toBe(1));',
      "",
    ].join("\n"),
    "sdd/config.yaml": "gates:\n  waived:\n    coverage: No tool for it is installed here\n",
    ...more,
  });
  fs.symlinkSync(MODULES, join(made.root, "node_modules"));
  return made;
}

export const NEW_TEST = `import { expect, test } from "vitest";
import { login } from "../src/login.ts";
// @spec AUTH-001.AC-1
test("lets the right code in", () => expect(login("123456")).toBe(true));
test("refuses a wrong code", () => expect(login("000000")).toBe(false));
`;

export const NEW_CODE = `/** @spec AUTH-001 */
export const login = (code: string): boolean => code === "123456";
`;
