import type * as z from "zod";
import { count } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import type { SetupDone } from "./schema.ts";

type Output = z.infer<typeof SetupDone>;
type File = Output["files"][number];

export function page(output: Output): Page {
  return output.action === "list" ? listPage(output) : donePage(output);
}

function listPage({ clients, files, notes, scope }: Output): Page {
  const open = clients.filter(({ id, found }) => found && files.some((file) => file.clients.includes(id)));
  const flags = scope === "user" ? ["--user"] : [];
  return {
    title: `${count(clients.filter(({ found }) => found).length, "client")} found ${scope === "user" ? "in your home" : "here"}. Nothing was written.`,
    table: {
      columns: ["client", "name", "found", "set up", "would write"],
      rows: clients.map(({ id, title, found, set_up }) => [
        title,
        id,
        found ? "yes" : "no",
        set_up ? "yes" : "no",
        found ? count(files.filter((file) => file.clients.includes(id)).length, "file") : "",
      ]),
    },
    points: notes,
    next:
      open.length === 0
        ? ["tenon setup <name> --dry-run"]
        : [["tenon setup", ...open.map(({ id }) => id), ...flags, "--dry-run"].join(" ")],
  };
}

function donePage({ action, dry_run, clients, files, kept, notes, scope }: Output): Page {
  const named = clients.filter((client) => client.named);
  const isRemoval = action === "remove";
  const isAll = isRemoval && named.length === clients.length;
  const who = isAll ? "every client" : listed(named.map(({ title }) => title));
  return {
    title: titleOf({ who, isRemoval, isDry: dry_run, isIdle: files.length === 0, isMany: named.length > 1 }),
    ...(dry_run
      ? { quotes: files.map(({ path, change, diff = "" }) => ({ label: `${path} (${change})`, text: diff })) }
      : { table: { columns: ["file", "what"], rows: grouped(files) } }),
    points: [...kept.map((each) => keptPoint(each, isRemoval)), ...notes],
    next: dry_run && files.length > 0 ? [wordsFor({ isRemoval, isAll, named: named.map(({ id }) => id), scope })] : [],
  };
}

interface Said {
  readonly who: string;
  readonly isRemoval: boolean;
  readonly isDry: boolean;
  readonly isIdle: boolean;
  readonly isMany: boolean;
}

function titleOf({ who, isRemoval, isDry, isIdle, isMany }: Said): string {
  const are = isMany ? "are" : "is";
  if (isIdle && isRemoval) return `There is nothing of setup's to take out for ${who}.`;
  if (isIdle) return `${who} ${are} set up already; nothing was changed.`;
  if (isDry) return `Nothing was written. This is what would be ${isRemoval ? "taken out" : "written"} for ${who}.`;
  return isRemoval ? `Tenon is taken out for ${who}.` : `${who} ${are} set up. Start ${isMany ? "them" : "it"} anew.`;
}

const wordsFor = (said: { isRemoval: boolean; isAll: boolean; named: readonly string[]; scope: string }): string =>
  [
    "tenon setup",
    ...(said.isAll ? [] : said.named),
    ...(said.scope === "user" ? ["--user"] : []),
    ...(said.isRemoval ? ["--remove"] : []),
  ].join(" ");

function keptPoint({ path, part, because }: Output["kept"][number], isRemoval: boolean): string {
  if (because === "theirs") return `${path}: ${part} was there before, and stays as it is.`;
  return `${path}: you have edited ${part}, so it stays as it is. --force ${isRemoval ? "takes it out" : "replaces it"}.`;
}

/** The files of commands differ in a name: one line stands for all of them. */
function grouped(files: readonly File[]): string[][] {
  const groups = new Map<string, { change: string; paths: string[] }>();
  for (const { path, change } of files) {
    const pattern = path.replace(/\/sdd-[a-z-]+/, "/sdd-*").replace(/\/sdd\/[a-z-]+\.toml$/, "/sdd/*.toml");
    const group = groups.get(`${pattern} ${change}`) ?? { change, paths: [] };
    group.paths.push(path);
    groups.set(`${pattern} ${change}`, group);
  }
  return [...groups].map(([key, { change, paths }]) =>
    paths.length === 1
      ? [paths[0] ?? "", change]
      : [key.slice(0, key.lastIndexOf(" ")), `${change}, ${count(paths.length, "file")}`],
  );
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
