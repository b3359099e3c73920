import fs from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { load } from "js-yaml";
import { parseDecisionFileName, readDecisionHead } from "#planning/model/adr/decision-record.ts";
import { parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { findStoredChange } from "#planning/operations/change/change-records.ts";
import { ownHouse } from "../kit/own-house.ts";

/** What a workspace holds after many have written to it. */
export interface Tally {
  /** The titles of the decisions, by their reference. */
  readonly titles: ReadonlyMap<string, string>;
  /** The numbers given to decisions of the change, and to those that stand alone. */
  readonly numbers: { readonly shared: readonly number[]; readonly alone: readonly number[] };
  readonly listed: readonly string[];
  readonly rev: number;
  readonly events: readonly { readonly kind: string; readonly subject: string }[];
  readonly pending: number;
  /** Whether `.sdd/state.yaml` shows what is there now. */
  readonly isExportNew: boolean;
  /** Temporaries and tickets that somebody left. */
  readonly litter: readonly string[];
}

export async function readUpdateTally(root: string): Promise<Tally> {
  const house = ownHouse(root);
  const { store } = await house.open({ argument: root });
  const { record } = await store.read((tree) => findStoredChange(tree, parseChangeId("shared")));
  const shared = decisions(join(root, "sdd/changes/shared/adrs"), "shared/");
  const alone = decisions(join(root, "sdd/adrs"), "");
  const events = (await store.events(0)).map(({ kind, subject }) => ({ kind, subject }));
  const pending = (await store.pending()).length;
  const position = await store.position();
  house.close();
  return {
    titles: new Map([...shared, ...alone].map(({ ref, title }) => [ref, title])),
    numbers: { shared: shared.map(({ number }) => number), alone: alone.map(({ number }) => number) },
    listed: record.adrs.map((id) => `shared/${id}`),
    rev: record.rev,
    events,
    pending,
    isExportNew: isDeepStrictEqual(exported(root), { seq: position, activity: record.updated_at }),
    litter: listLeftovers(root),
  };
}

function exported(root: string): unknown {
  const text = fs.readFileSync(join(root, ".sdd", "state.yaml"), "utf8");
  const state = load(text) as { workflows?: { shared?: { last_activity?: unknown } } };
  return {
    seq: Number(/^# tenon:end seq=(\d+) /m.exec(text)?.[1]),
    activity: state.workflows?.shared?.last_activity,
  };
}

/** By number, smallest first. */
function decisions(folder: string, prefix: string): { ref: string; number: number; title: string }[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => {
      const adr = parseDecisionFileName(name);
      if (!adr) return [];
      const { title } = readDecisionHead(adr.id, fs.readFileSync(join(folder, name), "utf8"));
      return [{ ref: `${prefix}${adr.id}`, number: adr.number, title }];
    })
    .toSorted((a, b) => a.number - b.number);
}

function listLeftovers(root: string): string[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tmp$|(?:^|\/)\.tenon-|tenon\/turns\/./.test(path));
}
