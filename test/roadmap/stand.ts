import { parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import type { ProcessContext } from "#app/application-host.ts";
import { type ProjectStand, projectStand } from "../gate/project.ts";
import { TINY } from "../gate/tiny.ts";
import type { Given, Said } from "./agents.ts";

/** As much of the answers as the tests ask for. */
interface Handed {
  readonly actions: readonly (Given & { readonly again: boolean; readonly since?: string })[];
  readonly more: number;
  readonly out: readonly { readonly id: string; readonly session: string }[];
  readonly dismissed: readonly string[];
  readonly idle?: string;
  readonly notes: readonly string[];
}

interface Taken {
  readonly outcome: "applied" | "repeated" | "refused" | "unread" | "lost";
  readonly problems: readonly { readonly problem: string; readonly line?: number }[];
  readonly form?: string;
  readonly confirm?: string;
  readonly notes: readonly string[];
  readonly receipt?: string;
  readonly due: readonly Given[];
  readonly reviews: readonly string[];
  readonly idle?: string;
}

interface Wanted {
  readonly name: string;
  readonly dependencies?: readonly string[];
}

/** A repository with a roadmap, in which tests are run for real. */
export interface RoadmapStand extends ProjectStand {
  /** Plans these features, and lets them run. */
  roadmap(features: readonly Wanted[], run?: Readonly<Record<string, unknown>>): Promise<void>;
  next(more?: Readonly<Record<string, unknown>>): Promise<Handed>;
  report(action: string, said: Said): Promise<Taken>;
  /** The brief of an assigned action, as its agent gets it. */
  brief(action: string): Promise<string>;
  /** The one action whose id begins so, newly handed out. */
  given(start: string): Promise<Given>;
  /** What a record says. */
  record(feature: string): Readonly<Record<string, unknown>>;
}

export async function roadmapStand(
  files: Readonly<Record<string, string>> = {},
  world: Partial<ProcessContext> = {},
  io: Partial<ProcessContext["io"]> = {},
): Promise<RoadmapStand> {
  const made = await projectStand({ ...TINY, ...files }, { wait: async () => undefined, ...world }, io);
  await made.trust();
  const next: RoadmapStand["next"] = async (more = {}) => (await made.run("roadmap.next", more)) as unknown as Handed;
  return {
    ...made,
    next,
    async roadmap(features, run = {}) {
      const wanted = features.map(({ name, dependencies = [] }) => ({
        name,
        description: `What ${name} is for`,
        dependencies,
      }));
      await made.run("roadmap.manage", { action: "create", features: wanted });
      await made.run("roadmap.manage", { action: "run", ...run });
    },
    report: async (action, said) => (await made.run("roadmap.report", { action, ...said })) as unknown as Taken,
    brief: async (action) => String((await made.run("roadmap.brief", { action }))["brief"]),
    async given(start) {
      const { actions, idle, notes } = await next();
      const found = actions.find(({ id }) => id.startsWith(start));
      if (found) return found;
      const ids = actions.map(({ id }) => id).join(", ");
      throw new Error(`${start} is not due, but ${ids || idle || "nothing"}. ${notes.join(" ")}`);
    },
    record(feature) {
      const read = parsePlainYaml(made.read(`sdd/features/${feature}/spec.yaml`));
      if ("problem" in read) throw new Error(read.problem);
      return read.value;
    },
    [Symbol.dispose]: () => made[Symbol.dispose](),
  };
}
