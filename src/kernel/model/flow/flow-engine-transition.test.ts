import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import {
  type FlowState,
  createFlowState,
  type RunningFlow,
  type StageStatus,
  type FlowEvent,
  isAtLastStage,
  transitionFlow,
} from "./flow-engine.ts";

const FLOW: RunningFlow = {
  name: "fix-login",
  help: { operation: "change.status", input: { change_id: "fix-login" } },
  stages: [{ name: "a" }, { name: "b", isSkippable: true }, { name: "c", isSkippable: true }],
};
const at = "2026-01-31T12:00:00Z";

const say = (kind: Exclude<FlowEvent["kind"], "reopen">): FlowEvent => ({ kind, at });
const reopen = (stage: string, reason = "misread"): FlowEvent => ({ kind: "reopen", stage, reason, at });
const after = (...events: FlowEvent[]): FlowState =>
  events.reduce((state, event) => transitionFlow(FLOW, state, event)[0], createFlowState(FLOW, at));

const [advance, skip, complete, abandon, archive] = (
  ["advance", "skip", "complete", "abandon", "archive"] as const
).map(say) as [FlowEvent, FlowEvent, FlowEvent, FlowEvent, FlowEvent];

const EVENTS = {
  advance,
  skip,
  complete,
  abandon,
  archive,
  "reopen a": reopen("a"),
  "reopen b": reopen("b"),
  "reopen c": reopen("c"),
  "reopen x": reopen("x"),
};

const MARKS: Readonly<Record<StageStatus, string>> = {
  pending: "·",
  in_progress: "▸",
  completed: "✓",
  stale: "!",
  skipped: "–",
};

/** `a✓ b▸ c· active`: enough to see where a transition led; a reason makes it `b▸?`. */
const brief = (state: FlowState): string =>
  [
    ...state.stages.map((stage) => `${stage.name}${MARKS[stage.status]}${stage.stale_because ? "?" : ""}`),
    state.status,
  ].join(" ");

function outcome(state: FlowState, event: FlowEvent): string {
  try {
    return brief(transitionFlow(FLOW, state, event)[0]);
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

/** Nothing when the flow does not allow the event. */
function attempt(flow: RunningFlow, state: FlowState, event: FlowEvent): ReturnType<typeof transitionFlow> | undefined {
  try {
    return transitionFlow(flow, state, event);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

const NOT_ACTIVE = { advance: "flow.not-active", skip: "flow.not-active", complete: "flow.not-active" };

test.each([
  [
    "at the first stage",
    after(),
    {
      advance: "a✓ b▸ c· active",
      skip: "flow.not-skippable",
      complete: "flow.not-at-last-stage",
      abandon: "a▸ b· c· abandoned",
      archive: "flow.unfinished",
      "reopen a": "flow.not-earlier",
      "reopen b": "flow.not-earlier",
      "reopen c": "flow.not-earlier",
    },
  ],
  [
    "in the middle",
    after(advance),
    {
      advance: "a✓ b✓ c▸ active",
      skip: "a✓ b– c▸ active",
      complete: "flow.not-at-last-stage",
      abandon: "a✓ b▸ c· abandoned",
      archive: "flow.unfinished",
      "reopen a": "a▸? b· c· active",
      "reopen b": "flow.not-earlier",
      "reopen c": "flow.not-earlier",
    },
  ],
  [
    "at the last stage",
    after(advance, skip),
    {
      advance: "flow.at-last-stage",
      skip: "flow.at-last-stage",
      complete: "a✓ b– c✓ completed",
      abandon: "a✓ b– c▸ abandoned",
      archive: "flow.unfinished",
      "reopen a": "a▸? b· c· active",
      "reopen b": "a✓ b▸ c· active",
      "reopen c": "flow.not-earlier",
    },
  ],
  [
    "completed",
    after(advance, advance, complete),
    {
      ...NOT_ACTIVE,
      abandon: "flow.not-active",
      archive: "a✓ b✓ c✓ archived",
      "reopen a": "a▸? b!? c!? active",
      "reopen b": "a✓ b▸? c!? active",
      "reopen c": "a✓ b✓ c▸? active",
    },
  ],
  [
    "abandoned",
    after(advance, abandon),
    {
      ...NOT_ACTIVE,
      abandon: "flow.not-active",
      archive: "a✓ b▸ c· archived",
      "reopen a": "a▸? b· c· active",
      "reopen b": "a✓ b▸ c· active",
      "reopen c": "flow.not-earlier",
    },
  ],
  [
    "archived",
    after(advance, advance, complete, archive),
    {
      ...NOT_ACTIVE,
      abandon: "flow.not-active",
      archive: "flow.archived",
      "reopen a": "flow.archived",
      "reopen b": "flow.archived",
      "reopen c": "flow.archived",
    },
  ],
  [
    "reopened, with what follows stale",
    after(advance, advance, complete, reopen("a")),
    {
      advance: "a✓ b▸? c!? active",
      skip: "flow.not-skippable",
      complete: "flow.not-at-last-stage",
      abandon: "a▸? b!? c!? abandoned",
      archive: "flow.unfinished",
      "reopen a": "flow.not-earlier",
      "reopen b": "flow.not-earlier",
      "reopen c": "flow.not-earlier",
    },
  ],
  [
    "redone up to a stale stage",
    after(advance, advance, complete, reopen("a"), advance),
    {
      advance: "a✓ b✓ c▸? active",
      skip: "a✓ b–? c▸? active",
      complete: "flow.not-at-last-stage",
      abandon: "a✓ b▸? c!? abandoned",
      archive: "flow.unfinished",
      "reopen a": "a▸? b!? c!? active",
      "reopen b": "flow.not-earlier",
      "reopen c": "flow.not-earlier",
    },
  ],
  [
    "past a stale stage that was skipped",
    after(advance, advance, complete, reopen("a"), advance, skip),
    {
      advance: "flow.at-last-stage",
      skip: "flow.at-last-stage",
      complete: "a✓ b–? c✓ completed",
      abandon: "a✓ b–? c▸? abandoned",
      archive: "flow.unfinished",
      "reopen a": "a▸? b!? c!? active",
      "reopen b": "a✓ b▸? c!? active",
      "reopen c": "flow.not-earlier",
    },
  ],
])("%s, follows each event to the stage in the table", (_, state, expected) => {
  const outcomes = Object.entries(EVENTS).map(([name, event]) => [name, outcome(state, event)]);
  expect(Object.fromEntries(outcomes)).toEqual({ ...expected, "reopen x": "flow.unknown-stage" });
});

test("takes times from events, and keeps everything but the end of the stage on reopening", () => {
  const hour = (n: number): string => `2026-01-31T${n}:00:00Z`;
  const timed = [advance, advance, complete, reopen("b", "The limit was misread")].map((event, i) => ({
    ...event,
    at: hour(i + 13),
  }));
  expect(after(...timed)).toEqual({
    stages: [
      { name: "a", status: "completed", started_at: at, completed_at: hour(13) },
      { name: "b", status: "in_progress", started_at: hour(16), stale_because: "The limit was misread" },
      {
        name: "c",
        status: "stale",
        started_at: hour(14),
        completed_at: hour(15),
        stale_because: "The limit was misread",
      },
    ],
    current_stage: "b",
    status: "active",
  });
});

test.each([
  ["advance", after(), advance, ["stage-completed a", "stage-opened b"]],
  ["skip", after(advance), skip, ["stage-skipped b", "stage-opened c"]],
  ["complete", after(advance, advance), complete, ["stage-completed c", "flow-completed"]],
  ["abandon", after(), abandon, ["flow-abandoned"]],
  ["archive", after(abandon), archive, ["flow-archived"]],
  ["reopen", after(advance, advance), reopen("a"), ["stage-opened a", "stage-stale b"]],
  [
    "reopen what was completed",
    after(advance, advance, complete),
    reopen("b"),
    ["flow-reopened", "stage-opened b", "stage-stale c"],
  ],
  ["reopen what was abandoned", after(abandon), reopen("a"), ["flow-reopened", "stage-opened a"]],
])("%s reports its consequences", (_, state, event, effects) => {
  expect(transitionFlow(FLOW, state, event)[1].map((effect) => Object.values(effect).join(" "))).toEqual(effects);
});

test.each([
  ["flow.not-active", after(abandon), advance, "fix-login cannot be advanced. It is abandoned."],
  ["flow.not-active", after(abandon), complete, "fix-login cannot be completed. It is abandoned."],
  ["flow.not-active", after(abandon), abandon, "fix-login cannot be abandoned. It is abandoned."],
  ["flow.at-last-stage", after(advance, skip), advance, "fix-login has no next stage. This is the last one."],
  ["flow.not-skippable", after(), skip, "Stage a cannot be skipped. The flow requires it."],
  ["flow.not-at-last-stage", after(), complete, "fix-login cannot be completed. Stage a is open and others follow it."],
  ["flow.not-earlier", after(), reopen("b"), 'Stage "b" cannot be reopened. Only a stage before a can be.'],
  ["flow.unknown-stage", after(), reopen("x\n"), 'fix-login has no stage "x\\u000a". The stages are a, b, c.'],
  ["flow.archived", after(abandon, archive), reopen("a"), 'Stage "a" cannot be reopened. fix-login is archived.'],
  ["flow.archived", after(abandon, archive), archive, "fix-login cannot be archived. It is archived already."],
  ["flow.unfinished", after(), archive, "fix-login cannot be archived. Stage a is open."],
])("%s has an event, a reason and a command", (code, state, event, message) => {
  expect(() => transitionFlow(FLOW, state, event)).toThrow(
    expect.objectContaining({ code, message, fixes: [FLOW.help] }),
  );
});

const anyFlow = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }).map((skippable): RunningFlow => ({
  ...FLOW,
  stages: skippable.map((isSkippable, i) => ({ name: `s${i}`, isSkippable })),
}));

const anyEvent = (size: number): fc.Arbitrary<FlowEvent> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(advance) },
    { weight: 2, arbitrary: fc.constantFrom(skip, complete, abandon, archive) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.nat({ max: size - 1 }), fc.string({ minLength: 1, maxLength: 5 }))
        .map(([i, reason]) => reopen(`s${i}`, reason)),
    },
  );

const run = anyFlow.chain((flow) =>
  fc.tuple(fc.constant(flow), fc.array(anyEvent(flow.stages.length), { maxLength: 40 })),
);

/** Whether the states hold together, stage by stage, given those that ever produced an artifact. */
function isSound(state: FlowState, hasArtifact: ReadonlySet<string>): boolean {
  const current = state.stages.findIndex((stage) => stage.name === state.current_stage);
  const open = state.stages.filter((stage) => stage.status === "in_progress");
  return (
    open.length === (state.stages[current]?.status === "completed" ? 0 : 1) &&
    (state.status !== "active" || open[0]?.name === state.current_stage) &&
    state.stages.every((stage, i) => {
      if (stage.status === "pending" && hasArtifact.has(stage.name)) return false;
      if (stage.status === "stale" && !(hasArtifact.has(stage.name) && stage.stale_because)) return false;
      if (i < current) return stage.status === "completed" || stage.status === "skipped";
      return i === current || stage.status === "pending" || stage.status === "stale";
    })
  );
}

test("keeps stages consistent and forgets no artifact, for any events", () => {
  fc.assert(
    fc.property(run, ([flow, events]) => {
      const hasArtifact = new Set<string>();
      let state = createFlowState(flow, at);
      for (const event of events) {
        const before = structuredClone(state);
        const [next, effects] = attempt(flow, state, event) ?? [state, []];
        expect(state).toEqual(before);
        for (const effect of effects) if (effect.kind === "stage-completed") hasArtifact.add(effect.stage);
        expect({ next, isSound: isSound(next, hasArtifact) }).toEqual({ next, isSound: true });
        state = next;
      }
    }),
    { numRuns: 500 },
  );
});

test("completes a flow after as many advances as it has stages", () => {
  fc.assert(
    fc.property(anyFlow, (flow) => {
      let state = createFlowState(flow, at);
      while (!isAtLastStage(state)) [state] = transitionFlow(flow, state, advance);
      [state] = transitionFlow(flow, state, complete);
      expect(brief(state)).toBe(`${flow.stages.map((stage) => `${stage.name}✓`).join(" ")} completed`);
    }),
  );
});
