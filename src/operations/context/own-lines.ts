import { DRAFT_HEADER } from "#domain/adopt/drafts.ts";
import { PROJECT_DOCUMENT_STAGES } from "#domain/project/flow.ts";
import type { Engine } from "../engine.ts";

export async function loadTemplateLines({ assets }: Pick<Engine, "assets">): Promise<ReadonlySet<string>> {
  const templates = await Promise.all(
    PROJECT_DOCUMENT_STAGES.map((stage) => assets.text(`templates/project/${stage}`)),
  );
  const lines = templates.flatMap((text) => text.split("\n").map((line) => line.trim()));
  return new Set([DRAFT_HEADER, ...lines.filter((line) => line.startsWith(">"))]);
}
