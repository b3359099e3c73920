import fs from "node:fs";
import { join } from "node:path";
import { formatEventLog } from "#kernel/model/event-log.ts";
import type { StoredEvent } from "#store/operations/ports/store.ts";
import { houseIn } from "./scenario.ts";

/** What a workspace holds, without the times at which it came about: files with their text, folders with "". */
export type Picture = Readonly<Record<string, string>>;

/** Left behind by a write that did not come to its end. */
const LEFTOVER = /^\.tenon-|^state\.yaml\..*\.tmp$/;
const TICKET = /\/turns\/./;

/** Everything but git's own and this machine's own. */
export function picture(root: string): Picture {
  return Object.fromEntries(
    listEntries(root)
      .filter(({ path, name }) => !/^\.(?:git|sdd)(?:\/|$)/.test(path) && !LEFTOVER.test(name))
      .map(({ path, isFolder }) => (isFolder ? [`${path}/`, ""] : [path, timeless(root, path)])),
  );
}

export function leftovers(root: string): string[] {
  return listEntries(root).flatMap(({ path, name }) => (LEFTOVER.test(name) || TICKET.test(path) ? [path] : []));
}

/** What the ledger says happened in this workspace. */
export async function events(root: string): Promise<string[]> {
  using house = houseIn(root);
  const { store } = await house.house.open({});
  return (await store.events(0)).map(({ kind, subject }: StoredEvent) => `${kind} ${subject}`);
}

/** What the log of workflows tells, and what it would tell if nothing ever interfered. */
export async function readWorkflowLog(root: string): Promise<{ found: string; due: string }> {
  using house = houseIn(root);
  const { store } = await house.house.open({});
  const lines = (await store.events(0)).flatMap((event) => formatEventLog(event) ?? []);
  const place = join(root, ".sdd/logs/workflows.log");
  return {
    found: fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "",
    due: lines.map(({ line }) => `${line}\n`).join(""),
  };
}

/** The paths at which two pictures differ. */
export function differences(a: Picture, b: Picture): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path]).toSorted();
}

function listEntries(root: string): { path: string; name: string; isFolder: boolean }[] {
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => ({
      path: join(entry.parentPath, entry.name).slice(root.length + 1),
      name: entry.name,
      isFolder: entry.isDirectory(),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function timeless(root: string, path: string): string {
  return fs
    .readFileSync(join(root, path), "utf8")
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "<time>")
    .replace(/sha256:[\da-f]{64}/, "<checksum>");
}
