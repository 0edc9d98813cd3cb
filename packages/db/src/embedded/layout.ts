import { join } from 'node:path';

/** The paths in the data folder. The folder belongs to the database alone. */
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

/** Entries that a data folder may have before it has a cluster: ours, and those of a fresh disk. */
export function isExpectedBeforeCluster(entry: string): boolean {
  return (
    entry.startsWith(newClusterPrefix) || ['socket', 'postgres.log', 'postgres.log.1', 'lost+found'].includes(entry)
  );
}
