import { computed, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { PageAnswers } from "./page-answers.ts";

type CallId = keyof PageAnswers;
type CallInput = Readonly<Record<string, unknown>>;

export interface CallFault {
  readonly code: string;
  readonly what: string;
  readonly why: string;
  readonly fix: readonly string[];
}

class CallFailure extends Error {
  readonly fault: CallFault;
  constructor(fault: CallFault) {
    super(fault.what);
    this.fault = fault;
  }
}

interface PageSnapshot {
  readonly at: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Set in a page that `tenon ui --export` wrote: it has no server. */
export const snapshot: PageSnapshot | undefined = readSnapshot();

function readSnapshot(): PageSnapshot | undefined {
  const text = document.getElementById("snapshot")?.textContent;
  return text ? (JSON.parse(text) as PageSnapshot) : undefined;
}

interface LoginState {
  readonly csrf: string | null;
  readonly password: boolean;
  readonly version: string;
}

/** Undefined until the server said whether this browser is logged in. */
export const login = signal<LoginState | undefined>(snapshot && { csrf: "", password: false, version: "" });
export const loginProblem = signal("");
/** Grows with each change in the ledger. Every view on the screen then reads its answers again. */
const revision = signal(0);
export const isLive = signal(false);
export const announcement = signal("");

const hash = signal(location.hash);
addEventListener("hashchange", () => (hash.value = location.hash));

/** `#/documents/sdd/design.md` is the view `documents` with the detail `sdd/design.md`. */
export const route = computed(() => {
  const [, view = "", ...rest] = hash.value.split("/");
  return { view: view || "board", detail: rest.map(decodeAddressPart).join("/") };
});

/** An address that a person typed may have a bare `%`. */
function decodeAddressPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const linkTo = (view: string, detail = ""): string =>
  `#/${view}${
    detail
      ? `/${detail
          .split("/")
          .map((part) => encodeURIComponent(part))
          .join("/")}`
      : ""
  }`;

export async function openSession(): Promise<void> {
  if (snapshot) return;
  const token = /^#token=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (token) {
    // The link works once, so it must not stay in the address or in the history.
    history.replaceState(null, "", location.pathname);
    hash.value = "";
    await logIn({ token });
  }
  if (!login.value?.csrf) login.value = (await (await fetch("/session")).json()) as LoginState;
  if (login.value.csrf) listenToEvents();
}

export async function logIn(proof: { token: string } | { password: string }): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("/session", { method: "POST", headers, body: JSON.stringify(proof) });
  const body = (await answer.json()) as LoginState & { error?: { what: string } };
  if (!answer.ok) {
    loginProblem.value = body.error?.what ?? "";
    return;
  }
  loginProblem.value = "";
  login.value = body;
  if ("password" in proof) listenToEvents();
}

function listenToEvents(): void {
  const source = new EventSource("/api/events");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const readAgain = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (revision.value += 1), 100);
  };
  source.addEventListener("open", () => {
    if (!isLive.value) readAgain();
    isLive.value = true;
  });
  source.addEventListener("message", readAgain);
  source.addEventListener("error", () => {
    isLive.value = false;
    // The browser gives up after an answer that is not a stream, as while the server starts again.
    if (source.readyState === EventSource.CLOSED) setTimeout(listenToEvents, 2_000);
  });
}

async function callOperation<Id extends CallId>(id: Id, input: CallInput = {}): Promise<PageAnswers[Id]> {
  const body = snapshot ? readSnapshotAnswer(snapshot, id, input) : await postCall(id, input);
  const { error } = body as { error?: CallFault };
  if (error) throw new CallFailure(error);
  return body as PageAnswers[Id];
}

async function postCall(id: CallId, input: CallInput): Promise<unknown> {
  const answer = await fetch(`/api/${id}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-tenon-csrf": login.value?.csrf ?? "" },
    body: JSON.stringify(input),
  });
  if (answer.status === 401) login.value = { csrf: null, password: login.value?.password ?? false, version: "" };
  return answer.json();
}

function readSnapshotAnswer({ answers }: PageSnapshot, id: CallId, input: CallInput): unknown {
  const missing = { code: "", what: "This is not part of the snapshot.", why: "", fix: [] };
  return answers[`${id} ${JSON.stringify(input)}`] ?? { error: missing };
}

export interface Loaded<Answer> {
  readonly data?: Answer;
  readonly fault?: CallFault;
}

/** Reads an answer, and again after each change. The old answer stays until the new one is here. Null reads nothing. */
export function useAnswer<Id extends CallId>(id: Id, input: CallInput | null = {}): Loaded<PageAnswers[Id]> {
  const key = input ? JSON.stringify(input) : undefined;
  const [loaded, setLoaded] = useState<Loaded<PageAnswers[Id]> & { key?: string | undefined }>({});
  const now = revision.value;
  useEffect(() => {
    if (key === undefined) return undefined;
    let isCurrent = true;
    callOperation(id, JSON.parse(key) as CallInput).then(
      (data) => isCurrent && setLoaded({ data, key }),
      (error: unknown) =>
        isCurrent &&
        // While the server is away, what was read before stays on the screen.
        setLoaded((old) =>
          old.key === key && old.data !== undefined && !(error instanceof CallFailure)
            ? old
            : { fault: toCallFault(error), key },
        ),
    );
    return () => void (isCurrent = false);
  }, [id, key, now]);
  return loaded.key === key ? loaded : {};
}

const toCallFault = (error: unknown): CallFault =>
  error instanceof CallFailure
    ? error.fault
    : { code: "", what: "The server does not answer.", why: "It may have ended.", fix: ["tenon ui"] };

/** For what a person does on the page. Shows the outcome to people who cannot see the view change. */
export async function act<Id extends CallId>(
  id: Id,
  input: CallInput,
  describe: (answer: PageAnswers[Id]) => string,
): Promise<Loaded<PageAnswers[Id]>> {
  try {
    const data = await callOperation(id, input);
    revision.value += 1;
    announcement.value = describe(data);
    return { data };
  } catch (error) {
    const fault = toCallFault(error);
    announcement.value = fault.what;
    return { fault };
  }
}
