import type { CommandPage } from "../plugin/page.ts";
import { type Client, CLIENT_IDS, type ClientId, CLIENTS, type Scope } from "./clients.ts";
import { commandFile, commandPattern } from "./command-file.ts";
import { hookEntry, hookFile, isMark, markOf } from "./hooks.ts";
import type { Part, Spot } from "./part.ts";

export interface Texts {
  readonly rules: string;
  readonly plugin: string;
  readonly pages: ReadonlyMap<string, CommandPage>;
}

export type HasFile = (path: string) => boolean;

export function partsFor(id: ClientId, scope: Scope, texts: Texts, has: HasFile): Part[] {
  const client = CLIENTS[id];
  return [
    ...serverPart(client, scope, has),
    ...rulesPart(client, scope, texts, has),
    ...commandParts(client, scope, texts),
    ...hookParts(client, scope, texts),
  ];
}

const chosen = (files: readonly string[] | undefined, has: HasFile): string | undefined =>
  files?.find((path) => has(path)) ?? files?.at(-1);

function serverPart({ server }: Client, scope: Scope, has: HasFile): Part[] {
  const path = chosen(server?.files[scope], has);
  if (!server || path === undefined) return [];
  const { way, value, form } = server;
  return form === "json"
    ? [{ kind: "member", path, way, value }]
    : [{ kind: "table", path, way, text: tomlTable(way, value) }];
}

function tomlTable(way: readonly string[], value: unknown): string {
  const lines = Object.entries(value as object).map(([key, each]) => `${key} = ${JSON.stringify(each)}`);
  return [`[${way.join(".")}]`, ...lines].join("\n");
}

function rulesPart({ rules }: Client, scope: Scope, texts: Texts, has: HasFile): Part[] {
  const path = chosen(rules?.files[scope], has);
  if (!rules || path === undefined) return [];
  return rules.head === undefined
    ? [{ kind: "block", path, text: texts.rules }]
    : [{ kind: "file", path, text: `${rules.head}${texts.rules}` }];
}

function commandParts({ commands }: Client, scope: Scope, { pages }: Texts): Part[] {
  const folder = commands?.folder[scope];
  if (!commands || folder === undefined) return [];
  return [...pages].map(([page, text]) => {
    const file = commandFile(commands.form, page, text);
    return { kind: "file", path: `${folder}/${file.name}`, text: file.text };
  });
}

function hookParts({ hooks }: Client, scope: Scope, { plugin }: Texts): Part[] {
  const path = hooks?.files[scope];
  if (!hooks || path === undefined) return [];
  if (hooks.shape === "plugin") return [{ kind: "file", path, text: plugin }];
  if (hooks.shape === "own-file") return [{ kind: "file", path, text: hookFile(hooks) }];
  return [
    ...Object.entries(hooks.head ?? {}).map(([key, value]): Part => ({ kind: "member", path, way: [key], value })),
    ...hooks.events.map((event): Part => ({
      kind: "item",
      path,
      way: ["hooks", event.name],
      mark: markOf(event),
      value: hookEntry(event, hooks),
    })),
  ];
}

/** Whether setup could have written a part. A forged manifest must not remove the user's own text. */
export function isSetupPart(spot: Spot, scope: Scope): boolean {
  if (!isSetupFile(spot.path, scope)) return false;
  const isShared = CLIENT_IDS.some((id) => isSharedFile(CLIENTS[id], spot.path, scope));
  switch (spot.kind) {
    case "file":
      return !isShared;
    case "block":
      return isShared;
    case "item":
      return spot.way[0] === "hooks" && isMark(spot.mark);
    case "table":
    case "member":
      return spot.way.at(-1) === "tenon" || (spot.way.length === 1 && HEADS.has(spot.way[0] ?? ""));
  }
}

const HEADS: ReadonlySet<string> = new Set(CLIENT_IDS.flatMap((id) => Object.keys(CLIENTS[id].hooks?.head ?? {})));

function isSharedFile({ server, rules, hooks }: Client, path: string, scope: Scope): boolean {
  const isOfHooks = hooks?.shape === "groups" || hooks?.shape === "flat";
  return (
    (server?.files[scope] ?? []).includes(path) ||
    (rules?.head === undefined && (rules?.files[scope] ?? []).includes(path)) ||
    (isOfHooks && hooks.files[scope] === path)
  );
}

/** Whether setup could have written a file. A manifest that names any other file is rejected. */
export function isSetupFile(path: string, scope: Scope): boolean {
  return CLIENT_IDS.some((id) => {
    const { server, rules, commands, hooks } = CLIENTS[id];
    const folder = commands?.folder[scope];
    const isCommand =
      commands !== undefined &&
      folder !== undefined &&
      path.startsWith(`${folder}/`) &&
      commandPattern(commands.form).test(path.slice(folder.length + 1));
    const named = [...(server?.files[scope] ?? []), ...(rules?.files[scope] ?? []), hooks?.files[scope]];
    return isCommand || named.includes(path);
  });
}
