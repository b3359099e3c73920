import { HEADER } from "#domain/adopt/drafts.ts";
import { WRITTEN_STAGES } from "#domain/project/flow.ts";
import type { Engine } from "../engine.ts";

export async function ownLines({ assets }: Pick<Engine, "assets">): Promise<ReadonlySet<string>> {
  const templates = await Promise.all(WRITTEN_STAGES.map((stage) => assets.text(`templates/project/${stage}`)));
  const lines = templates.flatMap((text) => text.split("\n").map((line) => line.trim()));
  return new Set([HEADER, ...lines.filter((line) => line.startsWith(">"))]);
}
