import { join } from 'node:path';

/** The names of the data folder's parts. The folder belongs to the database alone. */
export interface Layout {
  dataDir: string;
  cluster: string;
  socket: string;
  logFile: string;
}

export const newClusterPrefix = 'cluster.new-';

export function layoutOf(dataDir: string): Layout {
  return {
    dataDir,
    cluster: join(dataDir, 'cluster'),
    socket: join(dataDir, 'socket'),
    logFile: join(dataDir, 'postgres.log'),
  };
}

/** Entries that a data folder may hold before it has a cluster: ours, and what a fresh disk brings along. */
export function isExpectedBeforeCluster(entry: string): boolean {
  return (
    entry.startsWith(newClusterPrefix) || ['socket', 'postgres.log', 'postgres.log.1', 'lost+found'].includes(entry)
  );
}
