import fs from "node:fs";
import { readSession } from "#domain/handover/session.ts";
import type { HookCall } from "#domain/hook/call.ts";
import { greetingValues, interruptedIn, queueOf } from "#domain/hook/greeting.ts";
import { renderTemplate } from "#domain/template.ts";
import { SESSION } from "#domain/workspace/path.ts";
import { NOTHING_AT_WORK, openChangesIn, pictureOf } from "./at-work.ts";
import type { HookHouse } from "./house.ts";
import type { Place } from "./place.ts";

/** Undefined if no work is in progress and the previous session left no note. */
export async function greeting(call: HookCall, place: Place, house: HookHouse): Promise<string | undefined> {
  const { session } = call;
  const atWork = (await pictureOf(place, house))?.atWork ?? NOTHING_AT_WORK;
  const queue = queueOf(atWork, openChangesIn(place.root));
  const left = leftIn(place.root);
  if (queue.length === 0 && left === undefined) return undefined;
  const interrupted = interruptedIn(queue, atWork, session, house.now());
  const [first] = interrupted;
  const isHere = first !== undefined && atWork.sessions.get(first.by)?.checkout === place.checkout;
  const uncommitted = isHere ? await house.uncommitted(place.root) : undefined;
  const isCompacted = call.source === "compact";
  const goesOn = isCompacted && (await goesOnAfterCompact(place.root, house));
  return renderTemplate(house.asset("hooks/session-start.md"), {
    ...greetingValues({ session, queue, atWork, interrupted, uncommitted, ...(left ? { left } : {}) }),
    note: left !== undefined,
    wait: isCompacted && !goesOn,
    goOn: goesOn,
  }).trimEnd();
}

const LONGEST_NOTE = 65_536;

function leftIn(root: string): { next: string; warnings: string } | undefined {
  try {
    const file = `${root}/${SESSION}`;
    const stat = fs.lstatSync(file);
    if (!stat.isFile() || stat.size > LONGEST_NOTE) return undefined;
    const { next, warnings } = readSession(fs.readFileSync(file, "utf8"));
    return next === "" && warnings === "" ? undefined : { next, warnings };
  } catch {
    return undefined;
  }
}

/** Loads the YAML parser only if the file contains the key. */
async function goesOnAfterCompact(root: string, house: HookHouse): Promise<boolean> {
  try {
    const text = fs.readFileSync(`${root}/sdd/config.yaml`, "utf8");
    return text.includes("after_compact") && (await house.settings(text)).sessions.after_compact === "continue";
  } catch {
    // Waiting is the safe default. Other commands report a broken settings file.
    return false;
  }
}
