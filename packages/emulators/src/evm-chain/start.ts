import { fileURLToPath } from 'node:url';
import { prepareServerAt } from '../http/keep-connections.ts';
import { type DevAccount, devAccounts } from './accounts.ts';
import { type DevContracts, deployContracts } from './deploy-contracts.ts';

export interface DevChainOptions {
  /** Defaults to any free port. */
  port?: number;
  chainId?: number;
  host?: string;
}

/** A real EVM chain in this process, with sample contracts. It is gone when it stops. */
export interface DevChain {
  url: string;
  chainId: number;
  contracts: DevContracts;
  /** Funded accounts that the node signs for. The first one may mint in every sample contract. */
  accounts: readonly DevAccount[];
  stop(): Promise<void>;
}

// Enough for one transaction that mints to tens of thousands of holders.
const blockGasLimit = 4_000_000_000n;

/** Starts the chain and deploys the contracts. Each transaction is mined at once. */
export async function startDevChain(options: DevChainOptions = {}): Promise<DevChain> {
  const { port = 0, chainId = 31337, host = '127.0.0.1' } = options;
  const network = {
    type: 'edr-simulated',
    chainId,
    blockGasLimit,
    transactionGasCap: false,
    // Otherwise a burst of transactions would push the chain's time into the future.
    allowBlocksWithSameTimestamp: true,
  } as const;
  // Loaded only here, because it is slow and most importers of this package start no chain.
  const { createHardhatRuntimeEnvironment } = await import('hardhat/hre');
  const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
  const hardhat = await createHardhatRuntimeEnvironment({ networks: { chain: network } }, {}, projectRoot);
  const server = await hardhat.network.createServer('chain', host, port);
  const bound = await server.listen();
  prepareServerAt(bound.port);
  const url = `http://${host}:${bound.port}`;
  const accounts = devAccounts();
  const [minter, ...others] = accounts;
  const safeOwners = others.slice(0, 3).map(({ address }) => address);
  try {
    const contracts = await deployContracts(url, chainId, { deployer: minter.address, safeOwners });
    return { url, chainId, contracts, accounts, stop: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}
