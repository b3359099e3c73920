import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import { useAnswer } from "./page-state.ts";
import { Answer, Badge, Empty, Table, View } from "./page-elements.tsx";

export function HealthView() {
  const doctor = useAnswer("workspace.doctor");
  const stats = useAnswer("workflow.stats");
  const workflows = useAnswer("workflow.status", { all: true });
  return (
    <View title="Health" about="Problems of this workspace, and statistics of finished work.">
      <Answer of={doctor}>
        {({ healthy, checks }) => (
          <>
            <p>
              <Badge tone={healthy ? "good" : "bad"}>{healthy ? "healthy" : "needs attention"}</Badge>
            </p>
            <Table
              caption="Checks of the workspace"
              columns={[
                { name: "Check", cell: ({ check }) => check },
                {
                  name: "Result",
                  cell: ({ ok, warning }) => (
                    <Badge tone={!ok ? "bad" : warning ? "warn" : "good"}>
                      {!ok ? "problem" : warning ? "warning" : "good"}
                    </Badge>
                  ),
                },
                { name: "Found", cell: ({ found }) => found },
                { name: "To fix it", cell: ({ fix }) => fix && <code>{fix}</code> },
              ]}
              rows={checks}
              keyOf={({ check }) => check}
            />
          </>
        )}
      </Answer>
      <Answer of={workflows}>
        {({ finished }) => {
          const ended = finished
            .map(
              ({ started_at, updated_at }) =>
                [Date.parse(updated_at) / 1000, (Date.parse(updated_at) - Date.parse(started_at)) / 3_600_000] as const,
            )
            .toSorted(([a], [b]) => a - b);
          return ended.length < 2 ? (
            <Empty>A plot of durations appears here after two workflows have finished.</Empty>
          ) : (
            <Plot
              title="Hours from start to end of finished work"
              times={ended.map(([at]) => at)}
              values={ended.map(([, hours]) => hours)}
            />
          );
        }}
      </Answer>
      <Answer of={stats}>
        {({ kinds, writes }) => (
          <>
            <Table
              caption="Finished work"
              columns={[
                { name: "Kind", cell: ({ kind }) => kind },
                { name: "Started", cell: ({ started }) => started },
                { name: "Completed", cell: ({ completed }) => completed },
                { name: "Abandoned", cell: ({ abandoned }) => abandoned },
              ]}
              rows={kinds}
              keyOf={({ kind }) => kind}
            />
            <p class="quiet">
              {writes.count} writes to the ledger, {writes.mean_ms ?? 0} ms on average.
            </p>
          </>
        )}
      </Answer>
    </View>
  );
}

const PLOT_HEIGHT = 220;

function Plot({ title, times, values }: { title: string; times: number[]; values: number[] }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const style = getComputedStyle(element);
    const [ink, accent] = [style.color, style.getPropertyValue("--accent")];
    const axis = { stroke: ink, grid: { stroke: "#8884" } };
    const plot = new uPlot(
      {
        title,
        width: element.clientWidth,
        height: PLOT_HEIGHT,
        axes: [axis, axis],
        series: [{}, { label: "hours", stroke: accent, points: { show: true } }],
      },
      [times, values],
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: PLOT_HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [title, times.join(), values.join()]);
  return (
    <div
      ref={frame}
      class="plot"
      role="img"
      aria-label={`${title}: ${values.length} values, the last is ${(values.at(-1) ?? 0).toFixed(2)}`}
    />
  );
}
