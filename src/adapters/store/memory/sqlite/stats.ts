import fs from "node:fs";
import { PROMPT_TYPE } from "#domain/memory/observation.ts";
import type { MemoryStatistics } from "#operations/ports/memory.ts";
import type { DatabaseReader } from "../../sqlite/database.ts";

export function readMemoryStats(db: DatabaseReader | undefined, file: string): MemoryStatistics {
  const count = (sql: string): number => Number(db?.all(sql)[0]?.["n"] ?? 0);
  const live = "FROM observations WHERE deleted_at IS NULL";
  return {
    observations: count(`SELECT count(*) AS n ${live} AND type <> '${PROMPT_TYPE}'`),
    deleted: count("SELECT count(*) AS n FROM observations WHERE deleted_at IS NOT NULL"),
    prompts: count(`SELECT count(*) AS n ${live} AND type = '${PROMPT_TYPE}'`),
    sessions: count("SELECT count(*) AS n FROM sessions"),
    relations: count("SELECT count(*) AS n FROM relations"),
    revisions: count("SELECT count(*) AS n FROM revisions"),
    projects: db ? listProjectStats(db) : [],
    file,
    bytes: ["", "-wal"].reduce(
      (sum, end) => sum + (fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0),
      0,
    ),
  };
}

function listProjectStats(db: DatabaseReader): MemoryStatistics["projects"] {
  const counts = new Map(
    db
      .all(
        `SELECT project, count(*) AS n FROM observations WHERE deleted_at IS NULL AND type <> '${PROMPT_TYPE}' GROUP BY 1`,
      )
      .map((row) => [Number(row["project"]), Number(row["n"])]),
  );
  return db
    .all("SELECT no, name FROM projects ORDER BY name")
    .map((row) => ({
      name: String(row["name"]),
      observations: counts.get(Number(row["no"])) ?? 0,
      aliases: db
        .all(
          "SELECT name FROM project_names WHERE project = ? AND name <> ? ORDER BY name",
          Number(row["no"]),
          String(row["name"]),
        )
        .map((alias) => String(alias["name"])),
    }))
    .toSorted((one, other) => other.observations - one.observations);
}
