/** A figure that was measured, or that a platform publishes, as docs/sizing.md records it. A test looks for the words there. */
interface Recorded {
  value: number;
  words: string;
}

export const recorded = {
  /** The whole database, with 0.45 wallets and a third of a granted role for each member. */
  bytesPerMember: { value: 1_234, words: '1,234 bytes for each member' },
  bytesPerRoleChange: { value: 780, words: '| `role_ledger` | role that was granted or removed | 780 |' },
  /** Kept for 90 days beside the ledger. */
  bytesPerChangeItem: { value: 442, words: '| `change_set_items` | the same, for 90 days | 442 |' },
  indexShare: { value: 2 / 3, words: 'two thirds of the three largest tables are indexes' },
  workerMegabytes: { value: 263, words: '| Memory of a worker after this, MB | 263 | 195 | 232 | 0.88 |' },
  mostCommunities: { value: 50_000, words: 'With 50,000 communities, 5,000,000 members' },
  mostMembers: { value: 5_000_000, words: 'With 50,000 communities, 5,000,000 members' },
  serversPerShard: { value: 2_500, words: 'Discord lets a shard have 2,500 servers' },
  membersPerCall: { value: 1_000, words: 'A resync reads the member list, 1,000 per call' },
  callsPerSecond: { value: 50, words: 'The bot makes 50 calls a second in all' },
  pollsPerSecond: { value: 2, words: 'at most 2 calls a second for each chain' },
  callsPerBlock: { value: 1, words: 'and 1 more for each new block' },
  membersPerRead: { value: 200, words: 'one call for every 200 members with five rules' },
  fewestReads: { value: 10, words: 'and 10 at the beginning' },
  connectionsPerProcess: { value: 20, words: '20 connections of its pools (`LATCHKEY_DATABASE_CONNECTIONS`)' },
  directPerProcess: { value: 2, words: 'and 2 direct ones' },
  signerConnections: { value: 3, words: 'A signer opens 3' },
  spareConnections: { value: 10, words: 'Keep 10 for migrations, backups, replication and yourself' },
  defaultConnections: { value: 100, words: 'PostgreSQL allows 100 unless `max_connections` says otherwise' },
} as const satisfies Record<string, Recorded>;
