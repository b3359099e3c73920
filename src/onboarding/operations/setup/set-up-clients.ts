import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatLineDiff } from "#kernel/model/line-diff.ts";
import { COMMAND_PAGE_NAMES, parseCommandPage } from "../../model/setup/command-pages.ts";
import { sanitizeText, formatCount, joinWithAnd } from "#kernel/model/text-format.ts";
import type { ClientId, SetupScope } from "../../model/setup/client-catalog.ts";
import { DEFAULT_CLIENT_IDS, CLIENT_IDS, SETUP_CLIENTS } from "../../model/setup/client-catalog.ts";
import {
  EMPTY_SETUP_MANIFEST,
  settleSetupManifest,
  type SetupManifest,
  parseSetupManifest,
  mergeSetupManifests,
  formatSetupManifest,
  type SetupPart,
} from "../../model/setup/owned-parts.ts";
import { planClientRemoval, planClientSetup, type SetupPlan, UnfitFileError } from "../../model/setup/setup-plan.ts";
import type { SetupTexts } from "../../model/setup/client-parts.ts";
import { isPossibleSetupFile, isPossibleSetupPart, createClientParts } from "../../model/setup/client-parts.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { SetupFiles } from "../ports/external-files.ts";
import type { SetupInputSchema, SetupOutputSchema } from "./schema.ts";
import type { Page } from "#kernel/model/page.ts";

type SetupInput = z.infer<typeof SetupInputSchema>;
type SetupOutput = z.infer<typeof SetupOutputSchema>;
type PlanMaker = (clients: readonly ClientId[]) => SetupPlan;

/** Only the user may call it: an agent that sets up clients could choose the programs they run. */
export const setUpClients = defineOperation({
  id: "setup.clients",
  effect: "change",
  isUsers: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).SetupInputSchema,
  output: async () => (await import("./schema.ts")).SetupOutputSchema,
  async run(engine: OnboardingEngine, input) {
    const { clients = [], all = false, remove = false } = input;
    const scope: SetupScope = input.user ? "user" : "project";
    const files = await engine.setupFiles(scope);
    const every = remove ? CLIENT_IDS : all ? DEFAULT_CLIENT_IDS : [];
    const named = clients.length > 0 ? [...new Set(clients)] : every;
    const isWrite = named.length > 0 && !input.dry_run;
    const texts = remove ? undefined : await loadSetupTexts(engine);
    const work = async (): Promise<SetupOutput> => {
      const manifest = loadSetupManifest(files, scope);
      const call = { files, manifest, scope, named, input };
      const planFor = createPlanMaker(engine, call, texts);
      if (named.length === 0) return listClientSetups(call, planFor);
      const plan = createPlanOrFault(planFor, named);
      if (isWrite) applySetupPlan(plan, manifest, files);
      return createSetupOutput(plan, call);
    };
    return isWrite ? files.exclusively(work) : work();
  },
  page: (output) => (output.action === "list" ? formatClientListPage(output) : formatSetupResultPage(output)),
});

/** Without names it lists the detected clients. A client that cannot be set up does not hide the others. */
function listClientSetups(call: SetupCall, planFor: PlanMaker): SetupOutput {
  const fit: ClientId[] = [];
  const notes = new Set<string>();
  for (const id of CLIENT_IDS.filter((each) => isClientPresent(each, call.scope, call.files))) {
    try {
      planFor([id]);
      fit.push(id);
    } catch (error) {
      if (!(error instanceof UnfitFileError)) throw error;
      const [path, why] = [sanitizeText(error.path, 200), sanitizeText(error.message, 300)];
      notes.add(`${path} cannot be set up: ${why}. Fix the file.`);
    }
  }
  return { ...createSetupOutput(planFor(fit), call), notes: [...notes] };
}

function createPlanOrFault(planFor: PlanMaker, named: readonly ClientId[]): SetupPlan {
  try {
    return planFor(named);
  } catch (error) {
    if (!(error instanceof UnfitFileError)) throw error;
    throw new Fault("setup.unfit", {
      what: `${sanitizeText(error.path, 200)} cannot be set up, and nothing was written.`,
      why: `${sanitizeText(error.message, 300)}.`,
      fix: "Fix the file, or name only clients that do not use it.",
    });
  }
}

const isClientPresent = (id: ClientId, scope: SetupScope, files: SetupFiles): boolean =>
  SETUP_CLIENTS[id].signs[scope].some((path) => files.has(path));

async function loadSetupTexts({ assets }: OnboardingEngine): Promise<SetupTexts> {
  const pages = COMMAND_PAGE_NAMES.map(
    async (name) => [name, parseCommandPage(await assets.text(`pages/${name}`))] as const,
  );
  return {
    rules: await assets.text("setup/rules"),
    plugin: await assets.text("setup/opencode-plugin"),
    pages: new Map(await Promise.all(pages)),
  };
}

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
    why: `${sanitizeText(files.kept.name, 200)} changed since setup wrote it, so Tenon cannot know which parts are its own.`,
    fix: `Restore it from git. Without it, setup treats every part as yours and keeps it.`,
  });
}

interface SetupCall {
  readonly files: SetupFiles;
  readonly manifest: SetupManifest;
  readonly scope: SetupScope;
  readonly named: readonly ClientId[];
  readonly input: SetupInput;
}

function createPlanMaker(
  { digest }: OnboardingEngine,
  { files, manifest, scope, input }: SetupCall,
  texts: SetupTexts | undefined,
): PlanMaker {
  const scene = {
    manifest,
    text: (path: string) => files.text(path),
    hasFolder: (path: string) => files.has(path),
    digest: (text: string) => digest(text),
    readToml: (text: string) => files.readToml(text),
    isForced: input.force ?? false,
  };
  return (clients) => {
    if (!texts) return planClientRemoval(clients, scene);
    // Two paths to the same file share one name: `CLAUDE.md` may be a link to `AGENTS.md`.
    const names = new Map(manifest.parts.toReversed().map(({ path }) => [files.place(path), path]));
    const shareName = (part: SetupPart): SetupPart => {
      const place = files.place(part.path);
      const path = names.get(place) ?? part.path;
      names.set(place, path);
      return { ...part, path };
    };
    const wanted = clients.map((id) => {
      const parts = createClientParts(id, scope, texts, (path) => files.has(path));
      return [id, parts.map(shareName)] as const;
    });
    return planClientSetup(wanted, scene);
  };
}

/** Saves the planned state first, so that an interrupted run leaves no unknown parts. */
function applySetupPlan({ changes, manifest: next }: SetupPlan, before: SetupManifest, files: SetupFiles): void {
  const after = settleSetupManifest(next);
  const [isNew, isGone] = [before.parts.length === 0, after.parts.length === 0];
  if (changes.length === 0 && formatSetupManifest(before) === formatSetupManifest(after)) return;
  const { folder = "" } = files.kept;
  const isMade = isNew ? !files.has(folder) : before.folders.includes(folder);
  const home = folder !== "" && isMade ? [folder] : [];
  const withHome = (manifest: SetupManifest): SetupManifest => ({
    ...manifest,
    folders: [...new Set([...manifest.folders, ...home])],
  });
  files.kept.write(formatSetupManifest(withHome(mergeSetupManifests(before, next))));
  for (const { path, before: seen, after: text } of changes) files.replace(path, seen, text);
  const left = new Set(after.folders);
  files.removeEmpty(before.folders.filter((made) => !left.has(made) && !home.includes(made)));
  files.kept.write(isGone ? undefined : formatSetupManifest(withHome(after)));
  if (isGone) files.removeEmpty(home);
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
    kept: plan.treated.flatMap(({ spot, outcome, clients }) => {
      if (outcome !== "edited" && outcome !== "theirs") return [];
      const whole = spot.kind === "block" ? "the part between Tenon's marks" : "the whole file";
      const part = "way" in spot ? spot.way.join(".") : whole;
      return [{ path: spot.path, part, because: outcome, clients: [...clients] }];
    }),
    notes: input.remove ? [] : named.flatMap((id) => SETUP_CLIENTS[id].notes[scope] ?? []),
  };
}

type SetupFileRow = SetupOutput["files"][number];
type SetupClientRow = SetupOutput["clients"][number];

function formatClientListPage({ clients, files, notes, scope }: SetupOutput): Page {
  const present = clients.filter(({ found }) => found);
  const open = present.filter(({ id }) => files.some((file) => file.clients.includes(id)));
  const names = open.map(({ id }) => id);
  return {
    title: `${formatCount(present.length, "client")} found ${scope === "user" ? "in your home" : "here"}. Nothing was written.`,
    table: {
      columns: ["client", "name", "found", "set up", "gets", "would write"],
      rows: clients.map(({ id, title, found, set_up }) => {
        const { server, rules, commands, hooks } = SETUP_CLIENTS[id];
        const places = { server: server?.files, rules: rules?.files, commands: commands?.folder, hooks: hooks?.files };
        const gets = Object.entries(places).flatMap(([what, place]) => (place?.[scope] === undefined ? [] : [what]));
        const written = files.filter((file) => file.clients.includes(id)).length;
        const would = found && (set_up || written > 0) ? formatCount(written, "file") : "";
        return [title, id, found ? "yes" : "no", set_up ? "yes" : "no", gets.join(", "), would];
      }),
    },
    points: notes,
    next: [
      open.length === 0
        ? "tenon setup <name> --dry-run"
        : ["tenon setup", ...names, ...(scope === "user" ? ["--user"] : []), "--dry-run"].join(" "),
    ],
  };
}

function formatSetupResultPage(output: SetupOutput): Page {
  const { action, scope, force, dry_run, clients, files, kept, notes } = output;
  const named = clients.filter((client) => client.named);
  const isRemoval = action === "remove";
  const isAll = isRemoval && named.length === clients.length;
  const command = [
    "tenon setup",
    ...(isAll ? [] : named.map(({ id }) => id)),
    ...(scope === "user" ? ["--user"] : []),
    ...(isRemoval ? ["--remove"] : []),
    ...(force ? ["--force"] : []),
  ];
  // In a preview, files of their own show their difference. Command files differ only in a name and are counted.
  const groups = [...Map.groupBy(files, (file) => `${formatFilePattern(file)} ${file.change}`).values()];
  const [alone, together] = dry_run
    ? [groups.filter(isSingle), groups.filter((group) => !isSingle(group))]
    : [[], groups];
  return {
    title: isRemoval
      ? formatRemovalTitle(output, isAll ? "every client" : joinClientTitles(named))
      : formatSetupTitle(output, named),
    quotes: alone
      .flat()
      .map(({ path, change, diff = "" }) => ({ label: `${path} (${change})`, text: diff, isVerbatim: true })),
    table: { columns: ["file", "what"], rows: together.map(formatFileGroup) },
    points: [
      ...kept.map(({ path, part, because }) =>
        because === "theirs"
          ? `${path}: ${part} existed before and stays unchanged.`
          : `${path}: you edited ${part}, so it stays unchanged. --force ${isRemoval ? "removes it" : "replaces it"}.`,
      ),
      ...notes,
    ],
    next: dry_run && files.length > 0 ? [command.join(" ")] : [],
  };
}

const isSingle = (group: readonly SetupFileRow[]): boolean => group.length === 1;

function formatFileGroup(group: readonly SetupFileRow[]): string[] {
  const [first, ...others] = group;
  if (!first) return [];
  if (others.length === 0) return [first.path, first.change];
  return [formatFilePattern(first), `${first.change}, ${formatCount(group.length, "file")}`];
}

const formatFilePattern = ({ path }: SetupFileRow): string =>
  path.replace(/\/sdd-[a-z-]+/, "/sdd-*").replace(/\/sdd\/[a-z-]+\.toml$/, "/sdd/*.toml");

function formatRemovalTitle({ dry_run, files, kept }: SetupOutput, who: string): string {
  if (files.length === 0) return `Tenon is not set up for ${who.replace("every", "any")}. Nothing to remove.`;
  if (dry_run) return `Dry run: nothing was removed. Without --dry-run this is removed for ${who}.`;
  const isLeft = kept.some(({ because }) => because === "edited");
  return `Tenon is removed for ${who}${isLeft ? ", except for files you edited" : ""}.`;
}

/** A client without a file in this scope, or with only the user's own parts, is not set up. */
function formatSetupTitle({ dry_run, files, scope }: SetupOutput, named: readonly SetupClientRow[]): string {
  const done = named.filter(({ set_up }) => set_up);
  const [all, are] = [joinClientTitles(named), done.length > 1 ? "are" : "is"];
  if (files.length > 0 && dry_run) return `Dry run: nothing was written. Without --dry-run this is written for ${all}.`;
  if (done.length === 0) return `There is nothing to set up for ${all} ${scope === "user" ? "in your home" : "here"}.`;
  if (files.length === 0) return `${joinClientTitles(done)} ${are} set up already; nothing was changed.`;
  return `${joinClientTitles(done)} ${are} set up. Restart ${done.length > 1 ? "them" : "it"}.`;
}

const joinClientTitles = (clients: readonly SetupClientRow[]): string => joinWithAnd(clients.map(({ title }) => title));
