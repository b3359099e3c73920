import type { SuggestedFix } from "#kernel/model/fault.ts";
import type { SourceContent } from "#git/operations/ports/git-files.ts";

/** Client configuration files in a repository or in the user's home. Nothing outside is reachable. */
export interface SetupFiles {
  text(path: string): string | undefined;
  has(path: string): boolean;
  /** The path after following links. Equal for two paths to the same file. */
  place(path: string): string;
  /** Replaces the text if it still equals `seen`, atomically. Undefined removes the file. */
  replace(path: string, seen: string | undefined, text: string | undefined): void;
  removeEmpty(folders: readonly string[]): void;
  readonly kept: {
    readonly name: string;
    readonly folder?: string;
    read(): string | undefined;
    write(text: string | undefined): void;
  };
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  readToml(text: string): unknown;
}

export interface ForeignFile {
  readonly path: string;
  /** Links are listed and never followed. `other` is a pipe, a device or similar. */
  readonly kind: "file" | "link" | "other";
}

export interface ForeignFolder {
  /** Path relative to the workspace: empty for the workspace itself, the bare name for a folder outside. */
  readonly label: string;
  readonly isOurs: boolean;
  /** Sorted. Throws if there are far too many files. */
  list(below?: readonly string[]): Promise<readonly ForeignFile[]>;
  read(path: string, most: number): Promise<SourceContent>;
}

export interface ExportFolders {
  /** Creates the folder `name` in a folder that the user names, and returns its path. It never writes over files. */
  write(
    said: string,
    name: string,
    files: readonly { readonly path: string; readonly text: string }[],
    /** The call for another folder. */
    fix: SuggestedFix,
  ): Promise<string>;
}

export interface ForeignFolders {
  folder(said: string | undefined): Promise<ForeignFolder>;
}
