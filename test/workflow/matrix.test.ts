import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isFull } from "../kit/chance.ts";
import { refusal } from "../kit/fault.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { commitAll, type Likeness, takeLikeness, selectPart, put } from "../kit/repository.ts";
import { OWN, SITUATIONS, work } from "../kit/situations.ts";
import { type Stand, stand } from "./stand.ts";

const KINDS = [
  { kind: "feature", id: "AUTH-001", title: "Second factor at login" },
  { kind: "bugfix", id: "BUG-001", title: "Login fails with special characters" },
  { kind: "research", id: "RES-001", title: "Which auth provider" },
] as const;
type Kind = (typeof KINDS)[number];

/** In this every kind is tried, and in all others one of them in turn. */
const WHOLE = ["a linked worktree"];

const CASES = SITUATIONS.flatMap((situation, i) =>
  KINDS.filter((_, k) => isFull || WHOLE.includes(situation.name) || i % KINDS.length === k).map((kind) => ({
    name: `${kind.kind} with ${situation.name}`,
    situation,
    kind,
  })),
);

const US = { session: "us" };

/** Two are at work there: we on our own files, and somebody else on theirs. */
async function begin({ kind, id, title }: Kind, root: string): Promise<Stand> {
  const it = await stand({ path: root, [Symbol.dispose]: () => undefined }, false);
  await it.run("workflow.feature", {
    description: "What they do",
    id: "THEM-001",
    files: ["theirs/"],
    session: "them",
  });
  await it.run(`workflow.${kind}`, { description: title, id, ...US });
  await it.run("workflow.lock", { action: "claim", paths: ["own/"], id, ...US });
  return it;
}

/** Everything a user could miss. Tenon's own folder is the machine's, and specs are looked at by themselves. */
function takePicture(root: string): Likeness {
  const main = join(root, "../main");
  const isLinked = fs.existsSync(join(main, ".git"));
  const beside = isLinked ? Object.entries(takeLikeness(main)).map(([name, value]) => [`main ${name}`, value]) : [];
  const all = [...Object.entries(takeLikeness(root)), ...beside];
  return Object.fromEntries(all.filter(([name]) => !/^(?:main )?(?:file|folder) \.?sdd(?:\/|$)/.test(name ?? "")));
}

async function rollBack(it: Stand, id: string, snapshot: number): Promise<Record<string, unknown>> {
  const { token, overlaps } = await it.run("workflow.rollback", { id, snapshot, ...US });
  expect(overlaps).toEqual([]);
  return it.run("workflow.rollback", { id, snapshot, confirm: token, ...US });
}

describe.for(CASES)("a $name", ({ situation, kind }) => {
  test("rolls back alone and forward again", async () => {
    using folder = temporaryFolder();
    const root = situation.prepare(folder.path);
    const before = takePicture(root);
    using it = await begin(kind, root);
    expect(takePicture(root)).toEqual(before);
    const spec = it.read(`sdd/specs/${kind.id}.yaml`);
    work(root);
    it.write(`sdd/specs/${kind.id}.yaml`, `${spec}# worked on\n`);
    const after = takePicture(root);
    const done = await rollBack(it, kind.id, 1);
    expect(done).toMatchObject({ done: true, foreign: [] });
    const back = takePicture(root);
    expect(selectPart(back, OWN)).toEqual(selectPart(before, OWN));
    expect(selectPart(back, OWN, false)).toEqual(selectPart(after, OWN, false));
    expect(it.read(`sdd/specs/${kind.id}.yaml`)).toBe(spec);
    const { snapshot } = done["undo"] as { snapshot: number };
    expect(await rollBack(it, kind.id, snapshot)).toMatchObject({ done: true, foreign: [] });
    expect(takePicture(root)).toEqual(after);
    expect(it.read(`sdd/specs/${kind.id}.yaml`)).toBe(`${spec}# worked on\n`);
  });
});

/** What git has begun and not ended. */
const OBSTACLES: readonly (readonly [name: string, run: (root: string) => void])[] = [
  ["a merge", (root) => expect(() => git(root, "merge", "-q", "other")).toThrow("merge")],
  ["a rebase", (root) => expect(() => git(root, "rebase", "-q", "other")).toThrow("rebase")],
  ["a cherry-pick", (root) => expect(() => git(root, "cherry-pick", "other")).toThrow("cherry-pick")],
];

describe.for(OBSTACLES)("in the middle of %s", ([, run]) => {
  test.for(isFull ? KINDS : KINDS.slice(0, 1))("does not roll back a $kind and changes nothing", async (kind) => {
    using folder = temporaryFolder();
    const root = SITUATIONS[0]?.prepare(folder.path) ?? "";
    using it = await begin(kind, root);
    git(root, "checkout", "-q", "-b", "other");
    put(root, "theirs/a.txt", "other\n");
    commitAll(root, "other");
    git(root, "checkout", "-q", "main");
    put(root, "theirs/a.txt", "main\n");
    put(root, "own/changed.txt", "worked on\n");
    commitAll(root, "main");
    const { token } = await it.run("workflow.rollback", { id: kind.id, snapshot: 1, ...US });
    run(root);
    const before = takePicture(root);
    for (const confirm of [{}, { confirm: token }]) {
      const call = it.run("workflow.rollback", { id: kind.id, snapshot: 1, ...confirm, ...US });
      expect((await refusal(call)).code).toBe("rollback.obstacle");
    }
    expect(takePicture(root)).toEqual(before);
  });
});
