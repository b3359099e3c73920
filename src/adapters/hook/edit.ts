import { dirname } from "node:path";
import type { AgentRole } from "#domain/agent/role.ts";
import type { HookCall } from "#domain/hook/call.ts";
import { editedPaths } from "#domain/hook/edits.ts";
import { refuseEdit, refuseOutside, type Scene } from "#domain/hook/guard.ts";
import { refuseLedger, refuseOwn, type Refusal } from "#domain/hook/own-files.ts";
import { refuseCommandInRole, refuseInRole, roleOf } from "#domain/hook/role.ts";
import { writtenBy } from "#domain/hook/shell-writes.ts";
import { refuseTrustFile, refuseTrusting, refuseUsersWord } from "#domain/hook/trusting.ts";
import { plain } from "#domain/quote.ts";
import { changeIn, NOTHING_AT_WORK, pictureOf } from "./at-work.ts";
import type { HookHouse } from "./house.ts";
import { homeOf, isCaseBlind, mainOf, type Place, placeAt, targetsOf, within } from "./place.ts";

interface Target {
  readonly place: Place;
  readonly path: string;
}

/** Undefined lets the tool run. */
export async function refusalOf(call: HookCall, house: HookHouse): Promise<Refusal | undefined> {
  const role = roleOf(call.agent);
  const home = homeOf(call.cwd, house);
  const users = refuseTrusting(call.input, house.dataFolder) ?? refuseUsersWord(call.input);
  const unseen =
    users ?? (role && refuseCommandInRole(role, call.input, home?.root)) ?? refuseShellWrite(call, role, home, house);
  if (unseen) return unseen;
  const said = editedPaths(call.tool, call.input);
  if (said.length === 0) return undefined;
  const scenes = new Map<string, Scene>();
  for (const path of said.flatMap((each) => targetsOf(each, call.cwd ?? house.cwd))) {
    const target = targetAt(path, house);
    const outside =
      refuseStraying(path, home) ?? refuseLedgerOf(path, target?.place ?? home) ?? refuseTrusted(path, house);
    if (outside) return outside;
    if (!target) continue;
    const { place } = target;
    const own = refuseOwn(target.path, isCaseBlind(place)) ?? (role && refuseInRole(role, target.path));
    if (own) return own;
    const scene = scenes.get(place.root) ?? (await sceneOf(place, call.session, house));
    scenes.set(place.root, scene);
    const refusal = refuseEdit(target.path, scene);
    if (refusal) return refusal;
  }
  return undefined;
}

/** An obvious shell write follows the same rules as an edit. */
function refuseShellWrite(
  { input, cwd }: HookCall,
  role: AgentRole | undefined,
  home: Place | undefined,
  house: HookHouse,
): Refusal | undefined {
  for (const path of writtenBy(input, home?.root).flatMap((each) => targetsOf(each, cwd ?? house.cwd))) {
    const target = targetAt(path, house);
    const refusal =
      target && (refuseOwn(target.path, isCaseBlind(target.place)) ?? (role && refuseInRole(role, target.path)));
    if (refusal) return refusal;
  }
  return undefined;
}

export function editsIn(call: HookCall, house: HookHouse): Map<Place, string[]> {
  const found = new Map<string, [Place, string[]]>();
  for (const said of editedPaths(call.tool, call.input)) {
    const target = targetAt(targetsOf(said, call.cwd ?? house.cwd).at(-1) ?? "", house);
    if (!target) continue;
    const entry = found.get(target.place.root) ?? [target.place, []];
    entry[1].push(target.path);
    found.set(target.place.root, entry);
  }
  return new Map(found.values());
}

function targetAt(path: string, house: HookHouse): Target | undefined {
  const place = placeAt(dirname(path), house);
  const inside = place && within(place.root, path);
  return place && inside !== undefined ? { place, path: inside } : undefined;
}

function refuseStraying(path: string, home: Place | undefined): Refusal | undefined {
  const main = home && mainOf(home.root);
  if (!home || main === undefined || within(home.root, path) !== undefined || within(main, path) === undefined) {
    return undefined;
  }
  return refuseOutside(plain(path, 200), plain(home.root, 200));
}

function refuseLedgerOf(path: string, place: Place | undefined): Refusal | undefined {
  return place && within(dirname(place.ledger), path) !== undefined && !/[\\/]\.sdd$/.test(dirname(place.ledger))
    ? refuseLedger(plain(path, 200))
    : undefined;
}

/** The trust file lies outside every workspace. */
function refuseTrusted(path: string, { dataFolder, cwd }: HookHouse): Refusal | undefined {
  const [folder = ""] = targetsOf(`${dataFolder}/trust`, cwd).slice(-1);
  return path === folder || within(folder, path) !== undefined ? refuseTrustFile() : undefined;
}

async function sceneOf(place: Place, session: string, house: HookHouse): Promise<Scene> {
  return {
    session,
    now: house.now(),
    atWork: (await lenientPicture(place, house))?.atWork ?? NOTHING_AT_WORK,
    isCaseBlind: isCaseBlind(place),
    changeStage: (id) => changeIn(place.root, id)?.current_stage,
  };
}

/** An unreadable ledger blocks no edits. The user gets a warning at the next prompt. */
async function lenientPicture(place: Place, house: HookHouse): ReturnType<typeof pictureOf> {
  try {
    return await pictureOf(place, house);
  } catch {
    return undefined;
  }
}
