import fs from "node:fs";
import { dirname, join } from "node:path";

/** Told once things have been quiet for so long, and no later than the second of these after the first of them. */
const QUIET_MS = 100;
const LATEST_MS = 1000;
/** Where nothing tells of changes, they are looked for. */
const LOOK_MS = 1000;
/** What is written there is no matter of the user's files, or is told by others. */
const NOT_OURS = /^(?:\.git|\.sdd|node_modules)(?:[\\/]|$)/;
/** A folder that has just come is looked through for others, as long as they are no more than this. */
const MOST_FOLDERS = 1000;

export interface Watching {
  readonly root: string;
  /** The paths of the files that matter, as they are now, with whatever tells whether one has changed. */
  readonly list: () => Promise<readonly { readonly path: string; readonly stamp: string }[]>;
  readonly tell: () => void;
}

/**
 * Tells that files may have changed, soon after they did, until it is disposed of. macOS and Windows watch a whole tree;
 * elsewhere each folder that holds files is watched, and not those that git ignores. Where that is not possible, it looks
 * every second.
 */
export async function watchFiles(watching: Watching): Promise<Disposable> {
  try {
    return process.platform === "darwin" || process.platform === "win32"
      ? watchTree(watching)
      : await FolderWatch.begin(watching);
  } catch {
    return lookNowAndThen(watching);
  }
}

function watchTree({ root, tell }: Watching): Disposable {
  const calm = new Calm(tell);
  const watcher = fs.watch(root, { recursive: true }, (_, name) => {
    if (name === null || !NOT_OURS.test(name)) calm.stir();
  });
  watcher.on("error", () => calm.stir());
  return { [Symbol.dispose]: () => (watcher.close(), calm[Symbol.dispose]()) };
}

class FolderWatch implements Disposable {
  readonly #watching: Watching;
  readonly #watchers = new Map<string, fs.FSWatcher>();
  readonly #calm: Calm;
  /** Takes the place of the watchers once there cannot be more of them. */
  #instead: Disposable | undefined;
  /** Whoever still waits for a list begins nothing any more: it would keep the process alive. */
  #isOver = false;

  static async begin(watching: Watching): Promise<FolderWatch> {
    const watch = new FolderWatch(watching);
    try {
      await watch.#follow();
      return watch;
    } catch (error) {
      watch[Symbol.dispose]();
      throw error;
    }
  }

  private constructor(watching: Watching) {
    this.#watching = watching;
    this.#calm = new Calm(() => void this.#changed());
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#calm[Symbol.dispose]();
    this.#instead?.[Symbol.dispose]();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #changed(): Promise<void> {
    try {
      await this.#follow();
    } catch {
      this.#fallBack();
    }
    if (!this.#isOver) this.#watching.tell();
  }

  /** Watches the folders in which files are now, those above them, and empty ones in them, which are in no list. */
  async #follow(): Promise<void> {
    const folders = new Set(["."]);
    for (const { path } of await this.#watching.list())
      for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    for (const folder of folders)
      for (const inner of this.#foldersIn(folder))
        if (!folders.has(inner) && !NOT_OURS.test(inner) && this.#entries(inner).length === 0) folders.add(inner);
    for (const folder of folders) this.#watch(folder);
  }

  #foldersIn(folder: string): string[] {
    const entries = this.#entries(folder).filter((entry) => entry.isDirectory());
    return entries.map(({ name }) => join(folder, name));
  }

  #entries(folder: string): fs.Dirent[] {
    try {
      return fs.readdirSync(join(this.#watching.root, folder), { withFileTypes: true });
    } catch {
      // It has just gone, or may not be read.
      return [];
    }
  }

  #watch(folder: string): void {
    if (this.#isOver || this.#instead || this.#watchers.has(folder)) return;
    const place = join(this.#watching.root, folder);
    if (!fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return;
    const watcher = fs.watch(place, (_, name) => this.#happened(folder, name));
    watcher.on("error", () => this.#forget(folder));
    this.#watchers.set(folder, watcher);
  }

  #happened(folder: string, name: string | null): void {
    if (folder === "." && name !== null && NOT_OURS.test(name)) return;
    if (!fs.existsSync(join(this.#watching.root, folder))) this.#forget(folder);
    else if (name !== null) this.#welcome(join(folder, name));
    this.#calm.stir();
  }

  /** An empty folder is in no list of files, and what comes into it is to be told. */
  #welcome(path: string): void {
    try {
      const found = [path];
      for (const folder of found) {
        const place = join(this.#watching.root, folder);
        if (NOT_OURS.test(folder) || !fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) continue;
        this.#watch(folder);
        for (const entry of fs.readdirSync(place, { withFileTypes: true }))
          if (entry.isDirectory() && found.length < MOST_FOLDERS) found.push(join(folder, entry.name));
      }
    } catch {
      // It has just gone, or there can be no more watchers: what is listed is watched, or looked for.
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #fallBack(): void {
    if (!this.#isOver) this.#instead ??= lookNowAndThen(this.#watching);
  }
}

function lookNowAndThen({ list, tell }: Watching): Disposable {
  let [seen, isLooking]: [string | undefined, boolean] = [undefined, false];
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const now = (await list()).map(({ path, stamp }) => `${path} ${stamp}`).join("\n");
      if (now !== seen) tell();
      seen = now;
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  void look();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Many things that happen at once are told once. */
class Calm implements Disposable {
  readonly #tell: () => void;
  #timer: NodeJS.Timeout | undefined;
  #since: number | undefined;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  stir(): void {
    this.#since ??= performance.now();
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(QUIET_MS, this.#since + LATEST_MS - performance.now()));
    this.#timer = setTimeout(() => {
      this.#since = undefined;
      this.#tell();
    }, wait);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
