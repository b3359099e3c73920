import fs from "node:fs";
import { type HookCall, parseHookCall } from "./model/hook-call.ts";
import { findSessionTakeover, type HookRefusal } from "./model/edit-refusal.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { findSessionWork } from "#planning/model/workflow/journal-fold.ts";
import { DEFAULT_SESSION_ID } from "#planning/model/workflow/work-sessions.ts";
import { loadWorkInProgress, NO_WORK_IN_PROGRESS, readOpenChanges } from "./work-in-progress.ts";
import { groupEditsByWorkspace, findToolRefusal } from "./edit-guard.ts";
import { type HookServices, findSessionWorkspace, type HookWorkspace } from "./hook-workspace.ts";
import { hasCompletionClaim, type UnprovenWork, findUnprovenWork } from "./model/completion-claim.ts";
import { parseSessionDocument } from "#roadmap/model/handover/session-document.ts";
import { buildGreetingValues, findInterruptedWork, buildWorkQueue } from "./model/session-greeting.ts";
import { HANDOVER_SESSION_PATH } from "#kernel/model/workspace-paths.ts";

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

/** Bytes from the end of a transcript. An answer is shorter. */
const TRANSCRIPT_TAIL_BYTES = 64 * 1024;

/** `told` is the key under which the session remembers this warning. */
interface UnprovenClaim extends UnprovenWork {
  readonly told: string;
}

async function findUnprovenClaim(
  call: HookCall,
  place: HookWorkspace,
  house: HookServices,
): Promise<UnprovenClaim | undefined> {
  if (call.isStopActive || !place.hasLedger) return undefined;
  const words = call.message ?? readLastAgentText(call.transcript);
  if (words === undefined || !hasCompletionClaim(words)) return undefined;
  const picture = await loadWorkInProgress(place, house);
  const unproven = picture && findUnprovenWork(call.session, picture.atWork);
  if (!picture || !unproven) return undefined;
  const told = `${unproven.id} ${unproven.stage}${call.event === "Stop" ? "" : "-subagent"}`;
  const isTold = picture.atWork.sessions.get(call.session)?.told?.includes(told) === true;
  return isTold ? undefined : { ...unproven, told };
}

function readLastAgentText(transcript: string | undefined): string | undefined {
  const lines = transcript === undefined ? [] : readFileTail(transcript).split("\n").toReversed();
  for (const line of lines) {
    if (!line.includes('"assistant"')) continue;
    const words = parseAssistantText(line);
    if (words !== "") return words;
  }
  return undefined;
}

function parseAssistantText(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: { role?: unknown; content?: unknown } };
    const content =
      message?.role === "assistant" && Array.isArray(message.content) ? (message.content as unknown[]) : [];
    return content
      .map((part) => (typeof part === "object" && part !== null && "text" in part ? part.text : ""))
      .filter((text) => typeof text === "string")
      .join("\n");
  } catch {
    return "";
  }
}

/** Opens only regular files, so that a pipe cannot block the hook. */
function readFileTail(path: string): string {
  let file: number | undefined;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) return "";
    const bytes = Buffer.alloc(Math.min(TRANSCRIPT_TAIL_BYTES, stat.size));
    const read = fs.readSync(file, bytes, 0, bytes.length, stat.size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } catch {
    return "";
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Undefined if no work is in progress and the previous session left no note. */
async function renderSessionGreeting(
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
