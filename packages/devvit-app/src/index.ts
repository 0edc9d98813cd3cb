export { linkAddress, readPairing } from './pairing.ts';
export { type Member, type RedditAccess, RedditFault, type Subreddit } from './reddit.ts';
export { type Store, type SyncOptions, type SyncResult, sync } from './sync.ts';
