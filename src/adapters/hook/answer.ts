import fs from "node:fs";
import { type HookCall, parseHookCall } from "#domain/hook/call.ts";
import { findSessionTakeover } from "#domain/hook/guard.ts";
import type { HookRefusal } from "#domain/hook/own-files.ts";
import { sanitizeText } from "#domain/quote.ts";
import { renderTemplate } from "#domain/template.ts";
import { findSessionWork } from "#domain/workflow/fold.ts";
import { DEFAULT_SESSION_ID } from "#domain/workflow/session-name.ts";
import { loadWorkInProgress } from "./at-work.ts";
import { findUnprovenClaim } from "./claim.ts";
import { groupEditsByWorkspace, findToolRefusal } from "./edit.ts";
import { renderSessionGreeting } from "./greet.ts";
import type { HookServices } from "./house.ts";
import { findSessionWorkspace, type HookWorkspace } from "./place.ts";

const MAX_DENIAL_LENGTH = 2000;

type HookAnswer = Readonly<Record<string, unknown>>;

export async function answerHook(
  name: string | undefined,
  payload: string,
  house: HookServices,
): Promise<HookAnswer | undefined> {
  const call = parseHookCall(name, payload);
  if (!call) return undefined;
  if (call.event === "PreToolUse") return formatDenial(await findToolRefusal(call, house));
  const place = findSessionWorkspace(call.cwd, house);
  if (call.event === "PostToolUse") return noteEditedFiles(call, place, house);
  if (!place) return undefined;
  switch (call.event) {
    case "SessionStart":
      return answerSessionStart(call, place, house);
    case "UserPromptSubmit":
      noteHookEvent(call, place, house);
      return answerUserPrompt(call, place, house);
    case "Stop":
    case "SubagentStop":
      return answerSessionStop(call, place, house);
    case "SessionEnd":
      noteHookEvent(call, place, house);
      return undefined;
  }
}

function formatDenial(refusal: HookRefusal | undefined): HookAnswer | undefined {
  if (!refusal) return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      // Paths and titles are untrusted text.
      permissionDecisionReason: sanitizeText(`${refusal.what} ${refusal.why} ${refusal.instead}`, MAX_DENIAL_LENGTH),
    },
  };
}

/** Writes only if there is a ledger to fold the note into. */
function noteHookEvent(
  call: HookCall,
  place: HookWorkspace,
  house: HookServices,
  more: { paths?: string[]; told?: string } = {},
): boolean {
  const { event, session } = call;
  return event !== "PreToolUse" && place.hasLedger && house.append(place.root, { event, session, ...more });
}

/** Notes each edit in the workspace that contains the file. Also notes activity in the session's own workspace. */
function noteEditedFiles(call: HookCall, home: HookWorkspace | undefined, house: HookServices): undefined {
  const edits = groupEditsByWorkspace(call, house);
  for (const [place, paths] of edits) noteHookEvent(call, place, house, { paths });
  const isHeard = [...edits.keys()].some(({ root }) => root === home?.root);
  if (home && !isHeard) noteHookEvent(call, home, house);
}

async function answerSessionStart(
  call: HookCall,
  place: HookWorkspace,
  house: HookServices,
): Promise<HookAnswer | undefined> {
  noteHookEvent(call, place, house);
  exportSessionName(call.session, house);
  try {
    return formatAddedContext("SessionStart", await renderSessionGreeting(call, place, house));
  } catch (error) {
    return formatAddedContext("SessionStart", formatUnreadableState(error));
  }
}

/** Lets `tenon` in the agent's shell know its session. Session names need no quoting. */
function exportSessionName(session: string, { environment }: HookServices): void {
  const file = environment["CLAUDE_ENV_FILE"];
  if (!file || session === DEFAULT_SESSION_ID) return;
  try {
    fs.appendFileSync(file, `export TENON_SESSION='${session}'\n`, { mode: 0o600 });
  } catch {
    // Optional, so errors are ignored.
  }
}

const formatAddedContext = (hookEventName: string, additionalContext: string | undefined): HookAnswer | undefined =>
  additionalContext === undefined ? undefined : { hookSpecificOutput: { hookEventName, additionalContext } };

/** Warns only if the session would continue on wrong assumptions. */
async function answerUserPrompt(
  call: HookCall,
  place: HookWorkspace,
  house: HookServices,
): Promise<HookAnswer | undefined> {
  const wrong = await describeSessionProblem(call.session, place, house);
  return wrong === undefined ? undefined : { systemMessage: wrong, ...formatAddedContext("UserPromptSubmit", wrong) };
}

async function describeSessionProblem(
  session: string,
  place: HookWorkspace,
  house: HookServices,
): Promise<string | undefined> {
  try {
    const picture = await loadWorkInProgress(place, house);
    if (!picture) return undefined;
    const { atWork, damaged } = picture;
    const said = atWork.sessions.get(session)?.current ?? atWork.sessions.get(DEFAULT_SESSION_ID)?.current;
    const current = findSessionWork(session, atWork) ?? said;
    if (current !== undefined && damaged.has(current)) {
      return `Tenon: the record of ${sanitizeText(current, 64)} is damaged. Run tenon doctor before any more work on it.`;
    }
    const fence = findSessionTakeover(session, atWork);
    return (
      fence &&
      `Tenon: session ${sanitizeText(fence.holder, 64)} has taken ${fence.workflow} over. This session edits nothing more for it, unless it takes it back: tenon workflow resume --id ${fence.workflow} --take-over`
    );
  } catch (error) {
    return formatUnreadableState(error);
  }
}

const formatUnreadableState = (error: unknown): string =>
  `Tenon: what is under way cannot be read, so that locks are not checked. ${sanitizeText(error instanceof Error ? error.message : String(error), 200)} Run tenon doctor.`;

async function answerSessionStop(
  call: HookCall,
  place: HookWorkspace,
  house: HookServices,
): Promise<HookAnswer | undefined> {
  const claim = await findUnprovenClaim(call, place, house).catch(() => undefined);
  const isKept = noteHookEvent(call, place, house, claim ? { told: claim.told } : {});
  if (!claim) return undefined;
  const text = renderTemplate(house.asset("hooks/unproven.md"), {
    id: claim.id,
    stage: claim.stage,
    verdict: claim.isUntried ? "has not been tried" : "has not passed",
  }).trimEnd();
  // The user always sees the message. The model gets it once, and only if the journal can remember that.
  const isHeard = call.event === "Stop" && call.session !== DEFAULT_SESSION_ID && isKept;
  return { systemMessage: text, ...(isHeard ? { decision: "block", reason: text } : {}) };
}
