/** A command in a workspace, and a home of its own that is warm, so that every run makes the same calls. */
export interface Run {
  readonly words: readonly string[];
  readonly root: string;
  readonly home: string;
  /** Whether the start of a program and the end of a folder are struck too. */
  readonly isWide?: true;
}

/** The k-th call of that name, and what it touches. */
export interface Point {
  readonly call: string;
  readonly k: number;
  readonly label: string;
  readonly isWrite: boolean;
  /** The number of this call among those with its label, if the injector can count only these. */
  readonly nth?: number;
}

export type Errno = "ENOSPC" | "EIO" | "EACCES" | "EROFS" | "EDQUOT";

/** Death before the call is made, or a call that fails; with a plus, so do all later ones of its name. */
export type Blow = "SIGKILL" | Errno | `${Errno}+`;

export interface Struck {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  /** The call that was struck; nothing if the program never came to it. */
  readonly hit: string | undefined;
}

/** Rejects a run that was to end by itself, and well. */
export function requireSuccess({ code, signal, err }: Omit<Struck, "hit">, { words }: Run): void {
  if (code !== 0) throw new Error(`tenon ${words.join(" ")} ended with ${signal ?? code} unstruck: ${err}`);
}

/** A way to strike the built program at a chosen call. */
export interface Injector {
  readonly name: string;
  /**
   * The calls that touch the workspace, in order, with the answer and the end of the process. Those of one name run as
   * fast as a strike does, so that a call that only wakes another thread is made as often. Rejects if the command fails:
   * what an interrupted command leaves is no measure for others.
   */
  points(run: Run, only?: string): Promise<readonly Point[]>;
  strike(run: Run, point: Point, blow: Blow): Promise<Struck>;
}

/** A place without what differs from run to run: ids, tickets. */
export const normalizeCallLabel = (place: string): string =>
  place
    .replaceAll(/[\da-f]{8}-[\da-f-]{26,27}/g, "*")
    .replaceAll(/turns\/[\d-]+/g, "turns/*")
    // A commit holds the time, so its hash differs.
    .replaceAll(
      /objects\/[\da-f]{2}\b(\/[\da-f]{38})?/g,
      (_, file: string | undefined) => `objects/*${file ? "/*" : ""}`,
    );

/** Such calls make a write lasting, so they are struck even when others are only sampled. */
export const isDecisive = ({ call }: Point): boolean => /^(?:rename|f(?:data)?sync)/.test(call);

/**
 * The point in another run of the same program: as many calls with its label come before it. A run may make fewer of
 * them: the ledger keeps how long a write took, and a longer number can fill one more page. Then it is the last one.
 */
export function samePoint(point: Point, points: readonly Point[], others: readonly Point[]): Point | undefined {
  const sameIn = (all: readonly Point[]): Point[] =>
    all.filter(({ call, label }) => call === point.call && label === point.label);
  const same = sameIn(others);
  return same[sameIn(points).indexOf(point)] ?? same.at(-1);
}
