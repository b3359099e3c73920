import fs from "node:fs";
import { dirname, join } from "node:path";
import { listFolderEntries } from "./file-view.ts";

/** Reports after this much quiet time, at the latest `LATEST_REPORT_MS` after the first change. */
const QUIET_PERIOD_MS = 100;
const LATEST_REPORT_MS = 1000;
const POLL_INTERVAL_MS = 1000;
const UNWATCHED_PATH = /^(?:\.git|\.sdd|node_modules)(?:[\\/]|$)/;
const MOST_NEW_FOLDERS = 1000;

export interface WatchRequest {
  readonly root: string;
  readonly list: () => Promise<readonly { readonly path: string; readonly stamp: string }[]>;
  readonly tell: () => void;
}

/** macOS and Windows watch a complete tree, other systems each folder. Where watching fails, it polls each second. */
export async function watchSourceFiles(watching: WatchRequest): Promise<Disposable> {
  try {
    return process.platform === "darwin" || process.platform === "win32"
      ? watchWholeTree(watching)
      : await FolderWatcher.begin(watching);
  } catch {
    return pollForChanges(watching);
  }
}

function watchWholeTree({ root, tell }: WatchRequest): Disposable {
  const calm = debounceChanges(tell);
  const watcher = fs.watch(root, { recursive: true }, (_, name) => {
    if (name === null || !UNWATCHED_PATH.test(name)) calm.stir();
  });
  watcher.on("error", calm.stir);
  return { [Symbol.dispose]: () => (watcher.close(), calm[Symbol.dispose]()) };
}

class FolderWatcher implements Disposable {
  readonly #watching: WatchRequest;
  readonly #watchers = new Map<string, fs.FSWatcher>();
  readonly #calm: ReturnType<typeof debounceChanges>;
  #instead: Disposable | undefined;
  /** Stops calls that still wait for a list from starting watchers: those would keep the process alive. */
  #isOver = false;

  static async begin(watching: WatchRequest): Promise<FolderWatcher> {
    const watch = new FolderWatcher(watching);
    try {
      await watch.#follow();
      return watch;
    } catch (error) {
      watch[Symbol.dispose]();
      throw error;
    }
  }

  private constructor(watching: WatchRequest) {
    this.#watching = watching;
    this.#calm = debounceChanges(() => void this.#changed());
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
      if (!this.#isOver) this.#instead ??= pollForChanges(this.#watching);
    }
    if (!this.#isOver) this.#watching.tell();
  }

  /** Watches the folders that hold files, their parents, and empty folders in them, which no file list contains. */
  async #follow(): Promise<void> {
    const folders = new Set(["."]);
    for (const { path } of await this.#watching.list())
      for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    const entriesOf = (folder: string): fs.Dirent[] => listFolderEntries(join(this.#watching.root, folder));
    for (const folder of folders)
      for (const entry of entriesOf(folder)) {
        const inner = join(folder, entry.name);
        if (!entry.isDirectory() || folders.has(inner) || UNWATCHED_PATH.test(inner)) continue;
        if (entriesOf(inner).length === 0) folders.add(inner);
      }
    for (const folder of folders) this.#watch(folder);
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
    if (folder === "." && name !== null && UNWATCHED_PATH.test(name)) return;
    if (!fs.existsSync(join(this.#watching.root, folder))) this.#forget(folder);
    else if (name !== null) this.#welcome(join(folder, name));
    this.#calm.stir();
  }

  /** An empty folder is in no file list, but files that appear in it must be reported. */
  #welcome(path: string): void {
    try {
      const found = [path];
      for (const folder of found) {
        const place = join(this.#watching.root, folder);
        if (UNWATCHED_PATH.test(folder) || !fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) continue;
        this.#watch(folder);
        for (const entry of fs.readdirSync(place, { withFileTypes: true }))
          if (entry.isDirectory() && found.length < MOST_NEW_FOLDERS) found.push(join(folder, entry.name));
      }
    } catch {
      // It has just been removed, or there can be no more watchers. Listed files are watched or polled anyway.
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}

function pollForChanges({ list, tell }: WatchRequest): Disposable {
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
  const timer = setInterval(() => void look(), POLL_INTERVAL_MS);
  void look();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function debounceChanges(tell: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let since: number | undefined;
  const stir = (): void => {
    since ??= performance.now();
    clearTimeout(timer);
    const wait = Math.max(0, Math.min(QUIET_PERIOD_MS, since + LATEST_REPORT_MS - performance.now()));
    timer = setTimeout(() => {
      since = undefined;
      tell();
    }, wait);
  };
  return { stir, [Symbol.dispose]: () => clearTimeout(timer) };
}
