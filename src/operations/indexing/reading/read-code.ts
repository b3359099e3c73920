import { isOutlined, readingOf } from "#domain/indexing/reading.ts";
import { isTestPath } from "#domain/scan/test-path.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedFile, IndexStamp } from "../../ports/code-index.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import type { SourceFile } from "../../ports/source.ts";
import type { Resolving } from "./resolving.ts";

/** A killed process loses at most one batch. */
const BATCH = 50;
const MOST_COMPONENTS = 10_000;

const WHY = { large: "It is larger than 1 MB.", binary: "It is no UTF-8 text." } as const;
const MINIFIED = "Its lines are too long to be written by hand: only tags are read in such.";
const GAVE_UP = "It could not be parsed; only its comments were read.";

export async function readCode(
  engine: Pick<Engine, "source" | "syntax" | "digest" | "progress">,
  index: CodeIndex,
  files: readonly Pick<SourceFile, "path">[],
  known: ReadonlyMap<string, IndexStamp>,
  resolving: Resolving,
): Promise<ReadonlySet<string>> {
  const batch = new Batch(index);
  const stamps = new Map<string, IndexStamp>();
  let done = 0;
  async function* texts() {
    for (const { path } of files) {
      const reading = readingOf(path) ?? "manifest";
      throwIfCancelled(engine.progress);
      if (files.length > BATCH) engine.progress.tell("files read", done++, files.length);
      const standing = await engine.source.stamped(path);
      const { stamp } = standing;
      // A file that is not text has no hash. Its kind is stored instead.
      const hash = standing.kind === "text" ? engine.digest(standing.text) : standing.kind;
      if (known.get(path)?.hash === hash) batch.restamp(path, { hash, stamp });
      else if (standing.kind === "missing" || standing.kind === "link") batch.forget(path);
      else if (standing.kind !== "text") {
        const problem = reading === "code" ? { problem: WHY[standing.kind] } : {};
        batch.put({ ...bare(path, { hash, stamp }), ...problem });
      } else if (!isOutlined(reading, standing.text))
        batch.put({ ...bare(path, { hash, stamp }), ...(reading === "code" ? { problem: MINIFIED } : {}) });
      else {
        stamps.set(path, { hash, stamp });
        yield { path, text: standing.text };
      }
    }
  }
  for await (const { path, outline } of engine.syntax.outlines(texts())) {
    const stamp = stamps.get(path) ?? { hash: "", stamp: "" };
    stamps.delete(path);
    const hasFailed = outline?.by === "comments" && !outline.isWhole;
    batch.put({
      ...bare(path, stamp),
      ...(outline ? { outline, targets: resolving.targets({ path, ...outline }) } : {}),
      ...(hasFailed ? { problem: GAVE_UP } : {}),
    });
    if (batch.isFull) await batch.flush();
  }
  await batch.flush();
  return batch.read;
}

const bare = (path: string, stamp: IndexStamp): IndexedFile => ({
  path,
  ...stamp,
  isTest: isTestPath(path),
  targets: new Map(),
});

class Batch {
  readonly read = new Set<string>();
  readonly #index: CodeIndex;
  #files: IndexedFile[] = [];
  #gone: string[] = [];
  #restamps: (IndexStamp & { path: string })[] = [];
  #components = 0;

  constructor(index: CodeIndex) {
    this.#index = index;
  }

  get isFull(): boolean {
    return this.#files.length >= BATCH || this.#components >= MOST_COMPONENTS;
  }

  put(file: IndexedFile): void {
    this.read.add(file.path);
    this.#files.push(file);
    this.#components += file.outline?.components.length ?? 0;
  }

  restamp(path: string, stamp: IndexStamp): void {
    this.#restamps.push({ path, ...stamp });
  }

  forget(path: string): void {
    this.#gone.push(path);
  }

  async flush(): Promise<void> {
    if (this.#files.length + this.#gone.length > 0) await this.#index.put(this.#files, this.#gone);
    if (this.#restamps.length > 0) await this.#index.restamp(this.#restamps);
    [this.#files, this.#gone, this.#restamps, this.#components] = [[], [], [], 0];
  }
}
