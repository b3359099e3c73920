/** Reads what the update workers write, over and over, until it is told to stop; then it says what was wrong. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readDecisionHead, parseDecisionId } from "#planning/model/adr/decision-record.ts";
import { parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { getChangeAdrFolder, CHANGES_FOLDER, joinFolderPath } from "#kernel/model/workspace-paths.ts";
import { findStoredChange } from "#planning/operations/change/change-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { ownHouse } from "./own-house.ts";
import { ready, say } from "./worker.ts";

export interface ReaderReport {
  readonly reads: number;
  readonly problems: readonly string[];
}

const [root = ""] = process.argv.slice(2);
const SHARED = parseChangeId("shared");
const house = ownHouse(root);
const engine = await house.open({ argument: root });
const problems = new Set<string>();
let last = 0;

/** A record that is there is whole, lists what is there, and never goes back. */
function look(tree: StoreTree): void {
  const { rev, adrs } = findStoredChange(tree, SHARED).record;
  if (rev < last) problems.add(`revision ${rev} after ${last}`);
  if (adrs.length !== rev - 1) problems.add(`${adrs.length} decisions at revision ${rev}`);
  last = rev;
  const newest = adrs.at(-1);
  if (newest === undefined) return;
  const text = tree.text(joinFolderPath(getChangeAdrFolder(CHANGES_FOLDER, SHARED), `${newest}.md`));
  if (text === undefined) problems.add("a record lists a decision that is not there");
  else readDecisionHead(parseDecisionId(newest), text);
}

/** The last line vouches for all before it. */
function lookAtExport(): void {
  const place = join(root, ".sdd", "state.yaml");
  const text = fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "";
  const [, body = "", hash] = /^([\s\S]*\n)# tenon:end seq=\d+ sha256=(\w+)\n$/.exec(text) ?? [];
  if (text !== "" && createHash("sha256").update(body).digest("hex") !== hash) problems.add("the export is torn");
}

await ready();
let isOver = false;
process.once("message", () => (isOver = true));
let reads = 0;
while (!isOver) {
  try {
    await engine.store.read(look);
    lookAtExport();
  } catch (error) {
    problems.add(String(error));
  }
  reads++;
  // Often enough to meet writes at every moment of theirs, and not so often that they find no time.
  await sleep(1);
}
house.close();
await say({ reads, problems: [...problems] } satisfies ReaderReport);
process.disconnect();
