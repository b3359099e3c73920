import fs from "node:fs";
import { ownHouse } from "../kit/own-house.ts";
import { stage, type Staged } from "../kit/at-work.ts";
import { type Finished, tenon } from "../kit/process.ts";
import type { StoredEvent, StoreTree } from "#store/operations/ports/store.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";

/** The session of the recorded payloads. */
export const SESSION = "0b9cbc3e-5dd0-4a28-8b2e-9d1a4a6c2f11";

export type Payload = Readonly<Record<string, unknown>>;

/** A payload as a client sent it, for a workspace at `root`. */
export function loadRecordedPayload(name: string, root: string, changes: Payload = {}): Payload {
  const text = fs.readFileSync(new URL(`./payloads/${name}.json`, import.meta.url), "utf8");
  return { ...(JSON.parse(text.replaceAll("{{root}}", root)) as Payload), ...changes };
}

/** Runs the hook as a client does, and hands back what it printed. */
export function ask(
  event: string,
  payload: Payload | string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Finished {
  const input = typeof payload === "string" ? payload : JSON.stringify(payload);
  return tenon(["hook", event], { cwd, input, env });
}

export const SILENT: Finished = { code: 0, signal: null, out: "", err: "" };

/** Why an edit is refused, or that it is not. */
export function verdict({ code, out, err }: Finished): string {
  if (code !== 0 || err !== "") return `failed: ${err}`;
  if (out === "") return "allowed";
  const { hookSpecificOutput } = JSON.parse(out) as { hookSpecificOutput: Record<string, string> };
  const { hookEventName, permissionDecision, permissionDecisionReason } = hookSpecificOutput;
  return hookEventName === "PreToolUse" && permissionDecision === "deny" ? (permissionDecisionReason ?? "") : out;
}

/** The answer's JSON; nothing when it was silent. */
export function answer({ code, out, err }: Finished): unknown {
  if (code !== 0 || err !== "") throw new Error(`It ended with ${code}: ${err}`);
  return out === "" ? undefined : JSON.parse(out);
}

export async function stageWorkspace(root: string, what: Staged): Promise<void> {
  const house = ownHouse(root);
  await stage(await house.open({ argument: root }), what);
  house.close();
}

/** Folds the journal in, in this process. */
export async function fold(root: string): Promise<void> {
  const house = ownHouse(root);
  await foldJournalIntoLedger(await house.open({ argument: root }));
  house.close();
}

export async function look<T>(root: string, at: (tree: StoreTree) => T): Promise<T> {
  const house = ownHouse(root);
  const found = await (await house.open({ argument: root })).store.read(at);
  house.close();
  return found;
}

export async function events(root: string): Promise<readonly StoredEvent[]> {
  const house = ownHouse(root);
  const found = await (await house.open({ argument: root })).store.events(0);
  house.close();
  return found;
}
