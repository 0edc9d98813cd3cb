/**
 * The page that X redirects to has no session, but the tab that started the linking has one. This channel passes the result from one tab to
 * the other. Only pages of this server can receive it.
 */
const channelName = 'latchkey-x';

/** The result of the redirect from X. */
export interface ReturnedFromX {
  state: string;
  /** Absent if the user denied access. */
  code?: string;
}

type Message = { kind: 'returned'; returned: ReturnedFromX } | { kind: 'taken'; state: string };

/** Waits for the result of an attempt. */
export function waitForReturn(state: string, onReturn: (returned: ReturnedFromX) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'returned' || data.returned.state !== state) return;
    channel.postMessage({ kind: 'taken', state } satisfies Message);
    channel.close();
    onReturn(data.returned);
  };
  return () => channel.close();
}

/** Passes the result on, and reports whether a page was waiting for it. */
export function handOn(returned: ReturnedFromX, onTaken: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'taken' && data.state === returned.state) onTaken();
  };
  channel.postMessage({ kind: 'returned', returned } satisfies Message);
  return () => channel.close();
}
