import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFull, seed } from "../kit/chance.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { takePicture } from "../kit/index-picture.ts";
import { put } from "../kit/repository.ts";
import { startWorker } from "../kit/worker.ts";
import { fresh, index } from "./ground.ts";

interface Done {
  readonly read: number;
  readonly gone: number;
  readonly isKept: boolean;
  readonly writes: number;
}

/** More than are put at once. */
const FILES = 230;
const code = (n: number, more = ""): string =>
  `import { part${n + 1} } from "./part-${n + 1}.ts";\n// @spec AUTH-001\nexport function part${n}() {\n  return part${n + 1}();\n}\n${more}`;

function fill(root: string): void {
  fs.mkdirSync(join(root, "sdd"));
  for (let n = 0; n < FILES; n++) put(root, `src/part-${n}.ts`, code(n));
  put(root, "README.md", "# Parts\n\nMany.\n");
}

/** Whether it died, as it was told to. */
async function struckAt(dies: number, root: string): Promise<boolean> {
  const worker = startWorker<"ready" | Done>("index", [root, String(dies)]);
  await worker.hear(1);
  worker.tell("go");
  const { signal, err } = await worker.ended;
  expect(err).toBe("");
  return signal === "SIGKILL";
}

test(
  `leaves an index that the next call completes when killed at any write (TENON_SEED=${seed})`,
  { timeout: 600_000 },
  async () => {
    using repository = temporaryRepository();
    const root = repository.path;
    fill(root);
    // The writes of a first build, then of an update in which files come, go, move and are only touched.
    let round = 0;
    const change = (): void => {
      round++;
      put(root, `src/new-${round}.ts`, code(round));
      fs.rmSync(join(root, `src/part-${round * 3}.ts`));
      fs.renameSync(join(root, `src/part-${round * 3 + 1}.ts`), join(root, `src/moved-${round}.ts`));
      put(root, "src/part-0.ts", code(0, `export const round = ${round};\n`));
      fs.utimesSync(join(root, "src/part-2.ts"), round, round);
      put(root, "README.md", `# Parts\n\nMany ${round}.\n`);
    };
    const struck: string[] = [];
    for (const kind of ["build", "update"] as const) {
      const step = isFull ? 1 : 3;
      for (let dies = seed % step; ; dies += step) {
        if (kind === "build") fs.rmSync(join(root, ".sdd"), { recursive: true, force: true });
        change();
        if (!(await struckAt(dies, root))) break;
        await index(root);
        expect({ kind, dies, ...takePicture(root) }).toEqual({ kind, dies, ...(await fresh(root)) });
        struck.push(`${kind} ${dies}`);
      }
    }
    expect(struck.length).toBeGreaterThan(3);
    process.stdout.write(`killed at: ${struck.join(", ")}\n`);
  },
);

test("reads the files once for several concurrent processes, and all answer right", { timeout: 600_000 }, async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  fill(root);
  const times = isFull ? 12 : 3;
  const workers = Array.from({ length: isFull ? 6 : 3 }, () =>
    startWorker<"ready" | Done>("index", [root, "", String(times)]),
  );
  await Promise.all(workers.map((worker) => worker.hear(1)));
  for (const worker of workers) worker.tell("go");
  const heard = await Promise.all(workers.map((worker) => worker.hear(2)));
  const first = heard.map(([, done]) => done as Done);
  expect(first.reduce((sum, { read }) => sum + read, 0)).toBe(FILES + 1);
  // While they go on, files change under them.
  for (let n = 0; n < 20; n++) put(root, `src/part-${n}.ts`, code(n, `export const late = ${n};\n`));
  fs.rmSync(join(root, "src/part-99.ts"));
  const endings = await Promise.all(workers.map((worker) => worker.ended));
  expect(endings.map(({ code: exit, err }) => ({ exit, err }))).toEqual(workers.map(() => ({ exit: 0, err: "" })));
  expect(workers.flatMap(({ said }) => said.slice(1) as Done[]).every(({ isKept }) => isKept)).toBe(true);
  await index(root);
  expect(takePicture(root)).toEqual(await fresh(root));
});
