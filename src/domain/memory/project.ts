import { slugify } from "../slug.ts";

/** A project as it is said: by name, and by where it stands if that is known. */
export interface ProjectRef {
  readonly name: string;
  /** Its remote and its folder: what stays the same when it is renamed or moved, or has several worktrees. */
  readonly places: readonly string[];
  /** Who owns it there, for two projects of one name. */
  readonly owner?: string;
}

/** What is kept where nothing says which project it belongs to. */
export const NO_PROJECT = "general";
/** Asks for every project. */
export const EVERY_PROJECT = "*";

/** A project's name as it is shown: `MyApp` and `my_app` are `my-app`. */
export function projectName(said: string): string {
  const parted = said.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1-$2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1-$2");
  return slugify(parted, "project");
}

/** What two spellings of one name have in common. */
export const projectKey = (said: string): string => projectName(said).replaceAll("-", "");

/** A remote without how it is reached and by whom: `github.com/acme/shop`. Nothing for a path on this machine. */
export function readRemote(url: string): { place: string; name: string; owner: string } | undefined {
  const [, host, path] =
    /^(?!file:)(?:[a-z][a-z0-9+.-]*:\/\/)(?:[^/]*@)?([^/:@]+)(?::\d+)?\/(.+)$/i.exec(url.trim()) ??
    /^(?:[^/@:]+@)?([^/:@\s]{2,}):(?!\/\/)(.+)$/.exec(url.trim()) ??
    [];
  const parts = (path ?? "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/i, "")
    .split("/")
    .filter((part) => part !== "");
  const name = parts.at(-1);
  if (host === undefined || name === undefined) return undefined;
  return { place: [host, ...parts].join("/").toLowerCase(), name, owner: parts.at(-2) ?? host };
}
