import { useSignal } from "@preact/signals";
import { act, type CallFault, linkTo, route, snapshot, useAnswer } from "./page-state.ts";
import { Answer, Badge, Empty, FaultNote, formatTokens, Table, Time, type Tone, View } from "./page-elements.tsx";

const STATE_TONES: Readonly<Record<string, Tone>> = {
  landed: "good",
  failed: "bad",
  assigned: "warn",
  ended: "warn",
  stopped: "warn",
};
/** The end of a transcript says what an agent does now. */
const TAIL_LINES = 200;

export function RunView() {
  const run = useAnswer("run.show");
  const graph = useAnswer("roadmap.graph");
  const problem = useSignal<CallFault | undefined>(undefined);
  const { detail } = route.value;
  const stop = async (): Promise<void> => {
    const describe = () => "The run stops. Agents in progress may finish.";
    problem.value = (await act("roadmap.manage", { action: "stop" }, describe)).fault;
  };
  /** Ends the agent of a run. An agent of a client goes on, but its report is rejected. */
  const startAgain = async (action: string): Promise<void> => {
    const describe = () => `${action} is offered again.`;
    problem.value = (await act("roadmap.report", { action, lost: true }, describe)).fault;
  };
  const stopAgent = async (action: string): Promise<void> => {
    problem.value = (await act("run.stop", { action }, () => `${action} is stopped. Its files stay.`)).fault;
  };
  const resume = async (action: string): Promise<void> => {
    problem.value = (await act("run.resume", { action }, () => `A run may continue ${action}.`)).fault;
  };
  return (
    <View title="Run" about="The agents at work. Choose an action to follow its transcript.">
      {problem.value && <FaultNote fault={problem.value} />}
      {graph.data?.run === "on" && !snapshot && (
        <p>
          The run of the roadmap is on.{" "}
          <button type="button" onClick={() => void stop()}>
            Stop the run
          </button>
        </p>
      )}
      <Answer of={graph}>
        {({ in_progress }) =>
          in_progress.length > 0 && (
            <Table
              caption="Assigned actions"
              columns={[
                { name: "Action", cell: ({ action }) => action },
                { name: "Session", cell: ({ session }) => session },
                { name: "Since", cell: ({ at }) => <Time at={at} /> },
                { name: "Estimate", cell: ({ estimate }) => `${formatTokens(estimate)} tokens` },
                {
                  name: "Again",
                  cell: ({ action }) =>
                    !snapshot && (
                      <button
                        type="button"
                        aria-label={`Start ${action} again`}
                        onClick={() => void startAgain(action)}
                      >
                        Start again
                      </button>
                    ),
                },
              ]}
              rows={in_progress}
              keyOf={({ action }) => action}
            />
          )
        }
      </Answer>
      <Answer of={run}>
        {({ actions }) =>
          actions.length === 0 ? (
            <Empty command="tenon run">Tenon has started no agents here.</Empty>
          ) : (
            <Table
              caption="Agents that Tenon started"
              columns={[
                { name: "Action", cell: ({ action }) => <a href={linkTo("run", action)}>{action}</a> },
                { name: "State", cell: ({ state }) => <Badge tone={STATE_TONES[state] ?? "plain"}>{state}</Badge> },
                { name: "Agent", cell: ({ agent }) => agent },
                { name: "Since", cell: ({ since }) => <Time at={since} /> },
                { name: "Tokens", cell: ({ tokens }) => formatTokens(tokens) },
                { name: "Cost", cell: ({ usd }) => (usd > 0 ? `${usd.toFixed(2)} USD` : "") },
                { name: "Problems", cell: ({ problems }) => problems.join(" ") },
                {
                  name: "Control",
                  cell: ({ action, state }) =>
                    !snapshot &&
                    (state === "stopped" ? (
                      <button type="button" aria-label={`Resume ${action}`} onClick={() => void resume(action)}>
                        Resume
                      </button>
                    ) : (
                      <button type="button" aria-label={`Stop ${action}`} onClick={() => void stopAgent(action)}>
                        Stop
                      </button>
                    )),
                },
              ]}
              rows={actions}
              keyOf={({ action }) => action}
            />
          )
        }
      </Answer>
      {detail && <Transcript action={detail} />}
    </View>
  );
}

function Transcript({ action }: { action: string }) {
  const shown = useAnswer("run.show", { action });
  return (
    <section aria-label={`Transcript of ${action}`}>
      <h2>{action}</h2>
      <Answer of={shown}>
        {({ transcript }) =>
          transcript ? (
            <>
              <p class="quiet">
                The last {TAIL_LINES} lines of {transcript.file}. On a terminal: <code>tenon run show {action}</code>
              </p>
              <pre class="tail" tabIndex={0}>
                {transcript.text.split("\n").slice(-TAIL_LINES).join("\n")}
              </pre>
            </>
          ) : (
            <Empty>This action has no transcript.</Empty>
          )
        }
      </Answer>
    </section>
  );
}
