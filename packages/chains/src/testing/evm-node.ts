import { fileURLToPath } from 'node:url';
import { prepareServerAt } from '@latchkey/emulators/evm-chain';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';

/** A real, empty EVM chain in this process, with the twenty funded accounts of the mnemonic "test … junk". */
export interface EvmNode {
  url: string;
  stop(): Promise<void>;
}

/** Starts a chain on a free loopback port. It mines each transaction at once and stores nothing on disk. */
export async function startEvmNode({ chainId = 31337 }: { chainId?: number } = {}): Promise<EvmNode> {
  const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
  const network = { type: 'edr-simulated', chainId } as const;
  const hardhat = await createHardhatRuntimeEnvironment({ networks: { chain: network } }, {}, projectRoot);
  const server = await hardhat.network.createServer('chain', '127.0.0.1', 0);
  const { port } = await server.listen();
  prepareServerAt(port);
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
