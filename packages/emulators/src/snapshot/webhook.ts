import { createHash } from 'node:crypto';
import type { EmulatorProposal } from './snapshot.ts';

export interface SnapshotWebhook {
  /** What the Authentication header of every event is: it depends on the address and the service's salt alone. */
  secret: string;
  /** Posts an event as Snapshot's webhook service does, and answers with the status. */
  send(event: { id: string; event: string; space: string; expire: number }): Promise<number>;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Snapshot's sender of webhooks for one subscriber. */
export function snapshotWebhook(url: string, salt: string): SnapshotWebhook {
  const secret = sha256(`${url}${salt}`);
  // The service makes the two of the body from the number that its salt begins with, as it does.
  const spare = sha256(`${url}${Number.parseInt(salt, 10)}`);
  return {
    secret,
    send: async (event) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', Authentication: secret },
        body: JSON.stringify({ ...event, token: spare, secret: spare }),
      });
      await response.body?.cancel();
      return response.status;
    },
  };
}

/** The event of a proposal, with the time at which it happened. */
export function proposalEvent(
  { id, space, created, start, end }: EmulatorProposal,
  event: 'proposal/created' | 'proposal/start' | 'proposal/end' | 'proposal/deleted',
) {
  const expire = {
    'proposal/created': created,
    'proposal/start': start,
    'proposal/end': end,
    'proposal/deleted': created,
  };
  return { id: `proposal/${id}`, event, space: space.id, expire: expire[event] };
}
