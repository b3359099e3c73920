import { Worker } from "node:worker_threads";
import type { CodeOutline } from "#domain/indexing/outline.ts";

export interface ThreadData {
  readonly grammars: string;
  readonly mostMs: number;
}

export interface OutlineRequest {
  readonly path: string;
  readonly text: string;
}

/** `ready` once it accepts files; then one answer per file, in order; `spent` when it answers no more. */
export type OutlineReply = "ready" | "spent" | { readonly outline: CodeOutline | undefined };

const MOST_THREAD_MEMORY_MB = 256;

/**
 * Starts a thread that outlines files: from `worker.ts` in a source checkout, else from the bundle next to this one.
 */
export function startOutlineThread(folder: URL, mostMs: number): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const workerData: ThreadData = { grammars: folder.href, mostMs };
  const worker = new Worker(new URL(isSource ? "./worker.ts" : "./outline-worker.js", import.meta.url), {
    workerData,
    name: "outlines",
    execArgv: isSource ? ["--conditions=tenon-source"] : [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_THREAD_MEMORY_MB, maxYoungGenerationSizeMb: 16 },
    // A crashing parser prints to the output; it is discarded.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}
