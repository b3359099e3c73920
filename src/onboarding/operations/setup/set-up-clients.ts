import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatLineDiff } from "#kernel/model/line-diff.ts";
import { COMMAND_PAGE_NAMES, parseCommandPage } from "../../model/setup/command-pages.ts";
import { sanitizeText, formatCount, joinWithAnd } from "#kernel/model/text-format.ts";
import {
  DEFAULT_CLIENT_IDS,
  CLIENT_IDS,
  type ClientId,
  SETUP_CLIENTS,
  type SetupScope,
} from "../../model/setup/client-catalog.ts";
import {
  isEmptySetupManifest,
  type SetupManifest,
  EMPTY_SETUP_MANIFEST,
  parseSetupManifest,
  settleSetupManifest,
  mergeSetupManifests,
  formatSetupManifest,
  type SetupPart,
  type PartLocation,
} from "../../model/setup/owned-parts.ts";
import { planClientRemoval, planClientSetup, type SetupPlan, UnfitFileError } from "../../model/setup/setup-plan.ts";
import {
  isPossibleSetupFile,
  isPossibleSetupPart,
  createClientParts,
  type SetupTexts,
} from "../../model/setup/client-parts.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { SetupFiles } from "../ports/external-files.ts";
import type { SetupInputSchema, SetupOutputSchema } from "./schema.ts";
import type { Page } from "#kernel/model/page.ts";

type SetupInput = z.infer<typeof SetupInputSchema>;
type SetupOutput = z.infer<typeof SetupOutputSchema>;

/** Only the user may call it: an agent that sets up clients could choose the programs they run. */
export const setUpClients = defineOperation({
  id: "setup.clients",
  effect: "change",
  isUsers: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).SetupInputSchema,
  output: async () => (await import("./schema.ts")).SetupOutputSchema,
  async run(engine: OnboardingEngine, input) {
    const scope: SetupScope = input.user ? "user" : "project";
    const files = await engine.setupFiles(scope);
    const named = selectNamedClients(input);
    const isWrite = named.length > 0 && !input.dry_run;
    const texts = input.remove ? undefined : await loadSetupTexts(engine);
    const work = async (): Promise<SetupOutput> => {
      const manifest = loadSetupManifest(files, scope);
      const planFor = (clients: readonly ClientId[]): SetupPlan =>
        createSetupPlan({ engine, files, manifest, scope, named: clients, input, texts });
      const call = { files, manifest, scope, named, input };
      if (named.length === 0) return listClientSetups(call, planFor);
      const plan = createPlanOrFault(planFor, named);
      if (isWrite) applySetupPlan(plan, manifest, files);
      return createSetupOutput(plan, call);
    };
    return isWrite ? files.exclusively(work) : work();
  },
  page: formatSetupPage,
});

/** Without names it lists the detected clients. A client that cannot be set up does not hide the others. */
function listClientSetups(call: SetupCall, planFor: (clients: readonly ClientId[]) => SetupPlan): SetupOutput {
  const fit: ClientId[] = [];
  const notes = new Set<string>();
  for (const id of CLIENT_IDS.filter((each) => isClientPresent(each, call.scope, call.files))) {
    try {
      planFor([id]);
      fit.push(id);
    } catch (error) {
      if (!(error instanceof UnfitFileError)) throw error;
      notes.add(
        `${sanitizeText(error.path, 200)} cannot be set up: ${sanitizeText(error.message, 300)}. Mend the file.`,
      );
    }
  }
  return { ...createSetupOutput(planFor(fit), call), notes: [...notes] };
}

function createPlanOrFault(planFor: (clients: readonly ClientId[]) => SetupPlan, named: readonly ClientId[]) {
  try {
    return planFor(named);
  } catch (error) {
    if (!(error instanceof UnfitFileError)) throw error;
    throw new Fault("setup.unfit", {
      what: `${sanitizeText(error.path, 200)} cannot be set up, and nothing was written.`,
      why: `${sanitizeText(error.message, 300)}.`,
      fix: "Mend the file, or name only the clients that do without it.",
    });
  }
}

function selectNamedClients({ clients = [], all = false, remove = false }: SetupInput): readonly ClientId[] {
  if (clients.length > 0) return [...new Set(clients)];
  if (remove) return CLIENT_IDS;
  return all ? DEFAULT_CLIENT_IDS : [];
}

const isClientPresent = (id: ClientId, scope: SetupScope, files: SetupFiles): boolean =>
  SETUP_CLIENTS[id].signs[scope].some((path) => files.has(path));

async function loadSetupTexts({ assets }: OnboardingEngine): Promise<SetupTexts> {
  const pages = await Promise.all(
    COMMAND_PAGE_NAMES.map(async (name) => [name, parseCommandPage(await assets.text(`pages/${name}`))] as const),
  );
  return {
    rules: await assets.text("setup/rules"),
    plugin: await assets.text("setup/opencode-plugin"),
    pages: new Map(pages),
  };
}

/** Loads the manifest. It rejects one that names files or parts that setup never writes. */
function loadSetupManifest(files: SetupFiles, scope: SetupScope): SetupManifest {
  const text = files.kept.read();
  if (text === undefined) return EMPTY_SETUP_MANIFEST;
  const manifest = parseSetupManifest(text);
  const isSound =
    manifest &&
    manifest.parts.every((part) => isPossibleSetupPart(part, scope)) &&
    manifest.files.every(({ path }) => isPossibleSetupFile(path, scope));
  if (isSound) return manifest;
  throw new Fault("setup.damaged", {
    what: "Nothing was set up or removed.",
    why: `${sanitizeText(files.kept.name, 200)} is not as setup wrote it, so that what belongs to Tenon cannot be told.`,
    fix: `Restore it from git. Without it, setup takes whatever is there for yours and leaves it.`,
  });
}

interface SetupCall {
  readonly files: SetupFiles;
  readonly manifest: SetupManifest;
  readonly scope: SetupScope;
  readonly named: readonly ClientId[];
  readonly input: SetupInput;
}

function createSetupPlan(
  call: SetupCall & { readonly engine: OnboardingEngine; readonly texts: SetupTexts | undefined },
): SetupPlan {
  const { engine, files, manifest, scope, named, input, texts } = call;
  const scene = {
    manifest,
    text: (path: string) => files.text(path),
    hasFolder: (path: string) => files.has(path),
    digest: (text: string) => engine.digest(text),
    readToml: (text: string) => files.readToml(text),
    isForced: input.force ?? false,
  };
  if (!texts) return planClientRemoval(named, scene);
  const sameFile = createPathMerger(files, manifest);
  return planClientSetup(
    named.map((id) => [id, createClientParts(id, scope, texts, (path) => files.has(path)).map(sameFile)]),
    scene,
  );
}

/** Two paths to the same file share one name: `CLAUDE.md` may be a link to `AGENTS.md`. */
function createPathMerger(files: SetupFiles, manifest: SetupManifest): (part: SetupPart) => SetupPart {
  const names = new Map(manifest.parts.toReversed().map(({ path }) => [files.place(path), path]));
  return (part) => {
    const place = files.place(part.path);
    const path = names.get(place) ?? part.path;
    names.set(place, path);
    return { ...part, path };
  };
}

/** Saves the planned state first, so that an interrupted run leaves no unknown parts. */
function applySetupPlan({ changes, manifest: next }: SetupPlan, before: SetupManifest, files: SetupFiles): void {
  const after = settleSetupManifest(next);
  const isKnown = formatSetupManifest(before) === formatSetupManifest(after);
  if (changes.length === 0 && isKnown) return;
  const { folder = "" } = files.kept;
  const isMade = isEmptySetupManifest(before) ? !files.has(folder) : before.folders.includes(folder);
  const home = folder !== "" && isMade ? [folder] : [];
  const withHome = (manifest: SetupManifest): SetupManifest => ({
    ...manifest,
    folders: [...new Set([...manifest.folders, ...home])],
  });
  files.kept.write(formatSetupManifest(withHome(mergeSetupManifests(before, next))));
  for (const { path, before: seen, after: text } of changes) files.replace(path, seen, text);
  const left = new Set(after.folders);
  files.removeEmpty(before.folders.filter((made) => !left.has(made) && !home.includes(made)));
  files.kept.write(isEmptySetupManifest(after) ? undefined : formatSetupManifest(withHome(after)));
  if (isEmptySetupManifest(after)) files.removeEmpty(home);
}

function createSetupOutput(plan: SetupPlan, { files, manifest, scope, named, input }: SetupCall): SetupOutput {
  const isList = named.length === 0;
  const owners = new Set((input.dry_run || isList ? manifest : plan.manifest).parts.flatMap(({ clients }) => clients));
  return {
    action: isList ? "list" : input.remove ? "remove" : "setup",
    scope,
    dry_run: input.dry_run ?? false,
    force: input.force ?? false,
    clients: CLIENT_IDS.map((id) => ({
      id,
      title: SETUP_CLIENTS[id].title,
      found: isClientPresent(id, scope, files),
      set_up: owners.has(id),
      named: named.includes(id),
    })),
    files: plan.changes.map(({ path, before, after }) => ({
      path,
      change: before === undefined ? "created" : after === undefined ? "removed" : "changed",
      clients: [...new Set(plan.treated.filter(({ spot }) => spot.path === path).flatMap(({ clients }) => clients))],
      ...(input.dry_run ? { diff: formatLineDiff(before ?? "", after ?? "") } : {}),
    })),
    kept: plan.treated.flatMap(({ spot, outcome, clients }) =>
      outcome === "edited" || outcome === "theirs"
        ? [{ path: spot.path, part: describePartLocation(spot), because: outcome, clients: [...clients] }]
        : [],
    ),
    notes: input.remove ? [] : named.flatMap((id) => SETUP_CLIENTS[id].notes[scope] ?? []),
  };
}

const describePartLocation = (spot: PartLocation): string =>
  "way" in spot ? spot.way.join(".") : spot.kind === "block" ? "the part between Tenon's marks" : "the whole file";

type SetupFileRow = SetupOutput["files"][number];
type SetupClientRow = SetupOutput["clients"][number];

export function formatSetupPage(output: SetupOutput): Page {
  return output.action === "list" ? formatClientListPage(output) : formatSetupResultPage(output);
}

function formatClientListPage({ clients, files, notes, scope }: SetupOutput): Page {
  const open = clients.filter(({ id, found }) => found && files.some((file) => file.clients.includes(id)));
  const flags = scope === "user" ? ["--user"] : [];
  return {
    title: `${formatCount(clients.filter(({ found }) => found).length, "client")} found ${scope === "user" ? "in your home" : "here"}. Nothing was written.`,
    table: {
      columns: ["client", "name", "found", "set up", "gets", "would write"],
      rows: clients.map(({ id, title, found, set_up }) => {
        const written = files.filter((file) => file.clients.includes(id)).length;
        const would = found && (set_up || written > 0) ? formatCount(written, "file") : "";
        return [title, id, found ? "yes" : "no", set_up ? "yes" : "no", listClientFeatures(id, scope), would];
      }),
    },
    points: notes,
    next:
      open.length === 0
        ? ["tenon setup <name> --dry-run"]
        : [["tenon setup", ...open.map(({ id }) => id), ...flags, "--dry-run"].join(" ")],
  };
}

function listClientFeatures(id: ClientId, scope: SetupScope): string {
  const { server, rules, commands, hooks } = SETUP_CLIENTS[id];
  const places = { server: server?.files, rules: rules?.files, commands: commands?.folder, hooks: hooks?.files };
  return Object.entries(places)
    .flatMap(([what, place]) => (place?.[scope] === undefined ? [] : [what]))
    .join(", ");
}

function formatSetupResultPage(output: SetupOutput): Page {
  const { action, dry_run, clients, files, kept, notes } = output;
  const named = clients.filter((client) => client.named);
  const isRemoval = action === "remove";
  const isAll = isRemoval && named.length === clients.length;
  return {
    title: isRemoval
      ? formatRemovalTitle(output, isAll ? "every client" : joinClientTitles(named))
      : formatSetupTitle(output, named),
    ...(dry_run ? previewSetupFiles(files) : { table: { columns: SETUP_FILE_COLUMNS, rows: formatFileGroups(files) } }),
    points: [...kept.map((each) => describeKeptPart(each, isRemoval)), ...notes],
    next: dry_run && files.length > 0 ? [formatSetupCommand(output, isAll ? [] : named.map(({ id }) => id))] : [],
  };
}

function formatRemovalTitle({ dry_run, files, kept }: SetupOutput, who: string): string {
  if (files.length === 0) return `There is nothing of setup's to take out for ${who}.`;
  if (dry_run) return `Nothing was written. This is what would be taken out for ${who}.`;
  const isLeft = kept.some(({ because }) => because === "edited");
  return `Tenon is taken out for ${who}${isLeft ? ", but for what you have edited" : ""}.`;
}

/** A client without a file in this scope, or with only the user's own parts, is not set up. */
function formatSetupTitle({ dry_run, files, scope }: SetupOutput, named: readonly SetupClientRow[]): string {
  const done = named.filter(({ set_up }) => set_up);
  const are = done.length > 1 ? "are" : "is";
  if (files.length > 0 && dry_run)
    return `Nothing was written. This is what would be written for ${joinClientTitles(named)}.`;
  if (done.length === 0)
    return `There is nothing to set up for ${joinClientTitles(named)} ${scope === "user" ? "in your home" : "here"}.`;
  if (files.length === 0) return `${joinClientTitles(done)} ${are} set up already; nothing was changed.`;
  return `${joinClientTitles(done)} ${are} set up. Start ${done.length > 1 ? "them" : "it"} anew.`;
}

const formatSetupCommand = ({ action, scope, force }: SetupOutput, named: readonly string[]): string =>
  [
    "tenon setup",
    ...named,
    ...(scope === "user" ? ["--user"] : []),
    ...(action === "remove" ? ["--remove"] : []),
    ...(force ? ["--force"] : []),
  ].join(" ");

function describeKeptPart({ path, part, because }: SetupOutput["kept"][number], isRemoval: boolean): string {
  if (because === "theirs") return `${path}: ${part} was there before, and stays as it is.`;
  return `${path}: you have edited ${part}, so it stays as it is. --force ${isRemoval ? "takes it out" : "replaces it"}.`;
}

const SETUP_FILE_COLUMNS = ["file", "what"];

/** Shows the diff of single files. Command files are only counted; `--json` has each. */
function previewSetupFiles(files: readonly SetupFileRow[]): Pick<Page, "quotes" | "table"> {
  const groups = groupSetupFiles(files);
  const alone = groups.flatMap((group) => (group.length === 1 ? group : []));
  const together = formatFileGroups(groups.flatMap((group) => (group.length === 1 ? [] : group)));
  return {
    quotes: alone.map(({ path, change, diff = "" }) => ({ label: `${path} (${change})`, text: diff })),
    ...(together.length === 0 ? {} : { table: { columns: SETUP_FILE_COLUMNS, rows: together } }),
  };
}

/** Command files differ only in a name, so one line covers all of them. */
const formatFileGroups = (files: readonly SetupFileRow[]): string[][] =>
  groupSetupFiles(files).map((group) => {
    const [first, ...others] = group;
    if (!first) return [];
    return others.length === 0
      ? [first.path, first.change]
      : [formatFilePattern(first), `${first.change}, ${formatCount(group.length, "file")}`];
  });

const formatFilePattern = ({ path }: SetupFileRow): string =>
  path.replace(/\/sdd-[a-z-]+/, "/sdd-*").replace(/\/sdd\/[a-z-]+\.toml$/, "/sdd/*.toml");

const groupSetupFiles = (files: readonly SetupFileRow[]): SetupFileRow[][] => [
  ...Map.groupBy(files, (file) => `${formatFilePattern(file)} ${file.change}`).values(),
];

const joinClientTitles = (clients: readonly SetupClientRow[]): string => joinWithAnd(clients.map(({ title }) => title));
