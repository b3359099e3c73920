import { createSlug } from "./slug.ts";

export interface ProjectIdentity {
  readonly name: string;
  /** Remote and folder. They identify a project that is renamed, moved or has several worktrees. */
  readonly places: readonly string[];
  /** Owner of the remote, to distinguish projects with the same name. */
  readonly owner?: string;
  /** Whether a repository's settings chose the name. Anyone may have written them, so the name opens no other project. */
  readonly isNamedBySettings?: true;
}

export const GENERAL_PROJECT = "general";
export const ALL_PROJECTS = "*";

/** `MyApp` and `my_app` become `my-app`. */
export function formatProjectName(said: string): string {
  const parted = said.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1-$2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1-$2");
  return createSlug(parted, "project");
}

export const formatProjectKey = (said: string): string => formatProjectName(said).replaceAll("-", "");

/** `github.com/acme/shop`, without protocol and user. Undefined for a local path. */
export function parseRemoteUrl(url: string): { place: string; name: string; owner: string } | undefined {
  const [, host, path] =
    /^(?!file:)(?:[a-z][a-z0-9+.-]*:\/\/)(?:[^/]*@)?([^/:@]+)(?::\d+)?\/(.+)$/i.exec(url.trim()) ??
    /^(?:[^/@:]+@)?([^/:@\s]{2,}):(?!\/\/)(.+)$/.exec(url.trim()) ??
    [];
  const bare = (path ?? "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/i, "");
  const parts = bare.split("/").filter((part) => part !== "");
  const name = parts.at(-1);
  if (host === undefined || name === undefined) return undefined;
  return { place: [host, ...parts].join("/").toLowerCase(), name, owner: parts.at(-2) ?? host };
}
