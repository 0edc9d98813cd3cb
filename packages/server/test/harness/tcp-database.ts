import { connect, createServer } from 'node:net';
import { freePorts } from './processes.ts';

export interface TcpDatabase {
  url: string;
  /** Starts to accept connections. */
  open(): void;
  close(): Promise<void>;
}

/** Exposes a test database, which only has a Unix socket, on a port: for programs that cannot access the socket. */
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
