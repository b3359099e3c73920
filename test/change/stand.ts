import fs from "node:fs";
import { dirname, join } from "node:path";
import { TINY } from "../gate/tiny.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

export interface ChangeAnswer {
  readonly code: number;
  readonly passed?: boolean;
  readonly receipt?: string;
  readonly problems?: readonly { readonly problem: string }[];
  readonly change?: { readonly id: string; readonly status: string; readonly current_stage: string };
  readonly user_question?: { readonly id: string };
  readonly error?: { readonly code: string };
}

export const CONTEXT = "## Findings\n\nNone.\n\n## Impact\n\nPatch.\n";
export const TASKS = "- [ ] TASK-001: Do it\n";
export const EVIDENCE = "## Evidence\n\n- TASK-001: `npm test`: exit 0, 1992 passed\n";
export const REQUIREMENTS = "# Requirements\n\n## Must have\n\n- **FR-001**: The sum shall add.\n";
export const PROPOSAL =
  "## Problem\n\nIt is wrong.\n\n## Solution\n\nAdd.\n\n## Out of scope\n\nThe rest.\n\n## Success criteria\n\nIt adds.\n";
export const createSpec = (requirements: string): string =>
  `## Requirements\n\n${requirements}\n\n## Acceptance criteria\n\n- It works.\n`;

export const CODE_FOR = (id: string): string => `/** @spec ${id} */\nexport const twice = (a) => a * 2;\n`;
export const TEST_FOR = (id: string): string =>
  `import { twice } from "../src/twice.mjs";\n\n// @spec ${id}\ntest("doubles", () => same(twice(2), 4));\n`;

export type ChangeStand = ReturnType<typeof openChangeStand>;

/** A small project with tests and a linter of its own, its commands trusted; one process plays agent and user. */
export function openChangeStand(
  files: Readonly<Record<string, string>> = {},
  environment: Record<string, string> = {},
) {
  const [folder, data] = [temporaryRepository(), temporaryFolder()];
  const root = folder.path;
  const { PATH = "", HOME = "" } = process.env;
  const house = testHouse(root, {
    dataFolder: data.path,
    environment: { PATH, HOME, TENON_MEMORY: "off", ...environment },
  });
  const write = (path: string, text: string): void => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  };
  const ask = async (...words: string[]): Promise<ChangeAnswer> => {
    const { code, out, err } = await house.run(...words, "--json");
    return { code, ...(JSON.parse(out || err) as object) };
  };
  const must = async (...words: string[]): Promise<ChangeAnswer> => {
    const answer = await ask(...words);
    if (answer.code !== 0) throw new Error(`tenon ${words.join(" ")}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const commit = (message: string): void => {
    git(root, "add", "-A");
    git(root, "commit", "-qm", message);
  };
  const all: Readonly<Record<string, string>> = { ...TINY, ".gitignore": ".sdd/\n", ...files };
  for (const [path, text] of Object.entries(all)) write(path, text);
  commit("Begin");
  return {
    root,
    house,
    write,
    ask,
    must,
    commit,
    read: (path: string): string => fs.readFileSync(join(root, path), "utf8"),
    remove: (path: string): void => fs.rmSync(join(root, path)),
    /** As the user, in a terminal. */
    async trust(): Promise<void> {
      const { hash } = JSON.parse((await house.run("trust", "--json")).out) as { hash: string };
      await house.type("trust", "--confirm", hash);
    },
    /** Starts a change and hands in these artifacts. Runs the context check before its stage. */
    async begin(type: string, size: string, artifacts: readonly string[], description = "Add right"): Promise<void> {
      await must("change", "start", description, "--type", type, "--size", size);
      for (const [i, content] of artifacts.entries()) {
        if (i === 1) await must("context", "check");
        await must("change", "advance", "--content", content);
      }
    },
    verify: (evidence = EVIDENCE, ...more: string[]) => ask("change", "advance", "--content", evidence, ...more),
    archive: () => ask("change", "archive", "add-right"),
    /** The findings of a strict run, each as one line. */
    async ci(...more: string[]): Promise<{ readonly code: number; readonly findings: string }> {
      const { code, out } = await house.run("ci", "--strict", "--json", ...more);
      const { findings } = JSON.parse(out) as { findings: { check: string; kind: string; problem: string }[] };
      return { code, findings: findings.map((each) => `${each.check} ${each.kind}: ${each.problem}`).join("\n") };
    },
    [Symbol.dispose]() {
      house[Symbol.dispose]();
      folder[Symbol.dispose]();
      data[Symbol.dispose]();
    },
  };
}
