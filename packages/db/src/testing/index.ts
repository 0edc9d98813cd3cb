export { copyIn } from '../backup/copy.ts';
export { startPgBouncer, withoutPgBouncer } from './pgbouncer.ts';
export { queryOnce } from './query-once.ts';
export { shareCluster } from './shared-cluster.ts';
export { mountSmallDisk } from './small-disk.ts';
export { type StandbyPair, startStandbyPair } from './standby-pair.ts';
export { createTestDatabase, type Migrate, type TestDatabase } from './test-database.ts';
export { type PrivateCluster, withCluster, withStandby } from './with-cluster.ts';
