export { shareCluster } from './shared-cluster.ts';
export { createTestDatabase, type Migrate, type TestDatabase } from './test-database.ts';
export { type PrivateCluster, withCluster } from './with-cluster.ts';
