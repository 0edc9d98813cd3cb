import { fileURLToPath } from 'node:url';
import { prepareServerAt } from '@latchkey/emulators/evm-chain';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';

/** A real EVM chain in this process, fresh and empty, whose twenty accounts of the mnemonic "test … junk" are rich. */
export interface EvmNode {
  url: string;
  stop(): Promise<void>;
}

/** Starts a chain on a free port of the loopback interface. It mines each transaction at once and keeps nothing. */
export async function startEvmNode({ chainId = 31337 }: { chainId?: number } = {}): Promise<EvmNode> {
  const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
  const network = { type: 'edr-simulated', chainId } as const;
  const hardhat = await createHardhatRuntimeEnvironment({ networks: { chain: network } }, {}, projectRoot);
  const server = await hardhat.network.createServer('chain', '127.0.0.1', 0);
  const { port } = await server.listen();
  prepareServerAt(port);
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
