const MAX_CLAIMED_PATH_LENGTH = 1_024;

/** Why a feature cannot claim this path as a file. The file need not exist. */
export function findFilePathProblem(text: string): string | undefined {
  const parts = text.split("/");
  if (text.startsWith("/") || /^[A-Za-z]:/.test(text)) return "is not relative to the repository";
  if (text.includes("\\")) return "has backslashes: write /";
  if (parts.includes("..")) return "leads out of its folder: name the file itself";
  if (/[*?]/.test(text)) return "is a pattern: name each file";
  if (text.endsWith("/")) return "is a folder: name each file";
  if (parts.some((part) => part === "" || part === ".")) return "has an empty part: remove it";
  if (text.length > MAX_CLAIMED_PATH_LENGTH || /\p{Cc}/u.test(text) || text.trim() !== text)
    return "is not a file name";
  if (/^(?:\.sdd|sdd)$/i.test(parts[0] ?? "") || parts.some((part) => /^\.git$/i.test(part)))
    return "belongs to git or to Tenon itself";
  return undefined;
}

/** Some file systems treat names as equal that differ only in case or Unicode normalization. */
export const normalizePathKey = (path: string): string => path.normalize("NFC").toLowerCase();

export class PathSet {
  readonly #keys = new Set<string>();

  constructor(paths: Iterable<string> = []) {
    for (const path of paths) this.add(path);
  }

  add(path: string): this {
    this.#keys.add(normalizePathKey(path));
    return this;
  }

  has(path: string): boolean {
    return this.#keys.has(normalizePathKey(path));
  }

  get size(): number {
    return this.#keys.size;
  }
}
