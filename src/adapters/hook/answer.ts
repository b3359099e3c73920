import fs from "node:fs";
import { type HookCall, readCall } from "#domain/hook/call.ts";
import { fencedBy } from "#domain/hook/guard.ts";
import type { Refusal } from "#domain/hook/own-files.ts";
import { plain } from "#domain/quote.ts";
import { renderTemplate } from "#domain/template.ts";
import { workOf } from "#domain/workflow/fold.ts";
import { NOBODY } from "#domain/workflow/session-name.ts";
import { pictureOf } from "./at-work.ts";
import { bareClaim } from "./claim.ts";
import { editsIn, refusalOf } from "./edit.ts";
import { greeting } from "./greet.ts";
import type { HookHouse } from "./house.ts";
import { homeOf, type Place } from "./place.ts";

const LONGEST_REASON = 2000;

type Answer = Readonly<Record<string, unknown>>;

export async function answerHook(
  name: string | undefined,
  payload: string,
  house: HookHouse,
): Promise<Answer | undefined> {
  const call = readCall(name, payload);
  if (!call) return undefined;
  if (call.event === "PreToolUse") return denial(await refusalOf(call, house));
  const place = homeOf(call.cwd, house);
  if (call.event === "PostToolUse") return noteEdits(call, place, house);
  if (!place) return undefined;
  switch (call.event) {
    case "SessionStart":
      return start(call, place, house);
    case "UserPromptSubmit":
      note(call, place, house);
      return alarm(call, place, house);
    case "Stop":
    case "SubagentStop":
      return stop(call, place, house);
    case "SessionEnd":
      note(call, place, house);
      return undefined;
  }
}

function denial(refusal: Refusal | undefined): Answer | undefined {
  if (!refusal) return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      // Paths and titles are untrusted text.
      permissionDecisionReason: plain(`${refusal.what} ${refusal.why} ${refusal.instead}`, LONGEST_REASON),
    },
  };
}

/** Writes only if there is a ledger to fold the note into. */
function note(call: HookCall, place: Place, house: HookHouse, more: { paths?: string[]; told?: string } = {}): boolean {
  const { event, session } = call;
  return event !== "PreToolUse" && place.hasLedger && house.append(place.root, { event, session, ...more });
}

/** Notes each edit in the workspace that contains the file. Also notes activity in the session's own workspace. */
function noteEdits(call: HookCall, home: Place | undefined, house: HookHouse): undefined {
  const edits = editsIn(call, house);
  for (const [place, paths] of edits) note(call, place, house, { paths });
  const isHeard = [...edits.keys()].some(({ root }) => root === home?.root);
  if (home && !isHeard) note(call, home, house);
}

async function start(call: HookCall, place: Place, house: HookHouse): Promise<Answer | undefined> {
  note(call, place, house);
  nameForShell(call.session, house);
  try {
    return context("SessionStart", await greeting(call, place, house));
  } catch (error) {
    return context("SessionStart", unreadable(error));
  }
}

/** Lets `tenon` in the agent's shell know its session. Session names need no quoting. */
function nameForShell(session: string, { environment }: HookHouse): void {
  const file = environment["CLAUDE_ENV_FILE"];
  if (!file || session === NOBODY) return;
  try {
    fs.appendFileSync(file, `export TENON_SESSION='${session}'\n`, { mode: 0o600 });
  } catch {
    // Optional, so errors are ignored.
  }
}

const context = (hookEventName: string, additionalContext: string | undefined): Answer | undefined =>
  additionalContext === undefined ? undefined : { hookSpecificOutput: { hookEventName, additionalContext } };

/** Warns only if the session would continue on wrong assumptions. */
async function alarm(call: HookCall, place: Place, house: HookHouse): Promise<Answer | undefined> {
  const wrong = await whatIsWrong(call.session, place, house);
  return wrong === undefined ? undefined : { systemMessage: wrong, ...context("UserPromptSubmit", wrong) };
}

async function whatIsWrong(session: string, place: Place, house: HookHouse): Promise<string | undefined> {
  try {
    const picture = await pictureOf(place, house);
    if (!picture) return undefined;
    const { atWork, damaged } = picture;
    const said = atWork.sessions.get(session)?.current ?? atWork.sessions.get(NOBODY)?.current;
    const current = workOf(session, atWork) ?? said;
    if (current !== undefined && damaged.has(current)) {
      return `Tenon: the record of ${plain(current, 64)} is damaged. Run tenon doctor before any more work on it.`;
    }
    const fence = fencedBy(session, atWork);
    return (
      fence &&
      `Tenon: session ${plain(fence.holder, 64)} has taken ${fence.workflow} over. This session edits nothing more for it, unless it takes it back: tenon workflow resume --id ${fence.workflow} --take-over`
    );
  } catch (error) {
    return unreadable(error);
  }
}

const unreadable = (error: unknown): string =>
  `Tenon: what is under way cannot be read, so that locks are not checked. ${plain(error instanceof Error ? error.message : String(error), 200)} Run tenon doctor.`;

async function stop(call: HookCall, place: Place, house: HookHouse): Promise<Answer | undefined> {
  const claim = await bareClaim(call, place, house).catch(() => undefined);
  const isKept = note(call, place, house, claim ? { told: claim.told } : {});
  if (!claim) return undefined;
  const text = renderTemplate(house.asset("hooks/unproven.md"), {
    id: claim.id,
    stage: claim.stage,
    verdict: claim.isUntried ? "has not been tried" : "has not passed",
  }).trimEnd();
  // The user always sees the message. The model gets it once, and only if the journal can remember that.
  const isHeard = call.event === "Stop" && call.session !== NOBODY && isKept;
  return { systemMessage: text, ...(isHeard ? { decision: "block", reason: text } : {}) };
}
