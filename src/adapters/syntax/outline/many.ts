import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import type { CodeOutline } from "#domain/indexing/outline.ts";
import type { OutlinedFile } from "#operations/ports/syntax.ts";
import { OutlineWorkerPool } from "./crew.ts";
import type { OutlineRequest } from "./thread.ts";

export interface OutlineMeans {
  readonly read: (path: string, text: string) => Promise<CodeOutline | undefined>;
  readonly start: () => Worker;
  /** How long a thread may take to answer before it counts as hung. The parser stops itself much earlier. */
  readonly patienceMs: number;
  readonly little: number;
}

const FEWEST_FILES_FOR_THREADS = 30;
const MOST_OUTLINE_THREADS = 4;

/** Yields each outline as soon as it is ready. Only a few files are in progress at a time. */
export async function* streamOutlines(
  files: AsyncIterable<OutlineRequest>,
  means: OutlineMeans,
): AsyncGenerator<OutlinedFile> {
  const source = files[Symbol.asyncIterator]();
  try {
    const { first, isAll } = await takeFirstSources(source, means.little);
    if (isAll) yield* outlineInCurrentThread(first, means);
    else yield* outlineInWorkerPool(first, source, means);
  } finally {
    await source.return?.();
  }
}

async function takeFirstSources(
  source: AsyncIterator<OutlineRequest>,
  little: number,
): Promise<{ readonly first: OutlineRequest[]; readonly isAll: boolean }> {
  const first: OutlineRequest[] = [];
  let letters = 0;
  while (first.length < FEWEST_FILES_FOR_THREADS || letters < little) {
    const { done, value } = await source.next();
    if (done === true) return { first, isAll: true };
    first.push(value);
    letters += value.text.length;
  }
  return { first, isAll: false };
}

async function* outlineInCurrentThread(
  files: readonly OutlineRequest[],
  { read }: OutlineMeans,
): AsyncGenerator<OutlinedFile> {
  for (const { path, text } of files) yield { path, outline: await read(path, text) };
}

async function* outlineInWorkerPool(
  first: OutlineRequest[],
  source: AsyncIterator<OutlineRequest>,
  means: OutlineMeans,
): AsyncGenerator<OutlinedFile> {
  const crew = new OutlineWorkerPool(Math.max(1, Math.min(availableParallelism(), MOST_OUTLINE_THREADS)), means);
  try {
    let isAll = false;
    for (;;) {
      while (crew.hasRoom && !(isAll && first.length === 0)) {
        const next = first.length > 0 ? first.shift() : await takeNextSource(source);
        if (next === undefined) isAll = true;
        else crew.give(next);
      }
      if (isAll && first.length === 0 && crew.isIdle) return;
      yield* await crew.told();
    }
  } finally {
    await crew.end();
  }
}

async function takeNextSource(source: AsyncIterator<OutlineRequest>): Promise<OutlineRequest | undefined> {
  const { done, value } = await source.next();
  return done === true ? undefined : value;
}
