import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './processes.ts';

interface Line {
  pid: number;
  /** The target that a socket was opened to. */
  host?: string;
  port?: number;
  /** A Unix socket. */
  path?: string;
  /** What egress let pass, and by which rule. */
  passed?: { rule: 'configured' | 'guarded'; host: string; port: number };
}

export interface OutboundRecord extends AsyncDisposable {
  /** For the processes to watch. */
  environment: Environment;
  read(): Promise<Line[]>;
}

/** Records every connection that processes with this environment open. */
export async function recordOutbound({ isLoopbackOnly = false } = {}): Promise<OutboundRecord> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-outbound-'));
  const file = join(folder, 'lines');
  await writeFile(file, '');
  const recorder = new URL('./record-outbound.mjs', import.meta.url);
  recorder.searchParams.set('file', file);
  if (isLoopbackOnly) recorder.searchParams.set('loopback', '');
  return {
    environment: { NODE_OPTIONS: `--import=${recorder.href}` },
    read: async () => {
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line): Line => JSON.parse(line));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/**
 * Returns the connections that bypassed egress, or that egress let pass to a host that is not in `configured`, if
 * given. PostgreSQL is exempt: it is reached over Unix sockets, or at the configured database.
 */
export function strayConnections(lines: readonly Line[], configured?: readonly string[]): string[] {
  const hosts = configured && new Set(configured.map(targetOf));
  const isDatabase = (target: string) =>
    configured?.some((url) => url.startsWith('postgres') && targetOf(url) === target);
  const passed = new Map<string, string>(
    lines.flatMap(({ pid, passed: report }) =>
      report ? [[`${pid} ${report.host}:${report.port}`, report.rule] as const] : [],
    ),
  );
  const strays = lines.flatMap(({ pid, host, port }) => {
    const target = `${host}:${port}`;
    if (host === undefined || isDatabase(target)) return [];
    const rule = passed.get(`${pid} ${target}`);
    if (rule === undefined) return [`${target} was connected to without egress`];
    return rule === 'guarded' || hosts === undefined || hosts.has(target) ? [] : [`${target} is not configured`];
  });
  return [...new Set(strays)];
}

const usualPorts: Readonly<Record<string, string>> = { 'postgres:': '5432', 'postgresql:': '5432', 'http:': '80' };

function targetOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (usualPorts[protocol] ?? '443')}`;
}
