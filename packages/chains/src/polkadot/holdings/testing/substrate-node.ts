import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rococo_v2_2_asset_hub as specification } from '@substrate/connect-known-chains';

/** A Substrate runtime in a separate process, with the pallets Balances, Assets and Uniques. It produces blocks on demand. */
export interface SubstrateNode {
  /** Without a scheme: it speaks HTTP and WebSocket. */
  host: string;
  stop(): Promise<void>;
}

/** Starts an asset hub from its genesis block. It needs no network: the runtime is part of the published chain specification. */
export async function startSubstrateNode(): Promise<SubstrateNode> {
  const folder = await mkdtemp(join(tmpdir(), 'substrate-'));
  const genesis = join(folder, 'genesis.json');
  await writeFile(genesis, specification);
  const program = createRequire(import.meta.url)
    .resolve('@acala-network/chopsticks/cli')
    .replace(/dist.*$/, 'chopsticks.cjs');
  const options = ['--genesis', genesis, '--port', '0', '--host', '127.0.0.1', '--build-block-mode', 'Manual'];
  const child = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = async () => {
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const [, host] = /RPC listening on http:\/\/([\d.]+:\d+)/.exec(line) ?? [];
    if (host === undefined) continue;
    child.stdout.resume();
    return { host, stop };
  }
  await stop();
  throw new Error('The Substrate node ended before it listened.');
}
