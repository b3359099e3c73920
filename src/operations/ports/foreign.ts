import type { SourceContent } from "./source.ts";

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

export interface ForeignFolders {
  folder(said: string | undefined): Promise<ForeignFolder>;
}
