import fs from "node:fs";
import { dirname, join } from "node:path";
import type { CheckKind, FolderStack } from "#checking/model/stack/stack-check.ts";
import { createTrustedSurface } from "#checking/model/stack/trusted-surface.ts";
import type { Engine } from "#doors/engine.ts";
import { loadChangedCode, type ChangedFile } from "#checking/operations/gate/static-checks.ts";
import { type TrustedChecks, loadCheckRuling } from "#checking/operations/gate/load-trusted-checks.ts";
import { type BaseRunResult, runNewTestsOnBase } from "#checking/operations/gate/run-tests-on-base.ts";
import { type PlannedCheck, type FinishedCheck, runCheck, runCheckFix } from "#checking/operations/gate/run-check.ts";
import { environment, fixtureRepository, type Stack } from "../kit/fixtures.ts";
import { git, type TemporaryFolder, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

/** A fixture's project, trusted by its user, with all that runs its checks. */
export interface Workshop extends Disposable {
  readonly root: string;
  readonly engine: Engine;
  /** The commit that everything is compared with. */
  readonly base: string;
  readonly rules: TrustedChecks;
  readonly use: FolderStack;
  write(files: Readonly<Record<string, string>>): void;
  /** Runs the check of a kind, by the name of its tool where there are several. */
  attempt(kind: CheckKind, tool?: string): Promise<FinishedCheck>;
  /** Runs its fix on these files; true when it ended well. */
  mend(kind: CheckKind, files: readonly string[], tool?: string): Promise<boolean>;
  changed(): Promise<readonly ChangedFile[]>;
  /** The new tests on the files of the base commit. */
  red(): Promise<BaseRunResult>;
  /** Puts the files back as they were. */
  restore(): void;
}

export const workshop = (stack: Stack): Promise<Workshop> => getWorkshop(fixtureRepository(stack));

/** A project of these files, with one commit. */
export function workshopOf(files: Readonly<Record<string, string>>): Promise<Workshop> {
  const repository = temporaryRepository();
  writeFiles(repository.path, files);
  git(repository.path, "add", "--all");
  git(repository.path, "commit", "--quiet", "--message", "Begin");
  return getWorkshop(repository);
}

function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  }
}

async function getWorkshop(repository: TemporaryFolder): Promise<Workshop> {
  const [data, target] = [temporaryFolder(), temporaryFolder()];
  const root = repository.path;
  // As those have it who build everything into one folder.
  const variables = { ...environment(), CARGO_TARGET_DIR: target.path };
  const tenon = testHouse(root, { environment: variables, dataFolder: data.path });
  const engine = await tenon.house.open({ argument: root });
  const base = git(root, "rev-parse", "HEAD").trim();
  const definitions = await engine.stacks.definitions();
  if (!definitions) throw new Error("No commands are defined.");
  const surface = createTrustedSurface(definitions, (text) => engine.digest(text));
  await engine.trust.grant({ surface, at: engine.clock.now(), passes: [] });
  const { rules, refused } = await loadCheckRuling(engine, base);
  const [use] = definitions.stacks;
  if (!rules || !use) throw new Error(refused ?? "There is no stack.");
  const planned = (kind: CheckKind, tool?: string): PlannedCheck => {
    const check = use.checks.find((each) => each.kind === kind && (tool ?? each.tool) === each.tool);
    if (!check) throw new Error(`${use.profile} has no check for ${kind} ${tool ?? ""}.`);
    return { name: kind, stack: use, check };
  };
  const changed = async (): Promise<readonly ChangedFile[]> => (await loadChangedCode(engine, base, [use])) ?? [];
  return {
    root,
    engine,
    base,
    rules,
    use,
    write: (files) => writeFiles(root, files),
    attempt: (kind, tool) => runCheck(engine, root, planned(kind, tool), rules.passes),
    mend: (kind, files, tool) => runCheckFix(engine, root, planned(kind, tool), files, rules.passes),
    changed,
    red: async () => runNewTestsOnBase(engine, { base, rules, files: await changed() }),
    restore() {
      git(root, "checkout", "--quiet", "--", ".");
      git(root, "clean", "--quiet", "-d", "--force");
    },
    [Symbol.dispose]() {
      tenon[Symbol.dispose]();
      for (const folder of [repository, data, target]) folder[Symbol.dispose]();
    },
  };
}
