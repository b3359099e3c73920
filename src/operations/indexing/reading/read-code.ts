import { isOutlineNeeded, chooseReadMode } from "#domain/indexing/reading.ts";
import { isTestPath } from "#domain/scan/test-path.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedFile, IndexStamp } from "../../ports/code-index.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import type { SourceFile } from "../../ports/source.ts";
import type { ImportResolution } from "./resolving.ts";

/** A killed process loses at most one batch. */
const FILE_BATCH_SIZE = 50;
const MAX_BATCH_COMPONENTS = 10_000;

const UNREADABLE_REASONS = { large: "It is larger than 1 MB.", binary: "It is no UTF-8 text." } as const;
const MINIFIED_REASON = "Its lines are too long to be written by hand: only tags are read in such.";
const PARSE_FAILED_REASON = "It could not be parsed; only its comments were read.";

export async function indexCodeFiles(
  engine: Pick<Engine, "source" | "syntax" | "digest" | "progress">,
  index: CodeIndex,
  files: readonly Pick<SourceFile, "path">[],
  known: ReadonlyMap<string, IndexStamp>,
  resolving: ImportResolution,
): Promise<ReadonlySet<string>> {
  const batch = new IndexBatch(index);
  const stamps = new Map<string, IndexStamp>();
  let done = 0;
  async function* texts() {
    for (const { path } of files) {
      const reading = chooseReadMode(path) ?? "manifest";
      throwIfCancelled(engine.progress);
      if (files.length > FILE_BATCH_SIZE) engine.progress.tell("files read", done++, files.length);
      const standing = await engine.source.stamped(path);
      const { stamp } = standing;
      // A file that is not text has no hash. Its kind is stored instead.
      const hash = standing.kind === "text" ? engine.digest(standing.text) : standing.kind;
      if (known.get(path)?.hash === hash) batch.restamp(path, { hash, stamp });
      else if (standing.kind === "missing" || standing.kind === "link") batch.forget(path);
      else if (standing.kind !== "text") {
        const problem = reading === "code" ? { problem: UNREADABLE_REASONS[standing.kind] } : {};
        batch.put({ ...createBareFile(path, { hash, stamp }), ...problem });
      } else if (!isOutlineNeeded(reading, standing.text))
        batch.put({
          ...createBareFile(path, { hash, stamp }),
          ...(reading === "code" ? { problem: MINIFIED_REASON } : {}),
        });
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
      ...createBareFile(path, stamp),
      ...(outline ? { outline, targets: resolving.targets({ path, ...outline }) } : {}),
      ...(hasFailed ? { problem: PARSE_FAILED_REASON } : {}),
    });
    if (batch.isFull) await batch.flush();
  }
  await batch.flush();
  return batch.read;
}

const createBareFile = (path: string, stamp: IndexStamp): IndexedFile => ({
  path,
  ...stamp,
  isTest: isTestPath(path),
  targets: new Map(),
});

class IndexBatch {
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
    return this.#files.length >= FILE_BATCH_SIZE || this.#components >= MAX_BATCH_COMPONENTS;
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
