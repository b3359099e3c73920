import { Fault } from "#kernel/model/fault.ts";
import type { ProjectIdentity } from "#kernel/model/project-identity.ts";
import { parseSearchQuestion, type SearchQuestion } from "#kernel/model/search/search-question.ts";
import { readErrorCode } from "#kernel/model/system-error.ts";
import { findSecrets, maskSecretRanges } from "#kernel/model/secret-detection.ts";
import type { Observation } from "../model/memory-records.ts";
import { mergeCandidates, mergeLatest } from "../model/merged-memory.ts";
import { isTeamNumber } from "../model/observation.ts";
import type { MemoryEngine } from "./engine.ts";
import type * as port from "./ports/memory.ts";
import { TextCleaner } from "./text-cleaner.ts";

/** The way to the team's store of one repository. */
export interface TeamMemoryLink {
  /** The repository's name in the team's database. */
  readonly repository: () => Promise<string>;
  readonly open: () => Promise<port.MemoryRecords>;
  /** As `open`, for a read: it rejects soon where the database is away, and at once for a while after that. */
  readonly try: <T>(call: (team: port.MemoryRecords) => Promise<T>) => Promise<T>;
}

const NO_CANDIDATES: port.MemoryCandidates = { observations: [], total: 0, terms: [], repaired: [] };

/** How a call reaches the team: texts are cleaned before they are sent, and a failure becomes a warning or a fault. */
function createTeamAccess(own: port.MemoryStore, link: TeamMemoryLink, engine: Pick<MemoryEngine, "secrets">) {
  const warnings = new Set<string>();
  const clean = <T>(value: T): Promise<T> => new TextCleaner(engine).all(value);
  /** Names of folders stay here: the team knows the repository by its own name. */
  const toTeamProject = async (project: ProjectIdentity): Promise<ProjectIdentity> => {
    const { name } = await clean({ name: project.name });
    if (project.places.length === 0) return { name, places: [] };
    const isShared = project.isNamedBySettings || project.places.some((place) => place.startsWith("remote:"));
    const places = [`remote:${await link.repository()}`];
    return {
      name: isShared ? name : "repository",
      places,
      ...(project.isNamedBySettings && { isNamedBySettings: true }),
    };
  };
  const toTeamFilter = async ({ project, ...filter }: port.MemoryFilter): Promise<port.MemoryFilter> => ({
    ...(await clean(filter)),
    project: project && (await toTeamProject(project)),
  });
  const ask = async <T>(nothing: T, call: (team: port.MemoryRecords) => Promise<T>): Promise<T> => {
    try {
      return await link.try(call);
    } catch (error) {
      const why = error instanceof Fault ? error.what : "The team's database failed.";
      warnings.add(`${why} Only your own memory was read.`);
      return nothing;
    }
  };
  const tell = async <T>(call: (team: port.MemoryRecords) => Promise<T>): Promise<T> => {
    try {
      return await call(await link.open());
    } catch (error) {
      if (error instanceof Fault) throw /^(?:team|database)\./.test(error.code) ? createTeamAwayFault(error) : error;
      const code = readErrorCode(error);
      if (code === undefined) throw error;
      const why = `It reported ${code}. Its owner prepares it for this repository: tenon team init`;
      throw createTeamAwayFault({ what: "The team's database cannot be used.", why });
    }
  };
  /** One call to the store that has the observation of this number. */
  const at = <T>(id: number, call: (store: port.MemoryRecords) => Promise<T>): Promise<T> =>
    isTeamNumber(id) ? tell(call) : call(own);
  const bySide = async <T>(
    filter: port.MemoryFilter,
    nothing: T,
    call: (store: port.MemoryRecords, filter: port.MemoryFilter) => Promise<T>,
  ): Promise<readonly [T, T]> =>
    Promise.all([
      filter.scope === "team" ? nothing : call(own, filter),
      filter.scope === "team" || filter.scope === undefined
        ? ask(nothing, async (team) => call(team, await toTeamFilter(filter)))
        : nothing,
    ]);
  const toTeamDraft = async (draft: port.ObservationDraft): Promise<port.ObservationDraft> => {
    const { content, project: _own, ...rest } = await clean({ ...draft, relate_to: undefined, supersedes: undefined });
    const text = typeof content === "string" ? content : (present?: string) => maskText(content(present));
    const relate_to = draft.relate_to?.filter(isTeamNumber);
    return { ...rest, content: text, project: await toTeamProject(draft.project), relate_to };
  };
  return { warnings, clean, toTeamProject, toTeamFilter, toTeamDraft, ask, tell, at, bySide };
}

type TeamAccess = ReturnType<typeof createTeamAccess>;

const createTeamReads = (own: port.MemoryStore, access: TeamAccess) => {
  const { clean, toTeamProject, toTeamFilter, ask, tell, at, bySide } = access;
  return {
    get: (id) => at(id, (store) => store.get(id)),
    topic: async (topic) => {
      if (topic.scope !== "team") return own.topic(topic);
      const { project, ...rest } = await clean(topic);
      return tell(async (team) => team.topic({ ...rest, project: await toTeamProject(project) }));
    },
    candidates: async (question, filter, most) => {
      const safe = await cleanQuestion(question, access.clean);
      const [mine, shared] = await bySide(filter, NO_CANDIDATES, (store, where) =>
        store.candidates(store === own ? question : safe, where, most),
      );
      return mergeCandidates(mine, shared);
    },
    neighbours: async (observations, reach) => {
      const shared = observations.filter(({ id }) => isTeamNumber(id));
      const rest = observations.filter(({ id }) => !isTeamNumber(id));
      const beside = await own.neighbours(rest, reach);
      if (shared.length === 0) return beside;
      return new Map([...beside, ...(await ask(new Map(), (team) => team.neighbours(shared, reach)))]);
    },
    recent: async (filter, limit) => {
      const [mine, shared] = await bySide<readonly Observation[]>(filter, [], (store, where) =>
        store.recent(where, limit),
      );
      return mergeLatest(mine, shared, limit);
    },
    around: (observation, before, after) => at(observation.id, (store) => store.around(observation, before, after)),
    relations: async (ids) => {
      const shared = ids.filter(isTeamNumber);
      const mine = await own.relations(ids.filter((id) => !isTeamNumber(id)));
      return shared.length === 0 ? mine : [...mine, ...(await ask([], (team) => team.relations(shared)))];
    },
    revisions: (id, most) => at(id, (store) => store.revisions(id, most)),
    stale: async (filter, before, limit) =>
      filter.scope === "team"
        ? tell(async (team) => team.stale(await toTeamFilter(filter), before, limit))
        : own.stale(filter, before, limit),
  } satisfies Partial<port.MemoryStore>;
};

const createTeamWrites = (
  own: port.MemoryStore,
  { clean, toTeamProject, toTeamFilter, toTeamDraft, tell, at }: TeamAccess,
) => {
  const saveDraft = async (draft: port.ObservationDraft, time: string): Promise<readonly port.SavedObservation[]> => {
    const isTeam = draft.scope === "team";
    const others = draft.relate_to?.filter((id) => isTeamNumber(id) !== isTeam) ?? [];
    const relate_to = draft.relate_to?.filter((id) => !others.includes(id));
    const saved = isTeam
      ? await tell(async (team) => team.save([await toTeamDraft(draft)], time))
      : await own.save([{ ...draft, relate_to }], time);
    const apart = others.map((id) => `#${id} is ${isTeam ? "in your own memory" : "in the team's memory"}`);
    return saved.map((each) => ({ ...each, warnings: [...each.warnings, ...apart] }));
  };
  return {
    save: async (drafts, time) => {
      const isMixed = drafts.some(({ scope, relate_to }) => scope === "team" || relate_to?.some(isTeamNumber));
      if (!isMixed) return own.save(drafts, time);
      const saved: port.SavedObservation[] = [];
      for (const draft of drafts) saved.push(...(await saveDraft(draft, time)));
      return saved;
    },
    update: async (id, change, time) => {
      if (!isTeamNumber(id)) return own.update(id, change, time);
      const { project, ...rest } = await clean(change);
      const to = project && (await toTeamProject(project));
      return tell((team) => team.update(id, { ...rest, ...(to && { project: to }) }, time));
    },
    remove: (id, isHard, time) => at(id, (store) => store.remove(id, isHard, time)),
    restore: (id, time) => at(id, (store) => store.restore(id, time)),
    purge: async (source, project, isHard, time) => {
      const shared = await clean({ source });
      const to = project && (await toTeamProject(project));
      const count = await tell((team) => team.purge(shared.source, to, isHard, time));
      return count + (await own.purge(source, project, isHard, time));
    },
    relate: async (relation, isBidirectional, time) => {
      const { from_id, to_id } = relation;
      if (isTeamNumber(from_id) !== isTeamNumber(to_id)) throw createMixedRelationFault(from_id, to_id);
      if (!isTeamNumber(from_id)) return own.relate(relation, isBidirectional, time);
      const shared = await clean(relation);
      return tell((team) => team.relate(shared, isBidirectional, time));
    },
    unrelate: (id) => at(id, (store) => store.unrelate(id)),
    compact: async (ids, stale, summary, time) => {
      if (stale.filter.scope !== "team") return own.compact(ids, stale, summary, time);
      const filter = await toTeamFilter(stale.filter);
      const draft = summary && (await toTeamDraft(summary));
      return tell((team) => team.compact(ids, { ...stale, filter }, draft, time));
    },
  } satisfies Partial<port.MemoryStore>;
};

/**
 * A user's own memory, and beside it the observations with team scope. Only calls with team scope or with a number of
 * the team's write there, and every text they send is cleaned here again. Without the team, reads answer from the own
 * memory and leave a warning.
 */
export function createTeamMemory(
  own: port.MemoryStore,
  link: TeamMemoryLink,
  engine: Pick<MemoryEngine, "secrets">,
): port.MemoryStore {
  const access = createTeamAccess(own, link, engine);
  return {
    ...delegateTo(own),
    warnings: access.warnings,
    ...createTeamReads(own, access),
    ...createTeamWrites(own, access),
  };
}

/** The methods of a class instance, for an object that replaces some of them. */
const delegateTo = (own: port.MemoryStore): port.MemoryStore => ({
  ...own,
  health: () => own.health(),
  importFrom: (file, clean, at) => own.importFrom(file, clean, at),
  backupTo: (file) => own.backupTo(file),
});

const maskText = (text: string): string => maskSecretRanges(text, findSecrets(text));

async function cleanQuestion(question: SearchQuestion, clean: <T>(value: T) => Promise<T>): Promise<SearchQuestion> {
  const text = await clean(question.text);
  return text === question.text ? question : parseSearchQuestion(text, "9999-01-01T00:00:00Z");
}

const createTeamAwayFault = ({ what, why }: Pick<Fault, "what" | "why">): Fault =>
  new Fault("memory.team-away", {
    what: "The team's memory was not used.",
    why: `${what} ${why}`,
    fix: [
      "Save it for yourself now, and for the team later:",
      { operation: "memory.save", input: { content: "…", scope: "project" } },
    ],
  });

const createMixedRelationFault = (from: number, to: number): Fault =>
  new Fault("memory.bad-relation", {
    what: "The relation was not added.",
    why: `Of #${from} and #${to}, one is in your own memory and the other in the team's.`,
    fix: ["Save the first one for the team too:", { operation: "memory.save", input: { content: "…", scope: "team" } }],
  });
