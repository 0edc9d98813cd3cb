import { createHash } from 'node:crypto';
import type { EmulatorProposal } from './proposal.ts';

export interface SnapshotWebhook {
  /** The Authentication header of every event: it depends only on the URL and the service's salt. */
  secret: string;
  /** Posts an event as Snapshot's webhook service does, and returns the status. */
  send(event: { id: string; event: string; space: string; expire: number }): Promise<number>;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Creates Snapshot's webhook sender for one subscriber. `secret` replaces the one that is derived from the URL and the
 * salt, for a subscriber that is configured before its URL is known.
 */
export function snapshotWebhook(url: string, salt: string, secret = sha256(`${url}${salt}`)): SnapshotWebhook {
  // Like the real service, derives the two secrets in the body from the number that its salt begins with.
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

/** Returns the event of a proposal, with the time at which it happened. */
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
