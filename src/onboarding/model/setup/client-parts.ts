import { type CommandPage, createCommandFile, createCommandPattern } from "./command-pages.ts";
import { type SetupClient, CLIENT_IDS, type ClientId, SETUP_CLIENTS, type SetupScope } from "./client-catalog.ts";
import { createHookEntry, formatHookFile, isHookMark, formatHookMark } from "./client-hooks.ts";
import type { SetupPart, PartLocation } from "./owned-parts.ts";

export interface SetupTexts {
  readonly rules: string;
  readonly plugin: string;
  readonly pages: ReadonlyMap<string, CommandPage>;
}

export type FileLookup = (path: string) => boolean;

export function createClientParts(id: ClientId, scope: SetupScope, texts: SetupTexts, has: FileLookup): SetupPart[] {
  const client = SETUP_CLIENTS[id];
  return [
    ...createServerPart(client, scope, has),
    ...createRulesPart(client, scope, texts, has),
    ...createCommandParts(client, scope, texts),
    ...createHookParts(client, scope, texts),
  ];
}

const chooseClientFile = (files: readonly string[] | undefined, has: FileLookup): string | undefined =>
  files?.find((path) => has(path)) ?? files?.at(-1);

function createServerPart({ server }: SetupClient, scope: SetupScope, has: FileLookup): SetupPart[] {
  const path = chooseClientFile(server?.files[scope], has);
  if (!server || path === undefined) return [];
  const { way, value, form } = server;
  return form === "json"
    ? [{ kind: "member", path, way, value }]
    : [{ kind: "table", path, way, text: formatServerTable(way, value) }];
}

function formatServerTable(way: readonly string[], value: unknown): string {
  const lines = Object.entries(value as object).map(([key, each]) => `${key} = ${JSON.stringify(each)}`);
  return [`[${way.join(".")}]`, ...lines].join("\n");
}

function createRulesPart({ rules }: SetupClient, scope: SetupScope, texts: SetupTexts, has: FileLookup): SetupPart[] {
  const path = chooseClientFile(rules?.files[scope], has);
  if (!rules || path === undefined) return [];
  return rules.head === undefined
    ? [{ kind: "block", path, text: texts.rules }]
    : [{ kind: "file", path, text: `${rules.head}${texts.rules}` }];
}

function createCommandParts({ commands }: SetupClient, scope: SetupScope, { pages }: SetupTexts): SetupPart[] {
  const folder = commands?.folder[scope];
  if (!commands || folder === undefined) return [];
  return [...pages].map(([page, text]) => {
    const file = createCommandFile(commands.form, page, text);
    return { kind: "file", path: `${folder}/${file.name}`, text: file.text };
  });
}

function createHookParts({ hooks }: SetupClient, scope: SetupScope, { plugin }: SetupTexts): SetupPart[] {
  const path = hooks?.files[scope];
  if (!hooks || path === undefined) return [];
  if (hooks.shape === "plugin") return [{ kind: "file", path, text: plugin }];
  if (hooks.shape === "own-file") return [{ kind: "file", path, text: formatHookFile(hooks) }];
  return [
    ...Object.entries(hooks.head ?? {}).map(([key, value]): SetupPart => ({ kind: "member", path, way: [key], value })),
    ...hooks.events.map((event): SetupPart => ({
      kind: "item",
      path,
      way: ["hooks", event.name],
      mark: formatHookMark(event),
      value: createHookEntry(event, hooks),
    })),
  ];
}

/** Whether setup could have written a part. A forged manifest must not remove the user's own text. */
export function isPossibleSetupPart(spot: PartLocation, scope: SetupScope): boolean {
  if (!isPossibleSetupFile(spot.path, scope)) return false;
  const isShared = CLIENT_IDS.some((id) => isSharedClientFile(SETUP_CLIENTS[id], spot.path, scope));
  switch (spot.kind) {
    case "file":
      return !isShared;
    case "block":
      return isShared;
    case "item":
      return spot.way[0] === "hooks" && isHookMark(spot.mark);
    case "table":
    case "member":
      return spot.way.at(-1) === "tenon" || (spot.way.length === 1 && HOOK_FILE_FIELDS.has(spot.way[0] ?? ""));
  }
}

const HOOK_FILE_FIELDS: ReadonlySet<string> = new Set(
  CLIENT_IDS.flatMap((id) => Object.keys(SETUP_CLIENTS[id].hooks?.head ?? {})),
);

function isSharedClientFile({ server, rules, hooks }: SetupClient, path: string, scope: SetupScope): boolean {
  const isOfHooks = hooks?.shape === "groups" || hooks?.shape === "flat";
  return (
    (server?.files[scope] ?? []).includes(path) ||
    (rules?.head === undefined && (rules?.files[scope] ?? []).includes(path)) ||
    (isOfHooks && hooks.files[scope] === path)
  );
}

/** Whether setup could have written a file. A manifest that names any other file is rejected. */
export function isPossibleSetupFile(path: string, scope: SetupScope): boolean {
  return CLIENT_IDS.some((id) => {
    const { server, rules, commands, hooks } = SETUP_CLIENTS[id];
    const folder = commands?.folder[scope];
    const isCommand =
      commands !== undefined &&
      folder !== undefined &&
      path.startsWith(`${folder}/`) &&
      createCommandPattern(commands.form).test(path.slice(folder.length + 1));
    const named = [...(server?.files[scope] ?? []), ...(rules?.files[scope] ?? []), hooks?.files[scope]];
    return isCommand || named.includes(path);
  });
}
