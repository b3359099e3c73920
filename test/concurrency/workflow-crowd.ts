import fs from "node:fs";
import { join } from "node:path";
import { git, type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type Finished, tenonAsync } from "../kit/process.ts";
import { put } from "../kit/repository.ts";
import { featureSpec } from "../kit/specs.ts";

/** As much of an answer as these tests ask for. */
export interface Told {
  readonly code: number | null;
  readonly fault?: string | undefined;
  readonly answer: {
    readonly token?: string;
    readonly undo?: { readonly id: string; readonly snapshot: number };
    readonly workflow?: {
      readonly id: string;
      readonly stage: string;
      readonly spec: string;
      readonly files_locked: readonly string[];
      readonly snapshots: readonly { readonly n: number; readonly why: string }[];
    };
    readonly queue?: readonly { readonly id: string; readonly is_current: boolean }[];
    readonly locks?: readonly { readonly workflow: string; readonly path: string }[];
  };
}

/** A repository with files to work on. */
export function crowdedRepository(): TemporaryFolder {
  const repository = temporaryRepository();
  put(repository.path, ".gitignore", ".sdd/\n");
  for (const name of ["login", "code", "token"]) put(repository.path, `src/${name}.ts`, `export const ${name} = 1;\n`);
  git(repository.path, "add", "-A");
  git(repository.path, "commit", "-qm", "Begin");
  return repository;
}

/** Nothing is remembered for the user, so that runs at once share nothing but the repository. */
export const createSessionEnv = (session: string | undefined): Record<string, string> => ({
  TENON_MEMORY: "off",
  ...(session === undefined ? {} : { TENON_SESSION: session }),
});

export async function ask(cwd: string, session: string | undefined, ...words: string[]): Promise<Told> {
  return readCliAnswer(await tenonAsync([...words, "--json"], { cwd, env: createSessionEnv(session) }));
}

export function readCliAnswer({ code, out, err }: Finished): Told {
  const fault = err.split("\n").findLast((line) => line.startsWith("{"));
  return {
    code,
    fault: fault === undefined ? undefined : (JSON.parse(fault) as { error: { code: string } }).error.code,
    answer: out === "" ? {} : (JSON.parse(out) as Told["answer"]),
  };
}

/** As `ask`, for what must succeed. */
export async function askAndRequire(
  cwd: string,
  session: string | undefined,
  ...words: string[]
): Promise<Told["answer"]> {
  const { code, fault, answer } = await ask(cwd, session, ...words);
  if (code !== 0) throw new Error(`tenon ${words.join(" ")}: ${code} ${fault}`);
  return answer;
}

/** A feature at implement, with work done since. */
export async function atImplement(root: string, session?: string): Promise<void> {
  const files = "src/login.ts,src/code.ts,src/new/";
  await askAndRequire(root, session, "feature", "Second factor at login", "--id", "AUTH-001", "--files", files);
  await askAndRequire(root, session, "workflow", "advance", "AUTH-001", "--approve", "Ann");
  put(root, "sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  await askAndRequire(root, session, "workflow", "advance", "AUTH-001", "--approve", "Ann");
  for (const name of ["login", "code", "new/a", "new/b"]) put(root, `src/${name}.ts`, "worked on\n");
}

/** What the work above is on the disk: done, undone, or something between. */
export function judgeWorkOnDisk(root: string): "done" | "undone" | "mixed" {
  const textOf = (name: string): string | undefined => {
    const place = join(root, `src/${name}.ts`);
    return fs.existsSync(place) ? fs.readFileSync(place, "utf8") : undefined;
  };
  const texts = ["login", "code", "new/a", "new/b"].map(textOf);
  if (texts.every((text) => text === "worked on\n")) return "done";
  const old = ["export const login = 1;\n", "export const code = 1;\n", undefined, undefined];
  return texts.every((text, i) => text === old[i]) ? "undone" : "mixed";
}

/** Private refs, by number. */
export const listRefs = (root: string, id: string): number[] =>
  git(root, "for-each-ref", "--format=%(refname)", `refs/tenon/${id}`)
    .split("\n")
    .slice(0, -1)
    .map((ref) => Number(ref.split("/").at(-1)))
    .toSorted((a, b) => a - b);
