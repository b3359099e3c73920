import { type CommandPage, createCommandFile, createCommandPattern } from "./command-pages.ts";
import { type ClientHooks, CLIENT_IDS, type ClientId, SETUP_CLIENTS, type SetupScope } from "./client-catalog.ts";
import { createHookEntry, formatHookMark } from "./client-hooks.ts";
import type { SetupPart, PartLocation } from "./owned-parts.ts";

export interface SetupTexts {
  readonly rules: string;
  readonly plugin: string;
  readonly pages: ReadonlyMap<string, CommandPage>;
}

export function createClientParts(
  id: ClientId,
  scope: SetupScope,
  texts: SetupTexts,
  has: (path: string) => boolean,
): SetupPart[] {
  const { server, rules, commands, hooks, hiddenSkills } = SETUP_CLIENTS[id];
  const parts: SetupPart[] = [];
  const chooseFile = (files: readonly string[] | undefined): string | undefined =>
    files?.find((path) => has(path)) ?? files?.at(-1);
  const settings = chooseFile(server?.files[scope]);
  if (server && settings !== undefined) {
    const { way, value, form } = server;
    const lines = Object.entries(value).map(([key, each]) => `${key} = ${JSON.stringify(each)}`);
    const text = [`[${way.join(".")}]`, ...lines].join("\n");
    parts.push(
      form === "json" ? { kind: "member", path: settings, way, value } : { kind: "table", path: settings, way, text },
    );
  }
  const page = chooseFile(rules?.files[scope]);
  if (rules && page !== undefined)
    parts.push(
      rules.head === undefined
        ? { kind: "block", path: page, text: texts.rules }
        : { kind: "file", path: page, text: `${rules.head}${texts.rules}` },
    );
  const folder = commands?.folder[scope];
  if (commands && folder !== undefined)
    for (const [name, command] of texts.pages) {
      const file = createCommandFile(commands.form, name, command);
      parts.push({ kind: "file", path: `${folder}/${file.name}`, text: file.text });
    }
  const hiding = hiddenSkills?.files[scope];
  if (hiddenSkills && hiding !== undefined)
    for (const name of texts.pages.keys()) {
      const value = `sdd-${name}`;
      parts.push({ kind: "item", path: hiding, way: hiddenSkills.way, mark: JSON.stringify(value), value });
    }
  const path = hooks?.files[scope];
  return hooks && path !== undefined ? [...parts, ...createHookParts(hooks, path, texts.plugin)] : parts;
}

function createHookParts(hooks: ClientHooks, path: string, plugin: string): SetupPart[] {
  if (hooks.shape === "plugin") return [{ kind: "file", path, text: plugin }];
  if (hooks.shape === "own-file" || hooks.shape === "own-list") {
    const entries = hooks.events.map((event) => createHookEntry(event, hooks));
    const events = Object.fromEntries(hooks.events.map(({ name }, i) => [name, [entries[i]]]));
    const all = hooks.shape === "own-list" ? entries : events;
    const text = `${JSON.stringify({ ...hooks.head, hooks: all }, undefined, 2)}\n`;
    return [{ kind: "file", path, text }];
  }
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
  const isShared = CLIENT_IDS.some((id) => {
    const { server, rules, hooks } = SETUP_CLIENTS[id];
    const isOfHooks = hooks?.shape === "groups" || hooks?.shape === "flat";
    return (
      (server?.files[scope] ?? []).includes(spot.path) ||
      (rules?.head === undefined && (rules?.files[scope] ?? []).includes(spot.path)) ||
      (isOfHooks && hooks.files[scope] === spot.path)
    );
  });
  switch (spot.kind) {
    case "file":
      return !isShared;
    case "block":
      return isShared;
    case "item":
      return spot.way[0] === "hooks" ? /^tenon hook [a-z-]+$/.test(spot.mark) : isHiddenSkill(spot);
    case "table":
    case "member":
      return spot.way.at(-1) === "tenon" || (spot.way.length === 1 && HOOK_FILE_FIELDS.has(spot.way[0] ?? ""));
  }
}

const isHiddenSkill = ({ way, mark }: Extract<PartLocation, { kind: "item" }>): boolean =>
  CLIENT_IDS.some((id) => SETUP_CLIENTS[id].hiddenSkills?.way.join(".") === way.join(".")) &&
  /^"sdd-[a-z-]+"$/.test(mark);

const HOOK_FILE_FIELDS: ReadonlySet<string> = new Set(
  CLIENT_IDS.flatMap((id) => Object.keys(SETUP_CLIENTS[id].hooks?.head ?? {})),
);

/** Whether setup could have written a file. A manifest that names any other file is rejected. */
export const isPossibleSetupFile = (path: string, scope: SetupScope): boolean =>
  CLIENT_IDS.some((id) => {
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
