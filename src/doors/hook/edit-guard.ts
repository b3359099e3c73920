import fs from "node:fs";
import { dirname } from "node:path";
import type { AgentRole } from "#roadmap/model/agent/agent-roles.ts";
import type { HookCall } from "./model/hook-call.ts";
import { listEditedPaths, listShellWrittenPaths } from "./model/tool-writes.ts";
import {
  refuseWorkspaceEdit,
  createOutsideRefusal,
  type EditSituation,
  createLedgerRefusal,
  refuseProtectedFileEdit,
  type HookRefusal,
  refuseRoleCommand,
  refuseRoleEdit,
  parseAgentRole,
} from "./model/edit-refusal.ts";
import { listReportedActions, refuseRoleReport, refuseSecondAction } from "./model/role-report.ts";
import { TRUST_FILE_REFUSAL, refuseTrustCommand, refuseUserOnlyCommand } from "./model/trust-refusal.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { readOpenChange, NO_WORK_IN_PROGRESS, loadWorkInProgress } from "./work-in-progress.ts";
import {
  type HookServices,
  findSessionWorkspace,
  isRunAgent,
  isFileSystemCaseInsensitive,
  getMainCheckout,
  type HookWorkspace,
  findHookWorkspace,
  resolveWriteTargets,
  getPathInside,
  tryFileCall,
} from "./hook-workspace.ts";

/** Undefined lets the tool run. */
export async function findToolRefusal(call: HookCall, house: HookServices): Promise<HookRefusal | undefined> {
  const role = parseAgentRole(call.agent);
  const home = findSessionWorkspace(call.cwd, house);
  const users = refuseTrustCommand(call.input, house.dataFolder) ?? refuseUserOnlyCommand(call.input);
  const unseen =
    users ??
    (role &&
      (refuseRoleReport(role, call) ??
        refuseOtherAction(role, call, home) ??
        refuseRoleCommand(role, call.input, home?.root))) ??
    refuseShellWrite(call, role, home, house);
  if (unseen) return unseen;
  const said = listEditedPaths(call.tool, call.input);
  if (said.length === 0) return undefined;
  const scenes = new Map<string, EditSituation>();
  for (const path of said.flatMap((each) => resolveWriteTargets(each, call.cwd ?? house.cwd))) {
    const target = findEditTarget(path, house);
    const outside =
      refuseEditOutsideWorktree(path, home) ??
      refuseLedgerEdit(path, target?.place ?? home) ??
      refuseTrustFileEdit(path, house);
    if (outside) return outside;
    if (!target) continue;
    const { place } = target;
    const own = refuseFixedEdit(target.path, place, role);
    if (own) return own;
    // Locks are for sessions in one checkout. The landing of a run waits for a file that is in use.
    if (isRunAgent(call.cwd, house)) continue;
    const scene = scenes.get(place.root) ?? (await loadEditSituation(place, call.session, house));
    scenes.set(place.root, scene);
    const refusal = refuseWorkspaceEdit(target.path, scene);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Notes the first action of an agent and the agent of an action, if Tenon assigned it. A mistyped id binds to nothing. */
function refuseOtherAction(role: AgentRole, call: HookCall, home: HookWorkspace | undefined): HookRefusal | undefined {
  const briefs = `${home?.root}/.sdd/briefs`;
  const action = listReportedActions(call).find((id) => fs.existsSync(`${briefs}/${id}.md`));
  if (role === "lead" || call.agentId === "" || !home || action === undefined) return undefined;
  const note = `${briefs}/agents/${call.agentId.replaceAll(":", "-")}.txt`;
  let first = action;
  try {
    fs.mkdirSync(dirname(note), { recursive: true });
    fs.writeFileSync(note, action, { flag: "wx" });
  } catch {
    first = tryFileCall(() => fs.readFileSync(note, "utf8")) ?? action;
  }
  const refusal = refuseSecondAction(first, action);
  if (!refusal)
    tryFileCall(() => {
      fs.writeFileSync(`${briefs}/${action}.agent`, call.agentId);
      return action;
    });
  return refusal;
}

/** An obvious shell write follows the same rules as an edit. */
function refuseShellWrite(
  { input, cwd }: HookCall,
  role: AgentRole | undefined,
  home: HookWorkspace | undefined,
  house: HookServices,
): HookRefusal | undefined {
  const written = listShellWrittenPaths(input, home?.root);
  for (const path of written.flatMap((each) => resolveWriteTargets(each, cwd ?? house.cwd))) {
    const target = findEditTarget(path, house);
    const refusal = target && refuseFixedEdit(target.path, target.place, role);
    if (refusal) return refusal;
  }
  return undefined;
}

const refuseFixedEdit = (path: string, place: HookWorkspace, role: AgentRole | undefined): HookRefusal | undefined =>
  refuseProtectedFileEdit(path, isFileSystemCaseInsensitive(place)) ?? (role && refuseRoleEdit(role, path));

export function groupEditsByWorkspace(call: HookCall, house: HookServices): Map<HookWorkspace, string[]> {
  const found = new Map<string, [HookWorkspace, string[]]>();
  for (const said of listEditedPaths(call.tool, call.input)) {
    const target = findEditTarget(resolveWriteTargets(said, call.cwd ?? house.cwd).at(-1) ?? "", house);
    if (!target) continue;
    const entry = found.get(target.place.root) ?? [target.place, []];
    entry[1].push(target.path);
    found.set(target.place.root, entry);
  }
  return new Map(found.values());
}

function findEditTarget(path: string, house: HookServices) {
  const place = findHookWorkspace(dirname(path), house);
  const inside = place && getPathInside(place.root, path);
  return place && inside !== undefined ? { place, path: inside } : undefined;
}

function refuseEditOutsideWorktree(path: string, home: HookWorkspace | undefined): HookRefusal | undefined {
  const main = home && getMainCheckout(home.root);
  if (!home || main === undefined || getPathInside(home.root, path) !== undefined) return undefined;
  if (getPathInside(main, path) === undefined) return undefined;
  return createOutsideRefusal(sanitizeText(path, 200), sanitizeText(home.root, 200));
}

function refuseLedgerEdit(path: string, place: HookWorkspace | undefined): HookRefusal | undefined {
  return place && getPathInside(dirname(place.ledger), path) !== undefined && !/[\\/]\.sdd$/.test(dirname(place.ledger))
    ? createLedgerRefusal(sanitizeText(path, 200))
    : undefined;
}

/** The trust file lies outside every workspace. */
function refuseTrustFileEdit(path: string, { dataFolder, cwd }: HookServices): HookRefusal | undefined {
  const [folder = ""] = resolveWriteTargets(`${dataFolder}/trust`, cwd).slice(-1);
  return path === folder || getPathInside(folder, path) !== undefined ? TRUST_FILE_REFUSAL : undefined;
}

async function loadEditSituation(place: HookWorkspace, session: string, house: HookServices): Promise<EditSituation> {
  // An unreadable ledger blocks no edits. The user gets a warning at the next prompt.
  const picture = await loadWorkInProgress(place, house).catch(() => undefined);
  return {
    session,
    now: house.now(),
    steady: house.steady?.(),
    atWork: picture?.atWork ?? NO_WORK_IN_PROGRESS,
    isCaseBlind: isFileSystemCaseInsensitive(place),
    changeStage: (id) => readOpenChange(place.root, id)?.current_stage,
  };
}
