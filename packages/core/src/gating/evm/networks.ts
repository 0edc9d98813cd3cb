/** Public facts about an EVM chain. The operator configures its endpoints. */
export interface EvmNetwork {
  chainId: number;
  /** The first is the display name; rules and paths accept any of them. */
  names: readonly string[];
  description: string;
  explorers: readonly string[];
}

function network(chainId: number, description: string, names: string[], ...explorers: string[]): EvmNetwork {
  return { chainId, description, names, explorers };
}

export const evmNetworks: readonly EvmNetwork[] = [
  network(1, 'Ethereum', ['mainnet', 'ethereum', 'homestead'], 'https://etherscan.io'),
  network(10, 'OP Mainnet', ['optimism'], 'https://optimistic.etherscan.io'),
  network(25, 'Cronos', ['cronos'], 'https://explorer.cronos.org'),
  network(56, 'BNB Smart Chain', ['bsc', 'bnb'], 'https://bscscan.com'),
  network(100, 'Gnosis', ['gnosis', 'xdai'], 'https://gnosisscan.io'),
  network(122, 'Fuse', ['fuse'], 'https://explorer.fuse.io'),
  network(130, 'Unichain', ['unichain'], 'https://uniscan.xyz'),
  network(137, 'Polygon', ['polygon', 'matic'], 'https://polygonscan.com'),
  network(146, 'Sonic', ['sonic'], 'https://sonicscan.org'),
  network(250, 'Fantom Opera', ['fantom'], 'https://ftmscan.com'),
  network(324, 'ZKsync Era', ['zksync'], 'https://explorer.zksync.io'),
  network(480, 'World Chain', ['worldchain'], 'https://worldscan.org'),
  network(1088, 'Metis Andromeda', ['metis'], 'https://andromeda-explorer.metis.io'),
  network(1101, 'Polygon zkEVM', ['polygon-zkevm'], 'https://zkevm.polygonscan.com'),
  network(1284, 'Moonbeam', ['moonbeam'], 'https://moonscan.io'),
  network(1285, 'Moonriver', ['moonriver'], 'https://moonriver.moonscan.io'),
  network(2020, 'Ronin', ['ronin'], 'https://app.roninchain.com'),
  network(2222, 'Kava EVM', ['kava'], 'https://kavascan.com'),
  network(5000, 'Mantle', ['mantle'], 'https://mantlescan.xyz'),
  network(7777777, 'Zora', ['zora'], 'https://explorer.zora.energy'),
  network(8217, 'Kaia', ['klaytn', 'kaia'], 'https://kaiascan.io'),
  network(8453, 'Base', ['base'], 'https://basescan.org'),
  network(34443, 'Mode', ['mode'], 'https://explorer.mode.network'),
  network(42161, 'Arbitrum One', ['arbitrum'], 'https://arbiscan.io'),
  network(42170, 'Arbitrum Nova', ['arbitrum-nova'], 'https://nova.arbiscan.io'),
  network(42220, 'Celo', ['celo'], 'https://celoscan.io'),
  network(43114, 'Avalanche C-Chain', ['avalanche', 'avax'], 'https://snowtrace.io'),
  network(59144, 'Linea', ['linea'], 'https://lineascan.build'),
  network(80094, 'Berachain', ['berachain'], 'https://berascan.com'),
  network(81457, 'Blast', ['blast'], 'https://blastscan.io'),
  network(534352, 'Scroll', ['scroll'], 'https://scrollscan.com'),
  network(11155111, 'Sepolia, a test network of Ethereum', ['sepolia'], 'https://sepolia.etherscan.io'),
  network(1313161554, 'Aurora', ['aurora'], 'https://explorer.aurora.dev'),
  network(1666600000, 'Harmony', ['harmony'], 'https://explorer.harmony.one'),
];

/** Returns the chain id for a number or name; undefined for anything else. */
export function chainIdOf(nameOrId: string): number | undefined {
  if (/^[1-9]\d{0,14}$/.test(nameOrId)) return Number(nameOrId);
  const name = nameOrId.toLowerCase();
  return evmNetworks.find(({ names }) => names.includes(name))?.chainId;
}
