import { useSignal } from "@preact/signals";
import type { PageAnswers } from "./page-answers.ts";
import { linkTo, route, snapshot, useAnswer } from "./page-state.ts";
import { Answer, Badge, Empty, Time, View } from "./page-elements.tsx";

type Observation = PageAnswers["memory.search"]["observations"][number];

export function MemoryView() {
  const asked = useSignal("");
  const typed = useSignal("");
  const query = asked.value.trim();
  const found = useAnswer("memory.search", query && !snapshot ? { query } : null);
  const recent = useAnswer("memory.context", query || snapshot ? null : {});
  const id = Number(route.value.detail);
  if (snapshot) {
    return (
      <View title="Memory" about="Lessons that agents saved here.">
        <Empty>Memory is personal, so a snapshot does not contain it.</Empty>
      </View>
    );
  }
  return (
    <View title="Memory" about="Lessons that agents saved here. Search in plain words.">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          asked.value = typed.value;
        }}
      >
        <label>
          Question{" "}
          <input type="search" value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
        </label>{" "}
        <button type="submit">Search</button>
      </form>
      {Number.isInteger(id) && id > 0 && <Timeline id={id} />}
      {query ? (
        <Answer of={found}>
          {({ observations }) => <Observations rows={observations} none="Nothing was found." />}
        </Answer>
      ) : (
        <Answer of={recent}>
          {({ observations }) => (
            <Observations rows={observations} none="Nothing is remembered yet." command='tenon memory save "…"' />
          )}
        </Answer>
      )}
    </View>
  );
}

function Observations({ rows, none, command }: { rows: readonly Observation[]; none: string; command?: string }) {
  if (rows.length === 0) return command ? <Empty command={command}>{none}</Empty> : <Empty>{none}</Empty>;
  return (
    <ul class="observations">
      {rows.map((row) => (
        <ObservationCard key={row.id} row={row} />
      ))}
    </ul>
  );
}

const ObservationCard = ({ row, isHere = false }: { row: Observation; isHere?: boolean }) => (
  <li class={isHere ? "receipt here" : "receipt"}>
    <h2>
      <a href={linkTo("memory", String(row.id))}>{row.title}</a> <Badge>{row.type}</Badge>
      {row.is_context && <Badge>context</Badge>}
    </h2>
    <p class="wrap">{row.text}</p>
    <p class="quiet">
      {row.project} {row.topic_key}
    </p>
  </li>
);

function Timeline({ id }: { id: number }) {
  const around = useAnswer("memory.timeline", { observation_id: id });
  const history = useAnswer("memory.history", { id });
  return (
    <section aria-label="Timeline">
      <h2>Around this observation</h2>
      <Answer of={around}>
        {({ before, observation, after }) => (
          <ul class="observations">
            {[...before, observation, ...after].map((row) => (
              <ObservationCard key={row.id} row={row} isHere={row.id === id} />
            ))}
          </ul>
        )}
      </Answer>
      <Answer of={history}>
        {({ revisions }) =>
          revisions.length > 1 && (
            <>
              <h2>Revisions</h2>
              <ol>
                {revisions.map(({ revision, at, title, diff }) => (
                  <li key={revision}>
                    <details>
                      <summary>
                        {title}, <Time at={at} />
                      </summary>
                      <pre class="difference">{diff}</pre>
                    </details>
                  </li>
                ))}
              </ol>
            </>
          )
        }
      </Answer>
    </section>
  );
}
