import { Worker } from "node:worker_threads";
import type { Outline } from "#domain/indexing/outline.ts";

/** What a thread is told when it starts. */
export interface ThreadData {
  readonly grammars: string;
  readonly mostMs: number;
}

export interface Asked {
  readonly path: string;
  readonly text: string;
}

/** `ready` once it can be asked; then one answer for each file, in their order; `spent` when it answers no more. */
export type Said = "ready" | "spent" | { readonly outline: Outline | undefined };

/** Megabytes of objects; a file that needs more is written to need it. */
const MOST_MEMORY = 256;

/** A thread that outlines files: from the source where this is the source, else from the bundle beside this one. */
export function startThread(folder: URL, mostMs: number): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const workerData: ThreadData = { grammars: folder.href, mostMs };
  const worker = new Worker(new URL(isSource ? "./worker.ts" : "./outline-worker.js", import.meta.url), {
    workerData,
    name: "outlines",
    // Nothing of the parent's own flags is meant for it.
    execArgv: isSource ? ["--conditions=tenon-source"] : [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY, maxYoungGenerationSizeMb: 16 },
    // A parser that breaks down says so to whoever reads; nobody does.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}
