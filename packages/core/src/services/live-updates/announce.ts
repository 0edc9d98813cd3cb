import { type Bus, publish, type Sql } from '@latchkey/db';
import type { AuditAction, Feed } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

const mostKept = 1_000;

/** The age is measured from before the client's read, and the request to listen takes time too. */
const marginMs = 10_000;

/** The latest announcements that this process received, for pages that read before they subscribed. */
export class Recent {
  readonly #heard: { atMs: number; announcement: Announcement }[] = [];
  readonly #now: () => number;
  #sinceMs: number;

  constructor(bus: Pick<Bus, 'subscribe' | 'onReconnect'>, topic: string, now = () => performance.now()) {
    this.#now = now;
    this.#sinceMs = now();
    bus.subscribe(topic, (message) => this.#keep(message as unknown as Announcement));
    bus.onReconnect(() => {
      this.#heard.length = 0;
      this.#sinceMs = this.#now();
    });
  }

  /** Returns the announcements since a client's last read; undefined if some may be missing here. */
  since(ageSeconds: number): Announcement[] | undefined {
    const fromMs = this.#now() - ageSeconds * 1000 - marginMs;
    if (fromMs < this.#sinceMs) return undefined;
    return this.#heard.filter(({ atMs }) => atMs >= fromMs).map(({ announcement }) => announcement);
  }

  #keep(announcement: Announcement): void {
    this.#heard.push({ atMs: this.#now(), announcement });
    if (this.#heard.length > mostKept) this.#sinceMs = (this.#heard.shift()?.atMs ?? this.#now()) + 1;
  }
}

const topic = 'announcements';

/** Fits into one message of the bus. */
const mostAccounts = 100;

/** Notifies open pages to reload, once the transaction commits. */
export async function announce(tx: Sql, announcement: Announcement): Promise<void> {
  const { accounts = [], ...rest } = announcement;
  await publish(tx, topic, { ...rest, accounts: accounts.slice(0, mostAccounts) });
  for (let at = mostAccounts; at < accounts.length; at += mostAccounts)
    await publish(tx, topic, { changed: rest.changed, accounts: accounts.slice(at, at + mostAccounts) });
}

/** An event for a page. */
export interface LiveEvent {
  changed: Changed;
  id?: string;
}

const recents = new WeakMap<Bus, Recent>();

/**
 * Returns the announcements that a client subscribed to, preceded by those it missed since its last read. After a lost
 * connection, anything may have changed.
 */
export function announcementsFor(
  { bus }: Pick<Context, 'bus'>,
  wants: (announcement: Announcement) => boolean,
  readSecondsAgo?: number,
): Pick<Feed<LiveEvent>, 'open'> {
  const recent = recents.get(bus) ?? new Recent(bus, topic);
  recents.set(bus, recent);
  return {
    open: (hear) => {
      const send = (announcement: Announcement) => {
        const { changed, id } = announcement;
        if (wants(announcement)) hear({ changed, ...(id !== undefined && { id }) });
      };
      const ends = [
        bus.subscribe(topic, (message) => send(message as unknown as Announcement)),
        bus.onReconnect(() => hear({ changed: 'everything' })),
      ];
      const missed = readSecondsAgo === undefined ? [] : recent.since(readSecondsAgo);
      if (missed === undefined) hear({ changed: 'everything' });
      else for (const announcement of missed) send(announcement);
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** What can change. It is a reason to reload, and never contains the new value. */
export const changes = {
  activity: 'new audit log entries',
  applications: 'applications or mini-apps',
  deliveries: 'deliveries of webhooks',
  everything: 'possibly all of these: some announcements may have been missed',
  jobs: 'dead jobs',
  keys: 'admin keys',
  members: 'members of the community',
  changeSets: 'change sets',
  roles: 'roles that members have',
  rules: 'rules of the community',
  sessions: 'ways to sign in, and who is signed in',
  setup: 'the community and its settings',
  wallets: 'linked wallets, and wallets of communities and organizations',
} as const;

export type Changed = keyof typeof changes;

/** Notifies current viewers that something has changed. */
export interface Announcement {
  changed: Changed;
  /** What has changed, by its id. */
  id?: string;
  /** For the admins of a community, by its id. */
  community?: string;
  /** For these users. */
  accounts?: readonly string[];
  /** For the operator. */
  operator?: boolean;
}

/** What an audited action changes, by the first word of its name. */
const changedBy: Readonly<Record<string, Changed>> = {
  access: 'applications',
  'admin-key': 'keys',
  app: 'applications',
  authenticator: 'sessions',
  'change-set': 'changeSets',
  community: 'setup',
  jobs: 'jobs',
  'mini-app': 'applications',
  passkey: 'sessions',
  roles: 'members',
  rule: 'rules',
  session: 'sessions',
  wallet: 'wallets',
};

interface Recorded {
  action: AuditAction;
  who: string;
  subject?: string | undefined;
  target?: string | undefined;
  communityId?: string | undefined;
}

/** Every audit entry is a change that a client may be displaying. */
export function announcementOf({ action, who, subject, target, communityId }: Recorded): Announcement {
  const [noun = ''] = action.split('.');
  return {
    changed: changedBy[noun] ?? 'activity',
    ...(target !== undefined && target.length <= mostIdLength && { id: target }),
    ...(communityId !== undefined && { community: communityId }),
    accounts: [...new Set([who, ...(subject === undefined ? [] : [subject])])].filter((id) => id.includes('#USER#')),
    operator: true,
  };
}

const mostIdLength = 256;
