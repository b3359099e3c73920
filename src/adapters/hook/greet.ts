import fs from "node:fs";
import { parseSessionDocument } from "#domain/handover/session.ts";
import type { HookCall } from "#domain/hook/call.ts";
import { buildGreetingValues, findInterruptedWork, buildWorkQueue } from "#domain/hook/greeting.ts";
import { renderTemplate } from "#domain/template.ts";
import { HANDOVER_SESSION_PATH } from "#domain/workspace/path.ts";
import { NO_WORK_IN_PROGRESS, readOpenChanges, loadWorkInProgress } from "./at-work.ts";
import type { HookServices } from "./house.ts";
import type { HookWorkspace } from "./place.ts";

/** Undefined if no work is in progress and the previous session left no note. */
export async function renderSessionGreeting(
  call: HookCall,
  place: HookWorkspace,
  house: HookServices,
): Promise<string | undefined> {
  const { session } = call;
  const atWork = (await loadWorkInProgress(place, house))?.atWork ?? NO_WORK_IN_PROGRESS;
  const queue = buildWorkQueue(atWork, readOpenChanges(place.root));
  const left = readSessionNote(place.root);
  if (queue.length === 0 && left === undefined) return undefined;
  const interrupted = findInterruptedWork(queue, atWork, session, house.now());
  const [first] = interrupted;
  const isHere = first !== undefined && atWork.sessions.get(first.by)?.checkout === place.checkout;
  const uncommitted = isHere ? await house.uncommitted(place.root) : undefined;
  const isCompacted = call.source === "compact";
  const goesOn = isCompacted && (await shouldContinueAfterCompact(place.root, house));
  return renderTemplate(house.asset("hooks/session-start.md"), {
    ...buildGreetingValues({ session, queue, atWork, interrupted, uncommitted, ...(left ? { left } : {}) }),
    note: left !== undefined,
    wait: isCompacted && !goesOn,
    goOn: goesOn,
  }).trimEnd();
}

const MAX_SESSION_NOTE_BYTES = 65_536;

function readSessionNote(root: string): { next: string; warnings: string } | undefined {
  try {
    const file = `${root}/${HANDOVER_SESSION_PATH}`;
    const stat = fs.lstatSync(file);
    if (!stat.isFile() || stat.size > MAX_SESSION_NOTE_BYTES) return undefined;
    const { next, warnings } = parseSessionDocument(fs.readFileSync(file, "utf8"));
    return next === "" && warnings === "" ? undefined : { next, warnings };
  } catch {
    return undefined;
  }
}

/** Loads the YAML parser only if the file contains the key. */
async function shouldContinueAfterCompact(root: string, house: HookServices): Promise<boolean> {
  try {
    const text = fs.readFileSync(`${root}/sdd/config.yaml`, "utf8");
    return text.includes("after_compact") && (await house.settings(text)).sessions.after_compact === "continue";
  } catch {
    // Waiting is the safe default. Other commands report a broken settings file.
    return false;
  }
}
