import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import type { CodeOutline } from "#domain/indexing/outline.ts";
import type { OutlinedFile } from "#operations/ports/syntax.ts";
import { Crew } from "./crew.ts";
import type { Asked } from "./thread.ts";

export interface Means {
  readonly read: (path: string, text: string) => Promise<CodeOutline | undefined>;
  readonly start: () => Worker;
  /** How long a thread may take to answer before it counts as hung. The parser stops itself much earlier. */
  readonly patienceMs: number;
  readonly little: number;
}

const FEW = 30;
const MOST_THREADS = 4;

/** Yields each outline as soon as it is ready. Only a few files are in progress at a time. */
export async function* outlinesOf(files: AsyncIterable<Asked>, means: Means): AsyncGenerator<OutlinedFile> {
  const source = files[Symbol.asyncIterator]();
  try {
    const { first, isAll } = await firstOf(source, means.little);
    if (isAll) yield* readHere(first, means);
    else yield* readByCrew(first, source, means);
  } finally {
    await source.return?.();
  }
}

async function firstOf(
  source: AsyncIterator<Asked>,
  little: number,
): Promise<{ readonly first: Asked[]; readonly isAll: boolean }> {
  const first: Asked[] = [];
  let letters = 0;
  while (first.length < FEW || letters < little) {
    const { done, value } = await source.next();
    if (done === true) return { first, isAll: true };
    first.push(value);
    letters += value.text.length;
  }
  return { first, isAll: false };
}

async function* readHere(files: readonly Asked[], { read }: Means): AsyncGenerator<OutlinedFile> {
  for (const { path, text } of files) yield { path, outline: await read(path, text) };
}

async function* readByCrew(first: Asked[], source: AsyncIterator<Asked>, means: Means): AsyncGenerator<OutlinedFile> {
  const crew = new Crew(Math.max(1, Math.min(availableParallelism(), MOST_THREADS)), means);
  try {
    let isAll = false;
    for (;;) {
      while (crew.hasRoom && !(isAll && first.length === 0)) {
        const next = first.length > 0 ? first.shift() : await nextOf(source);
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

async function nextOf(source: AsyncIterator<Asked>): Promise<Asked | undefined> {
  const { done, value } = await source.next();
  return done === true ? undefined : value;
}
