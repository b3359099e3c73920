import fs from "node:fs";
import { hasCompletionClaim, type UnprovenWork, findUnprovenWork } from "#domain/hook/claim.ts";
import type { HookCall } from "#domain/hook/call.ts";
import { loadWorkInProgress } from "./at-work.ts";
import type { HookServices } from "./house.ts";
import type { HookWorkspace } from "./place.ts";

/** Bytes from the end of a transcript. An answer is shorter. */
const TRANSCRIPT_TAIL_BYTES = 64 * 1024;

/** `told` is the key under which the session remembers this warning. */
export interface UnprovenClaim extends UnprovenWork {
  readonly told: string;
}

export async function findUnprovenClaim(
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
