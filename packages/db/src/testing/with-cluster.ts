import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/index.ts';
import { type StandbyPair, startStandbyPair } from './standby-pair.ts';
import { makeTestFolder } from './test-folder.ts';

/** A private server of a test, which can be stopped, killed and started again on the same folder. */
export interface PrivateCluster {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  start(): Promise<void>;
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** kill -9: the server cannot write anything. */
  kill(): void;
}

/** Runs `work` with a server that writes to disk as in production, and removes it afterwards. */
export async function withCluster<Result>(
  work: (cluster: PrivateCluster) => Promise<Result>,
  settings: Record<string, string> = {},
): Promise<Result> {
  const folder = await makeTestFolder();
  let server: EmbeddedPostgres = await startIn();

  async function startIn(): Promise<EmbeddedPostgres> {
    const started = await startEmbeddedPostgres({ dataDir: folder.dataDir, log: () => undefined, settings });
    folder.serverPid = started.pid;
    return started;
  }

  try {
    return await work({
      dataDir: folder.dataDir,
      get url() {
        return server.url;
      },
      get adminUrl() {
        return server.adminUrl;
      },
      get pid() {
        return server.pid;
      },
      start: async () => {
        server = await startIn();
      },
      stop: (mode) => server.stop(mode),
      kill: () => {
        process.kill(server.pid, 'SIGKILL');
      },
    });
  } finally {
    await server.stop('immediate');
    await folder.remove();
  }
}

/** Runs `work` with a primary and its standby, on a database that `prepare` has migrated. */
export async function withStandby(
  prepare: (url: string) => Promise<unknown>,
  work: (pair: StandbyPair) => Promise<void>,
): Promise<void> {
  await using pair = await startStandbyPair(prepare);
  await work(pair);
}
