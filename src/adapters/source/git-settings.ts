import os from "node:os";
import { delimiter, isAbsolute } from "node:path";

interface GitSetting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** A program that always fails: the call is not made, and git reports an error. */
const FAILING_PROGRAM = "false";

/**
 * Settings that disable programs git would start and connections it would open. The repository's own settings are
 * ignored here, because the user may not have written them.
 */
const FIXED_GIT_SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.hooksPath", os.devNull],
  ["core.fsmonitor", "false"],
  ["core.quotePath", "false"],
  ["core.alternateRefsCommand", FAILING_PROGRAM],
  ["core.gitProxy", FAILING_PROGRAM],
  // An empty name removes all helpers named before.
  ["credential.helper", ""],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["gpg.program", FAILING_PROGRAM],
  ["gpg.openpgp.program", FAILING_PROGRAM],
  ["gpg.x509.program", FAILING_PROGRAM],
  ["gpg.ssh.program", FAILING_PROGRAM],
  ["gpg.ssh.defaultKeyCommand", FAILING_PROGRAM],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["protocol.allow", "never"],
  // A folder inside a repository that only looks like a bare repository is ignored.
  ["safe.bareRepository", "explicit"],
  // To check a submodule, git would start another git there, with the settings of the submodule.
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "dirty"],
];

const UNSAFE_GIT_VARIABLE =
  /^(?:GIT_(?!EXEC_PATH$|TRACE|CONFIG_(?:NOSYSTEM|GLOBAL|SYSTEM)$|CEILING_DIRECTORIES$)|SSH_ASKPASS|EDITOR$|VISUAL$|PAGER$)/;

const SAFE_GIT_VARIABLES = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_SSH_COMMAND: FAILING_PROGRAM,
  GIT_ASKPASS: FAILING_PROGRAM,
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
} as const;

export type GitEnvironment = Readonly<Record<string, string | undefined>>;
export type GitSettingOverrides = readonly (readonly [key: string, value: string])[];

/** The environment for git. Settings are passed as variables because a key may contain any character. */
export function buildGitEnvironment(environment: GitEnvironment, overrides: GitSettingOverrides): NodeJS.ProcessEnv {
  const own = Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => !UNSAFE_GIT_VARIABLE.test(name))
      .map(([name, value]) => [name, /^path$/i.test(name) ? keepAbsoluteEntries(value) : value]),
  );
  const settings = [...FIXED_GIT_SETTINGS, ...overrides].flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  const count = String(settings.length / 2);
  return { ...own, ...SAFE_GIT_VARIABLES, GIT_CONFIG_COUNT: count, ...Object.fromEntries(settings) };
}

/** Drops relative entries: they would find programs inside the current repository. */
const keepAbsoluteEntries = (path = ""): string => path.split(delimiter).filter(isAbsolute).join(delimiter);

/** Whether git accepted the settings. Git before 2.31 does not, and every later call fails. */
export const hasAcceptedSettings = (listing: string): boolean =>
  listing.includes(`command\0core.hookspath\n${os.devNull}\0`);

/**
 * Replaces filters and merge drivers that the repository or its includes define. The user's global ones stay. A filter
 * becomes empty, so bytes pass unchanged. A merge driver becomes one that fails, so git leaves a conflict and never
 * silently takes one side.
 */
export function overrideRepositoryPrograms(listing: string): GitSettingOverrides {
  const settings = parseGitSettings(listing);
  const users = new Map(settings.filter(isUserSetting).map(({ key, value }) => [key, value]));
  const suspect = new Set(settings.filter((setting) => !isUserSetting(setting)).map(({ key }) => key));
  return [...suspect].flatMap((key): GitSettingOverrides => {
    const [, kind, name = "", part = ""] = /^(filter|merge)\.(.+)\.([^.]+)$/s.exec(key) ?? [];
    if (kind === "merge") return part === "driver" ? [[key, users.get(key) ?? FAILING_PROGRAM]] : [];
    if (kind !== "filter") return [];
    const required = `filter.${name}.required`;
    const isProgram = part === "clean" || part === "smudge" || part === "process";
    return [...(isProgram ? [[key, users.get(key) ?? ""] as const] : []), [required, users.get(required) ?? "false"]];
  });
}

export function findGitSetting(listing: string, key: string): string | undefined {
  return parseGitSettings(listing).findLast((setting) => setting.key === key.toLowerCase())?.value;
}

const isUserSetting = ({ scope }: GitSetting): boolean => scope === "system" || scope === "global";

function parseGitSettings(listing: string): GitSetting[] {
  const parts = listing.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, i): GitSetting => {
    const [scope = "", said = ""] = parts.slice(2 * i);
    const end = said.indexOf("\n");
    return end < 0
      ? { scope, key: said, value: "true" }
      : { scope, key: said.slice(0, end), value: said.slice(end + 1) };
  }).filter(({ scope }) => scope !== "command");
}
