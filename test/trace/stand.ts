import fs from "node:fs";
import { dirname, join } from "node:path";
import type * as z from "zod";
import type { DriftCheckOutput } from "#code/operations/trace/schema.ts";
import type { Files } from "./refactorings.ts";
import { type Stand, stand } from "../workflow/stand.ts";
import { temporaryRepository } from "../kit/folder.ts";

type Drift = z.infer<typeof DriftCheckOutput>;

export interface TraceStand extends Stand {
  drift(input?: Readonly<Record<string, unknown>>): Promise<Drift>;
  /** What speaks, a line each: `high changed AUTH-001 src/login.ts#login`. */
  spoken(input?: Readonly<Record<string, unknown>>): Promise<string[]>;
  accept(ids: string): Promise<Drift>;
}

/** A repository with these files in its first commit. */
export async function traceStand(files: Readonly<Record<string, string>>): Promise<TraceStand> {
  const folder = temporaryRepository();
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    fs.writeFileSync(join(folder.path, path), text);
  }
  const inner = await stand(folder);
  const drift: TraceStand["drift"] = async (input = {}) => (await inner.run("trace.drift", input)) as unknown as Drift;
  return {
    ...inner,
    drift,
    spoken: async (input) =>
      (await drift(input)).findings.map(({ severity, kind, id, symbol, was }) =>
        [severity, kind, id, ...(symbol ? [symbol] : []), ...(was ? [`was ${was}`] : [])].join(" "),
      ),
    accept: (ids) => drift({ accept: ids, reason: "Read and found right" }),
    [Symbol.dispose]: () => inner[Symbol.dispose](),
  };
}

/** The files of a repository, for whoever changes some of them. */
export const filesOf = (it: TraceStand): Files => ({
  read: (path) => it.read(path),
  write: (path, text) => it.write(path, text),
  remove: (path) => fs.rmSync(join(it.root, path)),
});
