import { compareFailures } from "../../model/gate/known-failures.ts";
import { findLockConflicts } from "#planning/model/workflow/file-locks.ts";
import { formatEditKey } from "../../model/gate/check-edits.ts";
import { listBorrowedFolders } from "../../model/stack/stack-check.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { LedgerSpace } from "#store/operations/ports/store.ts";
import type { CheckingEngine } from "../engine.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";
import { MOST_OLD_FAILURES } from "./known-runs.ts";
import { type FinishedCheck, runCheck } from "./run-check.ts";

/** Failures of a check on the files without the work, by a hash of these files and the command. */
const BASE_FAILURE_SPACE: LedgerSpace<BaseFailures> = { name: "base-failures" };
const MOST_BASE_RESULTS = 40;
const MOST_SHOWN_FAILURES = 10;

interface BaseFailures {
  readonly at: string;
  readonly keys: readonly string[];
}

/** A check runs on the files without the work only if it fails with the work, once for the same files. */
export class BaseComparison implements AsyncDisposable {
  readonly #engine: CheckingEngine;
  readonly #work: AttributedWork | undefined;
  readonly #rules: TrustedChecks;
  /** Files that its checkouts lack. */
  readonly #omitted: readonly string[];
  readonly #notes = new Map<string, readonly string[]>();
  readonly #runs: { check: string; tool: string; ms: number }[] = [];
  #lent: ReturnType<CheckingEngine["worktrees"]["lend"]> | undefined;

  constructor(
    engine: CheckingEngine,
    work: AttributedWork | undefined,
    rules: TrustedChecks,
    omitted: readonly string[] = [],
  ) {
    this.#engine = engine;
    this.#work = work;
    this.#rules = rules;
    this.#omitted = omitted;
  }

  get runs(): readonly { readonly check: string; readonly tool: string; readonly ms: number }[] {
    return this.#runs;
  }

  get baseTree(): string | undefined {
    return this.#work?.base_tree;
  }

  async settle(finished: FinishedCheck): Promise<FinishedCheck> {
    const { outcome, failures, receipt } = finished;
    if (finished.isReused && receipt.already_failing)
      this.#notes.set(formatNoteKey(finished), [...receipt.already_failing]);
    if (!this.#work || outcome.status !== "failed" || outcome.failure === "transient" || failures.length === 0)
      return finished;
    // Tests in files that the work adds cannot have failed without it.
    const added = new Set(this.#work.files.flatMap(({ path, from }) => (from ? [] : [path])));
    if (failures.every(({ file }) => file !== undefined && added.has(file))) return finished;
    const before = await this.#findBaseFailures(this.#work, finished);
    const { fresh, already } = compareFailures(failures, before);
    if (already.length === 0) return finished;
    this.#notes.set(formatNoteKey(finished), already);
    const settled = {
      ...receipt,
      already_failing: already.slice(0, MOST_OLD_FAILURES).map((each) => sanitizeText(each, 200)),
    };
    if (fresh.length > 0) return { ...finished, outcome: { ...outcome, problems: fresh }, receipt: settled };
    return { ...finished, outcome: { status: "passed", problems: [] }, receipt: { ...settled, status: "passed" } };
  }

  /** Each failure once, with the work that holds its file. */
  async describe(id: string): Promise<string[]> {
    const all = [...this.#notes].flatMap(([check, lines]) => lines.map((line) => `${check.split(" ")[0]}: ${line}`));
    if (all.length === 0) return [];
    const { locks } = await this.#engine.store.read(loadWorkRuntime);
    const others = locks.filter((lock) => findLockConflicts([lock.path], id, [lock]).length > 0);
    const held = all.map((line) => ({ line, holder: others.find(({ path }) => line.includes(path))?.workflow }));
    const shown = held
      .slice(0, MOST_SHOWN_FAILURES)
      .map(({ line, holder }) => `Already failing without this work: ${line}${holder ? ` (${holder} holds it)` : ""}`);
    const rest = all.length - shown.length;
    const [holder] = held.flatMap((each) => each.holder ?? []);
    return [
      ...shown,
      ...(rest > 0 ? [`${rest} more failures are older than this work.`] : []),
      ...(holder ? [`To work apart from ${holder}, start the next workflow with --worktree (worktree: true).`] : []),
    ];
  }

  async #findBaseFailures(
    work: AttributedWork,
    { name, stack, check, edited }: FinishedCheck,
  ): Promise<readonly string[]> {
    const { store, digest, clock } = this.#engine;
    const key = digest(
      JSON.stringify([work.base_tree, this.#rules.hash, stack.directory, check, ...edited, ...this.#omitted]),
    );
    const known = await store.read((tree) => tree.kept(BASE_FAILURE_SPACE).get(key));
    if (known) return known.keys;
    const lent = await this.#lend(work);
    const texts = await lent.read(edited);
    this.#engine.progress.tell(`${check.tool} on the files without the work`);
    const before = await runCheck(this.#engine, lent.root, { name, stack, check }, this.#rules.passes);
    this.#runs.push({ check: `${name} without the work`, tool: check.tool, ms: before.receipt.ms ?? 0 });
    const after = await lent.read(edited);
    const edits = edited.filter((path) => texts.get(path) !== after.get(path)).map(formatEditKey);
    // The next check needs the files as they were.
    if (edits.length > 0) await this.release();
    const keys = [...before.failures.map((each) => each.key), ...edits];
    // A run that did not end proves nothing about these files, so the next gate runs it again.
    const { status, failure } = before.outcome;
    if (status === "unknown" || failure === "transient") return [];
    await store.write((tree) => {
      const old = [...tree.kept(BASE_FAILURE_SPACE)].toSorted(([, one], [, other]) => (one.at < other.at ? -1 : 1));
      const dropped = old.slice(0, Math.max(0, old.length + 1 - MOST_BASE_RESULTS));
      const space = BASE_FAILURE_SPACE.name;
      return {
        steps: [],
        occurrences: [{ kind: "gate.base-checked", subject: name }],
        keeps: [
          { space, key, value: { at: clock.now(), keys } },
          ...dropped.map(([each]) => ({ space, key: each, value: undefined })),
        ],
        result: undefined,
      };
    });
    return keys;
  }

  #lend({ base }: AttributedWork): ReturnType<CheckingEngine["worktrees"]["lend"]> {
    const { stacks, control } = this.#rules.definitions;
    const over = control.map(({ path }) => path);
    return (this.#lent ??= this.#engine.worktrees.lend({ commit: base, over, linked: listBorrowedFolders(stacks) }));
  }

  [Symbol.asyncDispose] = (): Promise<void> => this.release();

  async release(): Promise<void> {
    const lent = await this.#lent;
    this.#lent = undefined;
    await lent?.[Symbol.asyncDispose]();
  }
}

const formatNoteKey = ({ name, stack, check }: FinishedCheck): string => `${name} ${stack.directory} ${check.tool}`;
