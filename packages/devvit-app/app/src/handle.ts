import { randomUUID } from 'node:crypto';
import { redis } from '@devvit/redis';
import { settings } from '@devvit/settings';
import { linkAddress, readPairing, type Store, type SyncResult, sync } from '../../src/index.ts';
import { openReddit } from './reddit-access.ts';

/** Devvit keeps the storage of every installation apart. */
const store: Store = {
  get: (key) => redis.get(key),
  set: async (key, value) => void (await redis.set(key, value)),
  delete: (key) => redis.del(key),
  claim: async (key, value, seconds) => {
    const expiration = new Date(Date.now() + seconds * 1000);
    const answer = await redis.set(key, value, { nx: true, expiration });
    return answer === 'OK' || (await redis.get(key)) === value;
  },
};

export async function syncNow(names: readonly string[] = []): Promise<SyncResult> {
  const result = await sync({
    pairingCode: await settings.get('pairingCode'),
    reddit: openReddit(),
    store,
    fetch: (url, init) => fetch(url, init),
    now: Date.now,
    nonce: randomUUID,
    names,
  });
  // biome-ignore lint/suspicious/noConsole: the log of the app on Reddit
  if (result.kind === 'stopped') console.warn(`Latchkey: ${result.reason}`);
  return result;
}

/** What Devvit does for the person who chose a menu item. */
type UiAnswer = { showToast: string } | { navigateTo: string };

/** Returns the response to a call of Devvit; undefined if nothing is there. */
export async function handle(path: string, body: unknown): Promise<object | undefined> {
  switch (path) {
    case '/internal/sync':
      return syncNow();
    case '/internal/mod-action':
      return syncNow(changedUser(body));
    case '/internal/menu/link':
      return linkWallet();
    case '/internal/menu/check':
      return checkConnection();
    default:
      return undefined;
  }
}

/** Actions after which a user has other roles than before. */
const roleActions = ['editflair', 'addcontributor', 'removecontributor'];

function changedUser(body: unknown): string[] {
  const { action, targetUser } = (body ?? {}) as { action?: unknown; targetUser?: { name?: unknown } };
  const name = targetUser?.name;
  return roleActions.includes(String(action)) && typeof name === 'string' && name !== '' ? [name] : [];
}

async function linkWallet(): Promise<UiAnswer> {
  const pairing = readPairing(await settings.get('pairingCode'));
  if (pairing === undefined) return { showToast: 'The moderators have not connected Latchkey yet.' };
  return { navigateTo: linkAddress(pairing) };
}

async function checkConnection(): Promise<UiAnswer> {
  const result = await syncNow();
  const texts: Record<SyncResult['kind'], string> = {
    unpaired: 'Enter the pairing code from Latchkey in the settings of this app.',
    busy: 'Latchkey is connected and at work.',
    done: 'Latchkey is connected.',
    stopped: 'The Latchkey server did not accept the call. Pair the app again, or try later.',
  };
  return { showToast: texts[result.kind] };
}
