import fs from "node:fs";
import { dirname, join } from "node:path";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { surveyRepository } from "#onboarding/operations/adopt/survey-repository.ts";
import type { RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { git, type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { type Finished, tenon } from "../kit/process.ts";

const FIXTURES = new URL("fixtures/", import.meta.url);

/** Small applications as one finds them, one in each language. */
export const LANGUAGES = fs.readdirSync(FIXTURES);

/** A repository with one of them, committed. */
export function fixture(name: string): TemporaryFolder {
  const repository = temporaryRepository();
  fs.cpSync(new URL(name, FIXTURES), repository.path, { recursive: true });
  git(repository.path, "add", "--all");
  git(repository.path, "commit", "--quiet", "--message", "All of it");
  return repository;
}

/** A repository with these files, not committed. */
export function repositoryOf(files: Readonly<Record<string, string | Uint8Array>>): TemporaryFolder {
  const repository = temporaryRepository();
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(repository.path, path)), { recursive: true });
    fs.writeFileSync(join(repository.path, path), text);
  }
  return repository;
}

/** The built program; what it remembers is not of interest here. */
export const run = (root: string, ...words: string[]): Finished =>
  tenon(words, { cwd: root, env: { TENON_MEMORY: "off" } });

export async function surveyFolder(root: string): Promise<RepositorySurvey> {
  using house = testHouse(root);
  return surveyRepository(await house.house.open({}), {});
}

/** What an operation answers, as data. */
export async function ask<T>(root: string, id: "adopt.scan" | "adopt.bootstrap", input: object = {}): Promise<T> {
  using house = testHouse(root);
  return (await (await loadCatalogueOperation(id)).run(await house.house.open({}), input)) as T;
}

export const DOCUMENTS = ["requirements.md", "business-rules.md", "design.md"] as const;

/** A draft, or the document that it became. */
export const documentIn = (root: string, name: (typeof DOCUMENTS)[number]): string => {
  const draft = join(root, "sdd/drafts", name);
  return fs.readFileSync(fs.existsSync(draft) ? draft : join(root, "sdd", name), "utf8");
};
