/**
 * How the tabs of a browser share a token. It is passed from one to the other, and stored nowhere else than before: in the
 * session storage of each tab. Only pages of the same origin can read the channel.
 */
const name = 'trellis-token';

/**
 * How long a new tab waits for the first answer, and then for the others. A tab that holds a lock is alive, but may be busy.
 * Without locks, the new tab does not know whether there are others.
 */
const [firstMs, otherMs, unknownMs] = [5_000, 300, 100];

type Message =
  | { kind: 'ask'; tab: string }
  /** The token, and when the tab was last shown. */
  | { kind: 'answer'; to: string; token: string; shownAt: number }
  /** Whoever uses the credential has to sign in again. */
  | { kind: 'left'; credential: string; isRejected: boolean };

interface Options {
  token(): string | null;
  left(credential: string, isRejected: boolean): void;
}

let channel: BroadcastChannel | undefined;
const answers = new EventTarget();
let shownAt = Date.now();
let release = () => {};

const say = (message: Message) => channel?.postMessage(message);

/** Answers new tabs, and notices when one signs out. */
export function joinTabs({ token, left }: Options): void {
  channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const ownToken = token();
    if (data.kind === 'left') left(data.credential, data.isRejected);
    else if (data.kind === 'answer') answers.dispatchEvent(new CustomEvent(data.to, { detail: data }));
    else if (ownToken !== null) say({ kind: 'answer', to: data.tab, token: ownToken, shownAt });
  };
  document.addEventListener('visibilitychange', () => {
    shownAt = Date.now();
  });
}

/** The lock by which new tabs know that this one has a token. Browsers do not freeze a tab that holds a lock. */
export function announceToken(hasToken: boolean): void {
  release();
  release = () => {};
  if (!hasToken || !navigator.locks) return;
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  void navigator.locks.request(name, { mode: 'shared' }, () => isOver);
}

export const announceLeft = (credential: string, isRejected: boolean) =>
  say({ kind: 'left', credential, isRejected });

/** The token of the tab that was shown last, if any has one. */
export async function askTabs(): Promise<string | undefined> {
  const held = (await navigator.locks?.query())?.held;
  const count = held?.filter((lock) => lock.name === name).length;
  if (count === 0) return undefined;
  const tab = Math.random().toString(36).slice(2);
  const offers: { token: string; shownAt: number }[] = [];
  await new Promise<void>((resolve) => {
    setTimeout(resolve, count === undefined ? unknownMs : firstMs);
    answers.addEventListener(tab, (event) => {
      if (offers.push((event as CustomEvent).detail) === count) resolve();
      else setTimeout(resolve, otherMs);
    });
    say({ kind: 'ask', tab });
  });
  return offers.sort((one, other) => other.shownAt - one.shownAt)[0]?.token;
}
