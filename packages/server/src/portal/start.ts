import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '@latchkey/kernel';
import { bareEnvironment } from '../config.ts';
import { servePortal } from './serve.ts';

export interface PortalStart {
  host: string;
  port: number;
  /** Where people reach the portal, when it differs from host and port. */
  publicUrl: string | undefined;
  /** The web address of the repository, for links to edit a page. */
  repository: string | undefined;
  apiUrl: string;
  /** Which parts that pages are about are set up. */
  setUp: Readonly<Record<string, boolean>>;
  log: Log;
}

export interface RunningPortal {
  url: string;
  /** Whether there is something to read already; otherwise it is being built. */
  isReady: boolean;
  /** The process that builds it, while it does. */
  buildPid(): number | undefined;
  stop(): Promise<void>;
}

/**
 * Serves the documentation portal, and builds it beside everything else when it is missing or older than its sources:
 * nobody waits for it. A site that is there already is served meanwhile.
 */
export async function startPortal({
  host,
  port,
  publicUrl,
  repository,
  apiUrl,
  setUp,
  log,
}: PortalStart): Promise<RunningPortal> {
  // Looked for only here: a production install need not have the portal.
  const folder = join(fileURLToPath(import.meta.resolve('@latchkey/portal/package.json')), '..');
  const site = join(folder, 'dist/site');
  let state = 'The documentation portal is being built. Come back in a minute.';
  // The build goes by the path of the address, too.
  const basePath = publicUrl === undefined ? '/' : new URL(publicUrl).pathname.replace(/\/*$/, '/');
  const portal = await servePortal({ folder: site, host, port, basePath, apiUrl, setUp, explainMissing: () => state });
  const url = publicUrl ?? portal.url;
  const isReady = existsSync(join(site, 'index.html'));
  const child = spawn(process.execPath, [join(folder, 'build.ts'), '--unless-fresh'], {
    cwd: folder,
    env: bareEnvironment({
      LATCHKEY_PORTAL_URL: url,
      ...(repository !== undefined && { LATCHKEY_PORTAL_REPOSITORY: repository }),
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'close').catch((error: unknown) => [String(error)]);
  let isStopping = false;
  ended.then(([code]) => {
    if (isStopping) return;
    portal.forget();
    if (code === 0) return;
    state = 'The documentation portal could not be built. The log of the server says why.';
    log.warn('The documentation portal could not be built.', { output: output.slice(-2000) });
  });
  return {
    url,
    isReady,
    buildPid: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    stop: async () => {
      isStopping = true;
      child.kill();
      await ended;
      await portal.close();
    },
  };
}
