import os from "node:os";
import { delimiter, isAbsolute } from "node:path";

/** One setting as `git config --list --show-scope -z` tells it. */
interface Setting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** A program that only fails: what would have been run stays undone, and whoever waits for it is told. */
const NOTHING = "false";

/**
 * What git must not take from anybody: programs that it would start, and ways out of this machine. A repository's own
 * settings count for nothing here, because whoever wrote them need not be the user.
 */
const FIXED: readonly (readonly [key: string, value: string])[] = [
  ["core.hooksPath", os.devNull],
  ["core.fsmonitor", "false"],
  ["core.quotePath", "false"],
  ["core.alternateRefsCommand", NOTHING],
  ["core.gitProxy", NOTHING],
  // An empty name takes back all that were named before.
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
  // A folder that merely looks like a repository inside another one is none.
  ["safe.bareRepository", "explicit"],
  // To look into a submodule, git would start another git there, with that one's settings.
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "dirty"],
];

/** What the caller's environment says of another repository, an index or a pager is not meant for this one. */
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

/** What git is started with. Settings go through the environment: a name in them may hold any character. */
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

/** Where to look for programs, without the places that depend on where one stands: that may be in any repository. */
const absolutePath = (path = ""): string => path.split(delimiter).filter(isAbsolute).join(delimiter);

/** Whether git took our settings over: one older than 2.31 does not, and is not asked anything else. */
export const isHeeded = (listing: string): boolean => listing.includes(`command\0core.hookspath\n${os.devNull}\0`);

/**
 * What takes the place of filters and merge drivers that the repository itself defines, its includes among them. One that
 * the user set for all repositories is the user's and holds. A filter becomes none, so that bytes pass as they are; a
 * merge driver becomes one that fails, so that git leaves a conflict and never takes one side unseen.
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

/** The value of a setting that the repository or the user chose; git's own answer to who prevails. */
export function settingIn(listing: string, key: string): string | undefined {
  return readListing(listing).findLast((setting) => setting.key === key.toLowerCase())?.value;
}

const isUsers = ({ scope }: Setting): boolean => scope === "system" || scope === "global";

function readListing(listing: string): Setting[] {
  const parts = listing.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, i): Setting => {
    const [scope = "", said = ""] = parts.slice(2 * i);
    const end = said.indexOf("\n");
    // A key without a value stands for true.
    return end < 0
      ? { scope, key: said, value: "true" }
      : { scope, key: said.slice(0, end), value: said.slice(end + 1) };
  }).filter(({ scope }) => scope !== "command");
}
