/**
 * The page that X sends the browser back to has no session, and the one that began the linking has: what came back is
 * handed from one tab to the other. Only pages of this server hear it.
 */
const channelName = 'latchkey-x';

/** What X sent back. */
export interface ReturnedFromX {
  state: string;
  /** Absent when the person did not allow it. */
  code?: string;
}

type Message = { kind: 'returned'; returned: ReturnedFromX } | { kind: 'taken'; state: string };

/** Waits for what X sends back for an attempt. */
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

/** Hands on what X sent back, and hears whether a page was waiting for it. */
export function handOn(returned: ReturnedFromX, onTaken: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'taken' && data.state === returned.state) onTaken();
  };
  channel.postMessage({ kind: 'returned', returned } satisfies Message);
  return () => channel.close();
}
