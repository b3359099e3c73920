import fs from "node:fs";
import { type HookCall, parseHookCall } from "./model/hook-call.ts";
import { findSessionTakeover, type HookRefusal } from "./model/edit-refusal.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { findSessionWork } from "#planning/model/workflow/journal-fold.ts";
import { DEFAULT_SESSION_ID } from "#planning/model/workflow/work-sessions.ts";
import type { ChangedFile } from "#git/operations/ports/git-files.ts";
import { isShellCall, movesFiles } from "./model/tool-writes.ts";
import { loadWorkInProgress, NO_WORK_IN_PROGRESS, readOpenChanges, readSmallFile } from "./work-in-progress.ts";
import { groupEditsByWorkspace, findToolRefusal } from "./edit-guard.ts";
import { type HookServices, findSessionWorkspace, type HookWorkspace, isRunAgent } from "./hook-workspace.ts";
import { hasCompletionClaim, findUnprovenWork } from "./model/completion-claim.ts";
import { findSecrets, maskSecretRanges } from "#kernel/model/secret-detection.ts";
import { listHookedSessions, matchUserMessage } from "#planning/model/approval/user-message.ts";
import { parseSessionDocument } from "#roadmap/model/handover/session-document.ts";
import { buildGreetingValues, findInterruptedWork, buildWorkQueue } from "./model/session-greeting.ts";
import { HANDOVER_SESSION_PATH } from "#kernel/model/workspace-paths.ts";

const MAX_DENIAL_LENGTH = 2000;

type HookAnswer = Readonly<Record<string, unknown>>;
type MaybeAnswer = HookAnswer | undefined;

interface HookScene {
  readonly call: HookCall;
  readonly place: HookWorkspace;
  readonly house: HookServices;
}

export async function answerHook(name: string | undefined, payload: string, house: HookServices): Promise<MaybeAnswer> {
  const call = parseHookCall(name, payload);
  if (!call) return undefined;
  // What an agent of a run changes belongs to its action, and Tenon tells it all it needs in its brief.
  if (isRunAgent(call.cwd, house))
    return call.event === "PreToolUse" ? formatDenial(await findToolRefusal(call, house)) : undefined;
  if (call.event === "PreToolUse") {
    const refusal = await findToolRefusal(call, house);
    if (!refusal) noteToolCall(call, undefined, house);
    return formatDenial(refusal);
  }
  const place = findSessionWorkspace(call.cwd, house);
  if (call.event === "PostToolUse") return noteToolCall(call, place, house);
  if (!place) return undefined;
  const scene = { call, place, house };
  if (call.event === "Stop" || call.event === "SubagentStop") return answerSessionStop(scene);
  noteHookEvent(scene);
  if (call.event === "SessionStart") return answerSessionStart(scene);
  return call.event === "UserPromptSubmit" ? answerUserPrompt(scene) : undefined;
}

function formatDenial(refusal: HookRefusal | undefined): MaybeAnswer {
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
function noteHookEvent({ call, place, house }: HookScene, more: HookNote = {}): boolean {
  const { event, session } = call;
  return place.hasLedger && house.append(place.root, { event, session, ...more });
}

type HookNote = Omit<Parameters<HookServices["append"]>[1], "event" | "session">;

/** In the workspace that contains the file. Also notes activity in the session's own workspace, `home`. */
function noteToolCall(call: HookCall, home: HookWorkspace | undefined, house: HookServices): undefined {
  const edits = groupEditsByWorkspace(call, house);
  for (const [place, paths] of edits) {
    const changed = paths.map((path) => readChangeTime(`${place.root}/${path}`));
    noteHookEvent({ call, place, house }, { paths, changed });
  }
  const isShell = edits.size === 0 && isShellCall(call.input);
  const own = home ?? (isShell ? findSessionWorkspace(call.cwd, house) : undefined);
  const isHeard = [...edits.keys()].some(({ root }) => root === own?.root);
  if (!own || isHeard) return undefined;
  const scene = { call, place: own, house };
  noteHookEvent(scene, isShell ? describeShellCall(scene) : {});
}

/** A command that moves files of any author begins without a note, so that its end says nothing about authors. */
function describeShellCall({ call, place, house }: HookScene): HookNote {
  const hasEnded = call.event === "PostToolUse";
  if (!hasEnded && movesFiles(call.input)) return {};
  const shell = [house.toolTime(hasEnded), call.toolCall] as const;
  const listChanges = (): readonly ChangedFile[] =>
    hasEnded
      ? house.changesDuring(place.root, call.session, shell)
      : house.changesBefore(place.root, call.session, shell[0]);
  const found = place.hasLedger ? listChanges() : [];
  return { shell, paths: found.map(({ path }) => path), changed: found.map(({ changed_ms }) => changed_ms) };
}

/** In milliseconds, 0 for a missing file. A change of the contents or the mode counts, unlike for `mtime`. */
const readChangeTime = (path: string): number => fs.lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;

async function answerSessionStart(scene: HookScene): Promise<MaybeAnswer> {
  exportSessionName(scene);
  const greeting = await renderSessionGreeting(scene).catch(formatUnreadableState);
  return greeting === undefined ? undefined : formatAddedContext("SessionStart", greeting);
}

/** Lets `tenon` in the agent's shell know its session. Session names need no quoting. */
function exportSessionName({ call: { session }, house }: HookScene): void {
  const file = house.environment["CLAUDE_ENV_FILE"];
  if (!file || session === DEFAULT_SESSION_ID) return;
  try {
    fs.appendFileSync(file, `export TENON_SESSION='${session}'\n`, { mode: 0o600 });
  } catch {
    // Optional, so errors are ignored.
  }
}

const formatAddedContext = (hookEventName: string, additionalContext: string): HookAnswer => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

/** Records answers to open questions. Warns only if the session would continue on wrong assumptions. */
async function answerUserPrompt(scene: HookScene): Promise<MaybeAnswer> {
  try {
    const picture = await loadWorkInProgress(scene.place, scene.house);
    if (!picture) return undefined;
    const wrong = describeSessionProblem(scene, picture);
    if (wrong !== undefined) return { systemMessage: wrong, ...formatAddedContext("UserPromptSubmit", wrong) };
    const heard = noteUserAnswers(scene, picture);
    return heard === "" ? undefined : formatAddedContext("UserPromptSubmit", heard);
  } catch (error) {
    const wrong = formatUnreadableState(error);
    return { systemMessage: wrong, ...formatAddedContext("UserPromptSubmit", wrong) };
  }
}

type WorkPicture = NonNullable<Awaited<ReturnType<typeof loadWorkInProgress>>>;

function noteUserAnswers(scene: HookScene, { atWork, questions }: WorkPicture): string {
  const { session, prompt } = scene.call;
  if (prompt === undefined || questions.length === 0) return "";
  const hooked = listHookedSessions(atWork.sessions.values(), scene.house.now());
  const found = matchUserMessage(prompt, questions, session, [...new Set([...hooked, session])]);
  const heard = found.map((each) => ({ ...each, quote: maskSecretRanges(each.quote, findSecrets(each.quote)) }));
  if (heard.length === 0 || !noteHookEvent(scene, { heard })) return "";
  const answers = heard.flatMap(({ key, choice }) => {
    const id = questions.find((question) => question.key === key)?.id ?? "";
    return choice === undefined ? [] : [`Tenon recorded the user's answer to ${id}: ${choice}.`];
  });
  return answers.length === 0 ? "" : `${answers.join(" ")} Make the call that asked again.`;
}

function describeSessionProblem({ call: { session } }: HookScene, picture: WorkPicture): string | undefined {
  const { atWork, damaged } = picture;
  const said = atWork.sessions.get(session)?.current ?? atWork.sessions.get(DEFAULT_SESSION_ID)?.current;
  const current = findSessionWork(session, atWork) ?? said;
  if (current !== undefined && damaged.has(current)) {
    return `Tenon: the record of ${sanitizeText(current, 64)} is damaged. Call sdd_doctor before you continue it.`;
  }
  const fence = findSessionTakeover(session, atWork);
  return (
    fence &&
    `Tenon: session ${sanitizeText(fence.holder, 64)} has taken over ${fence.workflow}. This session may not edit its files. To take it back, ask the user, then call sdd_workflow_resume {"id":"${fence.workflow}","take_over":true}`
  );
}

const formatUnreadableState = (error: unknown): string =>
  `Tenon: the work in progress cannot be read, so locks are not checked. ${sanitizeText(error instanceof Error ? error.message : String(error), 200)} Call sdd_doctor.`;

async function answerSessionStop(scene: HookScene): Promise<MaybeAnswer> {
  const { call, house } = scene;
  const claim = await findUnprovenClaim(scene).catch(() => undefined);
  const isKept = noteHookEvent(scene, claim ? { told: claim.told } : {});
  if (!claim) return undefined;
  const verdict = claim.isUntried ? "has not been tried" : "has not passed";
  const { id, stage } = claim;
  const text = renderTemplate(house.asset("hooks/unproven.md"), { id, stage, verdict }).trimEnd();
  // The user always sees the message. The model gets it once, and only if the journal can remember that.
  const isHeard = call.event === "Stop" && call.session !== DEFAULT_SESSION_ID && isKept;
  return { systemMessage: text, ...(isHeard ? { decision: "block", reason: text } : {}) };
}

/** Bytes from the end of a transcript. An answer is shorter. */
const TRANSCRIPT_TAIL_BYTES = 64 * 1024;

/** `told` is the key under which the session stores this warning. */
async function findUnprovenClaim({ call, place, house }: HookScene) {
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
  const said = lines.filter((line) => /"assistant(?:\.message)?"/.test(line));
  return said.map(parseAssistantText).find((words) => words !== "");
}

function parseAssistantText(line: string): string {
  try {
    const { message, data } = JSON.parse(line) as {
      message?: { role?: unknown; content?: unknown };
      data?: { content?: unknown };
    };
    // Copilot CLI: {"type":"assistant.message","data":{"content":"…"}}
    if (typeof data?.content === "string") return data.content;
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
async function renderSessionGreeting({ call, place, house }: HookScene): Promise<string | undefined> {
  const { session } = call;
  const { atWork = NO_WORK_IN_PROGRESS, questions = [] } = (await loadWorkInProgress(place, house)) ?? {};
  const asked = questions.filter(({ answer }) => answer === undefined).map(({ id }) => id);
  const queue = buildWorkQueue(atWork, readOpenChanges(place.root));
  const left = readSessionNote(place.root);
  if (queue.length === 0 && left === undefined) return undefined;
  const interrupted = findInterruptedWork(queue, atWork, session, house.now());
  const isHere = interrupted[0] && atWork.sessions.get(interrupted[0].by)?.checkout === place.checkout;
  const uncommitted = isHere ? await house.uncommitted(place.root) : undefined;
  const isCompacted = call.source === "compact";
  const goesOn = isCompacted && (await shouldContinueAfterCompact(place.root, house));
  return renderTemplate(house.asset("hooks/session-start.md"), {
    ...buildGreetingValues({ session, queue, atWork, interrupted, uncommitted, asked, ...(left ? { left } : {}) }),
    note: left !== undefined,
    wait: isCompacted && !goesOn,
    goOn: goesOn,
  }).trimEnd();
}

function readSessionNote(root: string): { next: string; warnings: string } | undefined {
  try {
    const text = readSmallFile(`${root}/${HANDOVER_SESSION_PATH}`, 65_536);
    const { next, warnings } = parseSessionDocument(text);
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
