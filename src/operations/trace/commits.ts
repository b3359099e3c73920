import { saidIn } from "#domain/indexing/feed.ts";
import type { Said } from "#domain/scan/tags.ts";
import type { Engine } from "../engine.ts";
import type { Output } from "./parts.ts";

const SHOWN = 20;
const MOST = 1_000;

export interface Naming {
  readonly commits: NonNullable<Output["commits"]>;
  readonly older: number;
}

/** Newest first; none outside git. */
export async function commitsNaming({ source }: Pick<Engine, "source">, { spec, criterion }: Said): Promise<Naming> {
  const all = (await source.commits({ most: MOST, naming: spec })) ?? [];
  const own = all.filter((commit) =>
    saidIn(commit).some((said) => said.spec === spec && (criterion === undefined || said.criterion === criterion)),
  );
  return {
    commits: own.slice(0, SHOWN).map(({ hash, at, subject }) => ({ hash, date: at, subject })),
    older: Math.max(0, own.length - SHOWN),
  };
}
