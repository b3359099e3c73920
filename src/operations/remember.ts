import { CHANGE_STAGES } from "#domain/change/flows.ts";
import { LONGEST_CONTENT } from "#domain/memory/observation.ts";
import type { ProjectRef } from "#domain/memory/project.ts";
import { changeArtifact } from "#domain/workspace/path.ts";
import { slugify } from "#domain/slug.ts";
import { everyAdr } from "./adr/list.ts";
import { everyChange } from "./change/shelf.ts";
import { Cleaner } from "./clean.ts";
import type { Engine, Observer } from "./engine.ts";
import { forgivingTree } from "./forgiving-tree.ts";
import { type Draft, projectOf } from "./memory.ts";
import type { RecordedEvent, Tree } from "./store.ts";

/** The session of what the pipelines save. */
const PIPELINE = "tenon";
/** Events that are taken in at once. */
const BATCH = 500;

type Following = Pick<Engine, "store" | "settings" | "memory" | "project" | "secrets">;

/** Remembers every decision and every completed stage, from the ledger's events. */
export function memoryObserver(engine: Following): Observer {
  return {
    name: "memory",
    async catchUp() {
      const { memory: settings } = await engine.settings.load();
      if (!settings.enabled) return;
      // A ledger is known by its first event, wherever it is moved to.
      const [first] = await engine.store.events(0, 1);
      if (!first) return;
      const memory = await engine.memory();
      for (;;) {
        const at = await memory.followed(first.id);
        const events = await engine.store.events(at, BATCH);
        const last = events.at(-1);
        if (!last) return;
        const project = await projectOf(engine, undefined);
        const name = await memory.projectName(project);
        const cleaner = new Cleaner(engine);
        const titles = await cleanTitles(await engine.store.read((tree) => titlesOf(tree, events)), cleaner);
        const drafts = await engine.store.read((tree) => draftsOf(tree, events, { project, name, titles }));
        const cleaned = await Promise.all(drafts.map((draft) => cleanDraft(draft, cleaner)));
        await memory.follow(first.id, at, last.seq, cleaned, last.at);
      }
    },
  };
}

async function cleanDraft(draft: TextDraft, cleaner: Cleaner): Promise<Draft> {
  const { title, content } = await cleaner.all({ title: draft.title, content: draft.content });
  return { ...draft, title, content: fitting(content, draft.source) };
}

interface Owner {
  readonly project: ProjectRef;
  readonly name: string;
  /** The titles of decisions, each with what may be kept of it. */
  readonly titles: ReadonlyMap<string, string>;
}
type TextDraft = Draft & { readonly content: string; readonly source: string; readonly topic_key: string };

/** What happened several times is kept as it is now, once. */
function draftsOf(tree: Tree, events: readonly RecordedEvent[], owner: Owner): TextDraft[] {
  // What cannot be read is told by `status` and `doctor`; here it is only not remembered.
  const readable = forgivingTree(tree, () => undefined);
  const drafts = [...adrDrafts(readable, events, owner), ...stageDrafts(readable, events, owner)];
  return [...new Map(drafts.map((draft) => [draft.topic_key, draft])).values()];
}

/** A topic key is made from a title, so what must not be kept is taken out before. */
function titlesOf(tree: Tree, events: readonly RecordedEvent[]): string[] {
  if (!events.some(isOfAdr)) return [];
  return everyAdr(forgivingTree(tree, () => undefined)).adrs.map(({ title }) => title);
}

async function cleanTitles(titles: readonly string[], cleaner: Cleaner): Promise<Map<string, string>> {
  return new Map(await Promise.all(titles.map(async (title) => [title, await cleaner.text(title)] as const)));
}

const isOfAdr = ({ kind }: RecordedEvent): boolean => kind.startsWith("adr.");

function stageDrafts(tree: Tree, events: readonly RecordedEvent[], { project, name }: Owner): TextDraft[] {
  const completed = events.filter((event) => event.kind === "change.stage-completed");
  if (completed.length === 0) return [];
  const changes = new Map(everyChange(tree).changes.map((change) => [String(change.record.id), change]));
  return completed.flatMap(({ subject, data }) => {
    const change = changes.get(subject);
    const stage = CHANGE_STAGES.find((each) => each === data?.["stage"]);
    if (!change || !stage) return [];
    const path = changeArtifact(change.shelf, change.record.id, stage);
    const content = tree.text(path);
    if (content === undefined) return [];
    return [
      pipelineDraft(project, {
        type: "change",
        title: `${stage}: ${change.record.description}`,
        content,
        source: path,
        topic_key: `change/${name}/${subject}/${stage}`,
      }),
    ];
  });
}

function adrDrafts(tree: Tree, events: readonly RecordedEvent[], { project, name, titles }: Owner): TextDraft[] {
  const touched = new Set(events.filter(isOfAdr).map((event) => event.subject));
  if (touched.size === 0) return [];
  const { adrs } = everyAdr(tree);
  const slugs = adrs.map(({ title }) => slugify(titles.get(title) ?? "", "adr", 80));
  // Of several decisions with one title the first has the plain key.
  const keys = new Map(
    adrs.map(({ ref }, i) => {
      const slug = slugs[i] ?? "";
      const isFirst = slugs.indexOf(slug) === i;
      return [ref, `adr/${name}/${slug}${isFirst ? "" : `-${slugify(ref, "adr")}`}`];
    }),
  );
  return adrs
    .filter(({ ref }) => touched.has(ref))
    .flatMap(({ ref, title, path, supersedes }) => {
      const content = tree.text(path as Parameters<Tree["text"]>[0]);
      const old = supersedes === undefined ? undefined : keys.get(supersedes);
      if (content === undefined) return [];
      return [
        {
          ...pipelineDraft(project, { type: "adr", title, content, source: path, topic_key: keys.get(ref) ?? "" }),
          ...(old === undefined
            ? {}
            : { supersedes: { project, scope: "project" as const, namespace: "", topic_key: old } }),
        },
      ];
    });
}

function pipelineDraft(
  project: ProjectRef,
  text: Pick<TextDraft, "type" | "title" | "content" | "source" | "topic_key">,
): TextDraft {
  return { ...text, project, session: PIPELINE, scope: "project", namespace: "" };
}

/** A document may be longer than an observation; the file has it whole, and that is said. */
function fitting(content: string, source: string | undefined): string {
  const bytes = new TextEncoder().encode(content);
  if (bytes.length <= LONGEST_CONTENT) return content;
  const kept = LONGEST_CONTENT - 1_000;
  const head = new TextDecoder().decode(bytes.subarray(0, kept)).replace(/\uFFFD+$/, "");
  return `${head}\n\n[These are the first ${kept} of ${bytes.length} bytes; ${source} has them all.]`;
}
