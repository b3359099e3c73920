import os from "node:os";
import { delimiter, isAbsolute } from "node:path";

interface Setting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** A program that always fails: the call is not made, and git reports an error. */
const NOTHING = "false";

/**
 * Settings that disable programs git would start and connections it would open. The repository's own settings are
 * ignored here, because the user may not have written them.
 */
const FIXED: readonly (readonly [key: string, value: string])[] = [
  ["core.hooksPath", os.devNull],
  ["core.fsmonitor", "false"],
  ["core.quotePath", "false"],
  ["core.alternateRefsCommand", NOTHING],
  ["core.gitProxy", NOTHING],
  // An empty name removes all helpers named before.
  ["credential.helper", ""],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["gpg.program", NOTHING],
  ["gpg.openpgp.program", NOTHING],
  ["gpg.x509.program", NOTHING],
  ["gpg.ssh.program", NOTHING],
  ["gpg.ssh.defaultKeyCommand", NOTHING],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["protocol.allow", "never"],
  // A folder inside a repository that only looks like a bare repository is ignored.
  ["safe.bareRepository", "explicit"],
  // To check a submodule, git would start another git there, with the settings of the submodule.
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "dirty"],
];

const FOREIGN =
  /^(?:GIT_(?!EXEC_PATH$|TRACE|CONFIG_(?:NOSYSTEM|GLOBAL|SYSTEM)$|CEILING_DIRECTORIES$)|SSH_ASKPASS|EDITOR$|VISUAL$|PAGER$)/;

const SAFE_ENVIRONMENT = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_SSH_COMMAND: NOTHING,
  GIT_ASKPASS: NOTHING,
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;
export type Overrides = readonly (readonly [key: string, value: string])[];

/** The environment for git. Settings are passed as variables because a key may contain any character. */
export function safeEnvironment(environment: Environment, overrides: Overrides): NodeJS.ProcessEnv {
  const own = Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => !FOREIGN.test(name))
      .map(([name, value]) => [name, /^path$/i.test(name) ? absolutePath(value) : value]),
  );
  const settings = [...FIXED, ...overrides].flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  const count = String(settings.length / 2);
  return { ...own, ...SAFE_ENVIRONMENT, GIT_CONFIG_COUNT: count, ...Object.fromEntries(settings) };
}

/** Drops relative entries: they would find programs inside the current repository. */
const absolutePath = (path = ""): string => path.split(delimiter).filter(isAbsolute).join(delimiter);

/** Whether git accepted the settings. Git before 2.31 does not, and every later call fails. */
export const isHeeded = (listing: string): boolean => listing.includes(`command\0core.hookspath\n${os.devNull}\0`);

/**
 * Replaces filters and merge drivers that the repository or its includes define. The user's global ones stay. A filter
 * becomes empty, so bytes pass unchanged. A merge driver becomes one that fails, so git leaves a conflict and never
 * silently takes one side.
 */
export function overridesFor(listing: string): Overrides {
  const settings = readListing(listing);
  const users = new Map(settings.filter(isUsers).map(({ key, value }) => [key, value]));
  const suspect = new Set(settings.filter((setting) => !isUsers(setting)).map(({ key }) => key));
  return [...suspect].flatMap((key): Overrides => {
    const [, kind, name = "", part = ""] = /^(filter|merge)\.(.+)\.([^.]+)$/s.exec(key) ?? [];
    if (kind === "merge") return part === "driver" ? [[key, users.get(key) ?? NOTHING]] : [];
    if (kind !== "filter") return [];
    const required = `filter.${name}.required`;
    const isProgram = part === "clean" || part === "smudge" || part === "process";
    return [...(isProgram ? [[key, users.get(key) ?? ""] as const] : []), [required, users.get(required) ?? "false"]];
  });
}

export function settingIn(listing: string, key: string): string | undefined {
  return readListing(listing).findLast((setting) => setting.key === key.toLowerCase())?.value;
}

const isUsers = ({ scope }: Setting): boolean => scope === "system" || scope === "global";

function readListing(listing: string): Setting[] {
  const parts = listing.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, i): Setting => {
    const [scope = "", said = ""] = parts.slice(2 * i);
    const end = said.indexOf("\n");
    return end < 0
      ? { scope, key: said, value: "true" }
      : { scope, key: said.slice(0, end), value: said.slice(end + 1) };
  }).filter(({ scope }) => scope !== "command");
}
