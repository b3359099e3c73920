import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { type ClientId, SETUP_CLIENTS, type SetupScope } from "#domain/setup/clients.ts";
import type { SetupOutputSchema } from "./schema.ts";

type SetupPageOutput = z.infer<typeof SetupOutputSchema>;
type SetupFileRow = SetupPageOutput["files"][number];
type SetupClientRow = SetupPageOutput["clients"][number];

export function formatSetupPage(output: SetupPageOutput): Page {
  return output.action === "list" ? formatClientListPage(output) : formatSetupResultPage(output);
}

function formatClientListPage({ clients, files, notes, scope }: SetupPageOutput): Page {
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

function formatSetupResultPage(output: SetupPageOutput): Page {
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

function formatRemovalTitle({ dry_run, files, kept }: SetupPageOutput, who: string): string {
  if (files.length === 0) return `There is nothing of setup's to take out for ${who}.`;
  if (dry_run) return `Nothing was written. This is what would be taken out for ${who}.`;
  const isLeft = kept.some(({ because }) => because === "edited");
  return `Tenon is taken out for ${who}${isLeft ? ", but for what you have edited" : ""}.`;
}

/** A client without a file in this scope, or with only the user's own parts, is not set up. */
function formatSetupTitle({ dry_run, files, scope }: SetupPageOutput, named: readonly SetupClientRow[]): string {
  const done = named.filter(({ set_up }) => set_up);
  const are = done.length > 1 ? "are" : "is";
  if (files.length > 0 && dry_run)
    return `Nothing was written. This is what would be written for ${joinClientTitles(named)}.`;
  if (done.length === 0)
    return `There is nothing to set up for ${joinClientTitles(named)} ${scope === "user" ? "in your home" : "here"}.`;
  if (files.length === 0) return `${joinClientTitles(done)} ${are} set up already; nothing was changed.`;
  return `${joinClientTitles(done)} ${are} set up. Start ${done.length > 1 ? "them" : "it"} anew.`;
}

const formatSetupCommand = ({ action, scope, force }: SetupPageOutput, named: readonly string[]): string =>
  [
    "tenon setup",
    ...named,
    ...(scope === "user" ? ["--user"] : []),
    ...(action === "remove" ? ["--remove"] : []),
    ...(force ? ["--force"] : []),
  ].join(" ");

function describeKeptPart({ path, part, because }: SetupPageOutput["kept"][number], isRemoval: boolean): string {
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

function groupSetupFiles(files: readonly SetupFileRow[]): SetupFileRow[][] {
  const groups = new Map<string, SetupFileRow[]>();
  for (const file of files) {
    const key = `${formatFilePattern(file)} ${file.change}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups.values()];
}

function joinClientTitles(clients: readonly SetupClientRow[]): string {
  const names = clients.map(({ title }) => title);
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
