import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { formatLineDiff } from "#domain/line-diff.ts";
import { PAGES, parsePage } from "#domain/plugin/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { ALL_CLIENTS, CLIENT_IDS, type ClientId, CLIENTS, type Scope } from "#domain/setup/clients.ts";
import {
  isNothing,
  type Manifest,
  NOTHING_OWNED,
  readManifest,
  settled,
  underWay,
  writeManifest,
} from "#domain/setup/manifest.ts";
import type { Part, Spot } from "#domain/setup/part.ts";
import { planRemoval, planSetup, type SetupPlan, type Treated, Unfit } from "#domain/setup/plan.ts";
import { isSetupFile, isSetupPart, partsFor, type Texts } from "#domain/setup/wanted.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { SetupFiles } from "../ports/setup-files.ts";
import { page } from "./page.ts";
import type { Setup, SetupDone } from "./schema.ts";

type Input = z.infer<typeof Setup>;
type Output = z.infer<typeof SetupDone>;

/** Only the user may call it: an agent that sets up clients could choose the programs they run. */
export const setupClients = defineOperation<Input, Output>({
  id: "setup.clients",
  effect: "change",
  isUsers: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).Setup,
  output: async () => (await import("./schema.ts")).SetupDone,
  async run(engine, input) {
    const scope: Scope = input.user ? "user" : "project";
    const files = await engine.setupFiles(scope);
    const named = namedIn(input);
    const isWrite = named.length > 0 && !input.dry_run;
    const texts = input.remove ? undefined : await textsOf(engine);
    const work = async (): Promise<Output> => {
      const manifest = manifestIn(files, scope);
      const planFor = (clients: readonly ClientId[]): SetupPlan =>
        planOf({ engine, files, manifest, scope, named: clients, input, texts });
      const call = { files, manifest, scope, named, input };
      if (named.length === 0) return list(call, planFor);
      const plan = orRefuse(() => planFor(named));
      if (isWrite) carryOut(plan, manifest, files);
      return tell(plan, call);
    };
    return isWrite ? files.exclusively(work) : work();
  },
  page,
});

/** Without names it lists the detected clients. A client that cannot be set up does not hide the others. */
function list(call: Call, planFor: (clients: readonly ClientId[]) => SetupPlan): Output {
  const fit: ClientId[] = [];
  const notes = new Set<string>();
  for (const id of CLIENT_IDS.filter((each) => isThere(each, call.scope, call.files))) {
    try {
      planFor([id]);
      fit.push(id);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      notes.add(
        `${sanitizeText(error.path, 200)} cannot be set up: ${sanitizeText(error.message, 300)}. Mend the file.`,
      );
    }
  }
  return { ...tell(planFor(fit), call), notes: [...notes] };
}

function orRefuse(plan: () => SetupPlan): SetupPlan {
  try {
    return plan();
  } catch (error) {
    throw error instanceof Unfit ? unfit(error) : error;
  }
}

function namedIn({ clients = [], all = false, remove = false }: Input): readonly ClientId[] {
  if (clients.length > 0) return [...new Set(clients)];
  if (remove) return CLIENT_IDS;
  return all ? ALL_CLIENTS : [];
}

const isThere = (id: ClientId, scope: Scope, files: SetupFiles): boolean =>
  CLIENTS[id].signs[scope].some((path) => files.has(path));

async function textsOf({ assets }: Engine): Promise<Texts> {
  const pages = await Promise.all(
    PAGES.map(async (name) => [name, parsePage(await assets.text(`pages/${name}`))] as const),
  );
  return {
    rules: await assets.text("setup/rules"),
    plugin: await assets.text("setup/opencode-plugin"),
    pages: new Map(pages),
  };
}

/** Loads the manifest. It rejects one that names files or parts that setup never writes. */
function manifestIn(files: SetupFiles, scope: Scope): Manifest {
  const text = files.kept.read();
  if (text === undefined) return NOTHING_OWNED;
  const manifest = readManifest(text);
  const isSound =
    manifest &&
    manifest.parts.every((part) => isSetupPart(part, scope)) &&
    manifest.files.every(({ path }) => isSetupFile(path, scope));
  if (isSound) return manifest;
  throw new Fault("setup.damaged", {
    what: "Nothing was set up or removed.",
    why: `${sanitizeText(files.kept.name, 200)} is not as setup wrote it, so that what belongs to Tenon cannot be told.`,
    fix: `Restore it from git. Without it, setup takes whatever is there for yours and leaves it.`,
  });
}

interface Call {
  readonly files: SetupFiles;
  readonly manifest: Manifest;
  readonly scope: Scope;
  readonly named: readonly ClientId[];
  readonly input: Input;
}

function planOf(call: Call & { readonly engine: Engine; readonly texts: Texts | undefined }): SetupPlan {
  const { engine, files, manifest, scope, named, input, texts } = call;
  const scene = {
    manifest,
    text: (path: string) => files.text(path),
    hasFolder: (path: string) => files.has(path),
    digest: (text: string) => engine.digest(text),
    readToml: (text: string) => files.readToml(text),
    isForced: input.force ?? false,
  };
  if (!texts) return planRemoval(named, scene);
  const sameFile = sameFileIn(files, manifest);
  return planSetup(
    named.map((id) => [id, partsFor(id, scope, texts, (path) => files.has(path)).map(sameFile)]),
    scene,
  );
}

/** Two paths to the same file share one name: `CLAUDE.md` may be a link to `AGENTS.md`. */
function sameFileIn(files: SetupFiles, manifest: Manifest): (part: Part) => Part {
  const names = new Map(manifest.parts.toReversed().map(({ path }) => [files.place(path), path]));
  return (part) => {
    const place = files.place(part.path);
    const path = names.get(place) ?? part.path;
    names.set(place, path);
    return { ...part, path };
  };
}

function unfit({ path, message }: Unfit): Fault {
  return new Fault("setup.unfit", {
    what: `${sanitizeText(path, 200)} cannot be set up, and nothing was written.`,
    why: `${sanitizeText(message, 300)}.`,
    fix: "Mend the file, or name only the clients that do without it.",
  });
}

/** Saves the planned state first, so that an interrupted run leaves no unknown parts. */
function carryOut({ changes, manifest: next }: SetupPlan, before: Manifest, files: SetupFiles): void {
  const after = settled(next);
  const isKnown = writeManifest(before) === writeManifest(after);
  if (changes.length === 0 && isKnown) return;
  const { folder = "" } = files.kept;
  const isMade = isNothing(before) ? !files.has(folder) : before.folders.includes(folder);
  const home = folder !== "" && isMade ? [folder] : [];
  const withHome = (manifest: Manifest): Manifest => ({
    ...manifest,
    folders: [...new Set([...manifest.folders, ...home])],
  });
  files.kept.write(writeManifest(withHome(underWay(before, next))));
  for (const { path, before: seen, after: text } of changes) files.replace(path, seen, text);
  const left = new Set(after.folders);
  files.removeEmpty(before.folders.filter((made) => !left.has(made) && !home.includes(made)));
  files.kept.write(isNothing(after) ? undefined : writeManifest(withHome(after)));
  if (isNothing(after)) files.removeEmpty(home);
}

function tell(plan: SetupPlan, { files, manifest, scope, named, input }: Call): Output {
  const isList = named.length === 0;
  const owners = new Set((input.dry_run || isList ? manifest : plan.manifest).parts.flatMap(({ clients }) => clients));
  return {
    action: isList ? "list" : input.remove ? "remove" : "setup",
    scope,
    dry_run: input.dry_run ?? false,
    force: input.force ?? false,
    clients: CLIENT_IDS.map((id) => ({
      id,
      title: CLIENTS[id].title,
      found: isThere(id, scope, files),
      set_up: owners.has(id),
      named: named.includes(id),
    })),
    files: plan.changes.map(({ path, before, after }) => ({
      path,
      change: before === undefined ? "created" : after === undefined ? "removed" : "changed",
      clients: clientsOf(path, plan.treated),
      ...(input.dry_run ? { diff: formatLineDiff(before ?? "", after ?? "") } : {}),
    })),
    kept: plan.treated.flatMap(({ spot, outcome, clients }) =>
      outcome === "edited" || outcome === "theirs"
        ? [{ path: spot.path, part: partName(spot), because: outcome, clients: [...clients] }]
        : [],
    ),
    notes: input.remove ? [] : named.flatMap((id) => CLIENTS[id].notes[scope] ?? []),
  };
}

const clientsOf = (path: string, treated: readonly Treated[]): ClientId[] => [
  ...new Set(treated.filter(({ spot }) => spot.path === path).flatMap(({ clients }) => clients)),
];

const partName = (spot: Spot): string =>
  "way" in spot ? spot.way.join(".") : spot.kind === "block" ? "the part between Tenon's marks" : "the whole file";
