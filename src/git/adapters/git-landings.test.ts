import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chance, isFull } from "../../../test/kit/chance.ts";
import { git, temporaryRepository } from "../../../test/kit/folder.ts";
import { createGitLandings } from "./git-landings.ts";
import { openGitSession } from "./git-repository.ts";

const FILES = ["a.txt", "b.txt", "c.txt"];
const LINES_PER_FILE = 25;
const MERGES = isFull ? 100 : 25;
/** Work begins at one of so many last tips. */
const CROWD = 5;

type Texts = ReadonlyMap<string, readonly string[]>;

/** What a piece of work does: tokens that it adds, and lines of its base that it replaces or deletes. */
interface Work {
  readonly after: Texts;
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Lines that it gives another text. */
  readonly replaced: readonly string[];
}

function changeAtRandom(base: Texts, name: string, random: (below: number) => number): Work {
  const after = new Map(base);
  const [added, gone]: [string[], string[]] = [[], []];
  const successors = new Map<string, string>();
  for (let hunk = 0; hunk <= random(4); hunk++) {
    const file = FILES[random(FILES.length)] ?? "";
    const lines = [...(after.get(file) ?? [])];
    const at = random(lines.length);
    const token = `${name}.${hunk}`;
    const what = random(3);
    const removed = what === 0 ? [] : lines.slice(at, at + 1);
    lines.splice(at, removed.length, ...(what === 2 ? [] : [token]));
    gone.push(...removed);
    if (what !== 2) added.push(token);
    if (what === 1) for (const line of removed) successors.set(line, token);
    after.set(file, lines);
  }
  // A later hunk may have replaced the line of an earlier one.
  const isOwn = (line: string): boolean => line.startsWith(`${name}.`);
  return {
    after,
    added: added.filter((token) => !gone.includes(token)),
    gone: gone.filter((line) => !isOwn(line)),
    replaced: [...successors].flatMap(([line, token]) => (isOwn(line) || gone.includes(token) ? [] : [line])),
  };
}

const listLines = (texts: Texts): string[] => [...texts.values()].flat();

test("merges pieces of work that overlap at random: no hunk is lost, and each conflict is reported", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const read = (): Texts =>
    new Map(FILES.map((file) => [file, fs.readFileSync(join(root, file), "utf8").trimEnd().split("\n")]));
  for (const file of FILES) {
    const lines = Array.from({ length: LINES_PER_FILE }, (_, i) => `${file}:${i}`);
    fs.writeFileSync(join(root, file), `${lines.join("\n")}\n`);
  }
  fs.writeFileSync(join(root, ".gitignore"), ".sdd/\n");
  git(root, "add", "-A");
  git(root, "commit", "--quiet", "-m", "Begin");
  const landings = createGitLandings(openGitSession(root, process.env));
  const random = chance(22);
  const tips = [{ commit: git(root, "rev-parse", "HEAD").trim(), texts: read() }];
  let [landed, conflicts] = [0, 0];
  for (let n = 0; landed < MERGES; n++) {
    const name = `work-${n}`;
    const base = tips.at(-1 - random(Math.min(CROWD, tips.length)));
    const tip = tips.at(-1);
    if (!base || !tip) throw new Error("There is no tip.");
    const { folder, start } = await landings.open({ name, base: base.commit, linked: [] });
    const { after, added, gone, replaced } = changeAtRandom(base.texts, name, random);
    for (const [file, lines] of after) fs.writeFileSync(join(folder, file), `${lines.join("\n")}\n`);
    const { changed } = await landings.changes(name, start);
    const commit = await landings.commit({ name, base: base.commit, changes: changed, message: name });
    const merged = await landings.merge(tip.commit, commit);
    const now = listLines(tip.texts);
    // Others changed a line that this work replaces: only its agent can decide.
    const isContradicted = replaced.some((line) => !now.includes(line));
    const isConflict = "conflicts" in merged;
    const kind = isConflict
      ? "conflict"
      : (await landings.land({ branch: "main", from: tip.commit, to: merged.commit })).kind;
    const possible = [...(isContradicted ? [] : ["landed"]), ...(base.commit === tip.commit ? [] : ["conflict"])];
    expect(possible).toContain(kind);
    const texts = read();
    const wanted = isConflict ? now : [...now.filter((line) => !gone.includes(line)), ...added];
    expect(listLines(texts).toSorted()).toEqual(wanted.toSorted());
    if (isConflict) conflicts++;
    else landed = tips.push({ commit: merged.commit, texts }) - 1;
    await landings.remove(name);
  }
  expect(conflicts).toBeGreaterThan(3);
  expect(git(root, "status", "--porcelain")).toBe("");
  expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
});
