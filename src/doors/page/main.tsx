import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./page.css";
import { ApprovalsView } from "./approvals-view.tsx";
import { BoardView } from "./board-view.tsx";
import { DocumentsView } from "./documents-view.tsx";
import { GatesView } from "./gates-view.tsx";
import { HealthView } from "./health-view.tsx";
import { MemoryView } from "./memory-view.tsx";
import {
  announcement,
  isLive,
  linkTo,
  logIn,
  login,
  loginProblem,
  openSession,
  route,
  snapshot,
  useAnswer,
} from "./page-state.ts";
import { RoadmapView } from "./roadmap-view.tsx";
import { RunView } from "./run-view.tsx";
import { TraceView } from "./trace-view.tsx";

const VIEWS: Readonly<Record<string, readonly [name: string, view: FunctionComponent]>> = {
  board: ["Board", BoardView],
  roadmap: ["Roadmap", RoadmapView],
  run: ["Run", RunView],
  gates: ["Gates", GatesView],
  trace: ["Trace", TraceView],
  documents: ["Documents", DocumentsView],
  memory: ["Memory", MemoryView],
  approvals: ["Approvals", ApprovalsView],
  health: ["Health", HealthView],
};

function App() {
  if (login.value === undefined) return <p class="quiet">Connecting…</p>;
  if (login.value.csrf === null) return <LoginForm asksForPassword={login.value.password} />;
  return <Pages />;
}

function Pages() {
  const { view, detail } = route.value;
  const [name, Shown] = VIEWS[view] ?? ["Board", BoardView];
  const status = useAnswer("workspace.status");
  const isMoved = useRef(false);
  const waiting = status.data?.questions.length ?? 0;
  useEffect(() => {
    document.title = `${detail || name}${waiting > 0 ? ` (${waiting})` : ""} · Tenon`;
    // A person who cannot see the page hears where a link led.
    if (isMoved.current) document.getElementById("view-title")?.focus({ preventScroll: true });
    isMoved.current = true;
  }, [name, detail]);
  return (
    <>
      <a
        class="skip"
        href="#view-title"
        onClick={(event) => (event.preventDefault(), document.getElementById("view-title")?.focus())}
      >
        Skip to the content
      </a>
      <header>
        <strong class="brand">Tenon</strong>
        <nav aria-label="Views">
          {Object.entries(VIEWS).map(([id, [label]]) => (
            <a key={id} href={linkTo(id)} aria-current={label === name ? "page" : undefined}>
              {label}
              {id === "approvals" && waiting > 0 && <span class="count">{waiting}</span>}
            </a>
          ))}
        </nav>
        <span class={snapshot || isLive.value ? "live on" : "live"}>
          {snapshot ? `snapshot of ${snapshot.at}` : isLive.value ? "live" : "connecting"}
        </span>
      </header>
      <main>
        <Shown />
      </main>
      <div class="sr-only" role="status">
        {announcement.value}
      </div>
    </>
  );
}

function LoginForm({ asksForPassword }: { asksForPassword: boolean }) {
  const password = useSignal("");
  return (
    <main class="login">
      <h1>Tenon</h1>
      {loginProblem.value && <p role="alert">{loginProblem.value}</p>}
      {asksForPassword ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void logIn({ password: password.value });
          }}
        >
          <label>
            Password{" "}
            <input
              type="password"
              autocomplete="current-password"
              onInput={(event) => (password.value = event.currentTarget.value)}
            />
          </label>{" "}
          <button type="submit">Open</button>
        </form>
      ) : (
        <p>
          Open this page with the link that <code>tenon ui</code> prints. Each link works once; start it again for a new
          one.
        </p>
      )}
    </main>
  );
}

async function start(): Promise<void> {
  await openSession();
  const root = document.getElementById("page");
  if (root) render(<App />, root);
}

void start();
