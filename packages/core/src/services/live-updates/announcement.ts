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
