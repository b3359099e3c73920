/** The files of clients in a repository or in the user's home. Nothing outside of it can be reached. */
export interface SetupFiles {
  /** The text of a file, its byte order mark included; nothing if there is none. */
  text(path: string): string | undefined;
  /** Whether anything stands there. */
  has(path: string): boolean;
  /** Where a path leads once links are followed: the same for two that are one file. */
  place(path: string): string;
  /** Puts a text in the place of what was seen there, whole or not at all; nothing removes the file. */
  replace(path: string, seen: string | undefined, text: string | undefined): void;
  /** Removes folders in which nothing stands, the innermost first. */
  removeEmpty(folders: readonly string[]): void;
  /** What is kept of what setup wrote. */
  readonly kept: {
    readonly name: string;
    /** The folder that it stands in, where that is one of these files' own. */
    readonly folder?: string;
    read(): string | undefined;
    write(text: string | undefined): void;
  };
  /** Only one process at a time sets up. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  readToml(text: string): unknown;
}
