import { connect, createServer } from 'node:net';
import { freePorts } from './processes.ts';

export interface TcpDatabase {
  url: string;
  /** Begins to take connections; until then nobody listens. */
  open(): void;
  close(): Promise<void>;
}

/** A test database, which has a socket in a folder only, behind a port: for programs that cannot reach the folder. */
export async function behindPort(databaseUrl: string): Promise<TcpDatabase> {
  const { username, pathname, port: number, searchParams } = new URL(databaseUrl);
  const socket = `${searchParams.get('host')}/.s.PGSQL.${number}`;
  const server = createServer((client) => {
    const upstream = connect(socket);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  const port = await freePorts();
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}?sslmode=disable`,
    open: () => void (server.listening || server.listen(port, '127.0.0.1')),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
