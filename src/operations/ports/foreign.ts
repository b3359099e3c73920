import type { Standing } from "./source.ts";

/** What a folder holds that another tool wrote. */
export interface ForeignFile {
  /** Below the folder, with forward slashes. */
  readonly path: string;
  /** Links are told and never followed; something else is a pipe, a device or the like. */
  readonly kind: "file" | "link" | "other";
}

/** A folder that is only ever read. */
export interface ForeignFolder {
  /** Where it lies seen from the workspace: empty for the workspace itself, and its bare name where it lies outside. */
  readonly label: string;
  /** Whether it is the folder `sdd` of the workspace itself, or lies in it. */
  readonly isOurs: boolean;
  /** All files below some of its folders, or below the folder itself, sorted; a fault where there are far too many. */
  list(below?: readonly string[]): Promise<readonly ForeignFile[]>;
  /** What stands at a path, as long as it has at most so many bytes. */
  read(path: string, most: number): Promise<Standing>;
}

export interface Foreign {
  /** A folder as the user named it, the workspace itself if none was; a fault where there is none. */
  folder(said: string | undefined): Promise<ForeignFolder>;
}
