import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { testHouse, type TestHouse } from "../kit/house.ts";
import { git, temporaryFolder, temporaryRepository, type TemporaryFolder } from "../kit/folder.ts";

/** A repository that its user has just cloned or unpacked, and what stands beside it. */
export interface Victim extends Disposable {
  readonly root: string;
  /** Files of the user outside the repository. */
  readonly outside: string;
  readonly data: string;
  put(path: string, text: string): void;
  /** A link in the repository to a place outside. */
  link(path: string, target: string): void;
  readonly run: (...words: string[]) => Promise<{ code: number; said: string }>;
  /** Another workspace of the same user. */
  workspace(name: string): { readonly root: string; readonly run: Victim["run"] };
}

export interface Attack {
  readonly attack: string;
  /** What the user sees, or "no effect". */
  readonly answer: string;
  /** Plays it, and gives what leaked, ran or was changed: nothing. */
  readonly play: (at: Victim) => Promise<unknown>;
}

const runIn =
  (house: TestHouse): Victim["run"] =>
  async (...words) => {
    const { code, out, err } = await house.run(...words);
    return { code, said: out + err };
  };

export function openVictim(): Victim {
  const open: Disposable[] = [];
  const keep = <T extends Disposable>(each: T): T => {
    open.push(each);
    return each;
  };
  const repository: TemporaryFolder = keep(temporaryRepository());
  const [outside, data, others] = [keep(temporaryFolder()), keep(temporaryFolder()), keep(temporaryFolder())];
  const put = (path: string, text: string): void => {
    const file = join(repository.path, path);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  const openHouse = (root: string): Victim["run"] =>
    runIn(keep(testHouse(root, { dataFolder: data.path, newId: randomUUID })));
  return {
    root: repository.path,
    outside: outside.path,
    data: data.path,
    put,
    link(path, target) {
      const file = join(repository.path, path);
      fs.mkdirSync(dirname(file), { recursive: true });
      fs.rmSync(file, { recursive: true, force: true });
      fs.symlinkSync(target, file);
    },
    // Opened for each call, so that what is planted in between is met as by a new process.
    run: async (...words) => openHouse(repository.path)(...words),
    workspace(name) {
      const root = join(others.path, name);
      fs.mkdirSync(root);
      git(root, "init", "--quiet", "--template=");
      return { root, run: openHouse(root) };
    },
    [Symbol.dispose]: () => {
      for (const each of open.toReversed()) each[Symbol.dispose]();
    },
  };
}

/** Every file below a folder with its text, links as links. */
export function readAll(folder: string): Record<string, string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((file) => [file.slice(folder.length + 1), fs.readFileSync(file, "latin1")]));
}

/** Paths of files below the folders that hold the text. */
export const findText = (text: string, ...folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    Object.entries(readAll(folder)).flatMap(([path, held]) => (held.includes(text) ? [path] : [])),
  );

export function formatAttackTable(attacks: readonly Attack[]): string {
  const rows = attacks.map(({ attack, answer }) => `| ${attack} | ${answer} |`);
  return ["| attack | what happens |", "|---|---|", ...rows, ""].join("\n");
}
