import type { Engine } from "../../engine.ts";

/** Checks in one folder would disturb each other, so they take turns. Another worktree has files of its own. */
export const oneAtATime = <T>(engine: Pick<Engine, "store" | "checkout">, work: () => Promise<T>): Promise<T> =>
  engine.store.exclusively(`run of checks in ${engine.checkout}`, work);
