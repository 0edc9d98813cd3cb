import { problemOf, problems } from './problem.ts';

/** An account that a wallet shared, with the chain it was shared for. */
export interface SharedAccount {
  namespace: 'evm' | 'solana';
  /** In CAIP-2 form, as the wallet sent it. */
  chain: string;
  address: string;
  /** In this server's form. */
  accountId: string;
}

/** CAIP-2 identifies Solana's mainnet by the prefix of its genesis hash. */
const solanaMainnet = `solana:${'5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'}`;
const maxAccounts = 20;

/** What is requested from the wallet: accounts, and signatures of text. Nothing that could move funds. */
export function namespacesFor(namespaces: readonly string[], evmChainIds: readonly number[]): Record<string, object> {
  return {
    ...(namespaces.includes('evm') && {
      eip155: {
        chains: evmChainIds.map((chainId) => `eip155:${chainId}`),
        methods: ['personal_sign'],
        events: ['accountsChanged', 'chainChanged'],
      },
    }),
    ...(namespaces.includes('solana') && {
      solana: { chains: [solanaMainnet], methods: ['solana_signMessage'], events: [] },
    }),
  };
}

/** Returns the accounts of a session that can sign text. Throws if there is none. */
export function readAccounts(shared: unknown, namespaces: readonly string[]): readonly SharedAccount[] {
  const parts = Object.values(Object(shared)).map((part) => Object(part));
  const read = parts.flatMap(({ accounts, methods }) =>
    (Array.isArray(accounts) ? accounts : []).flatMap((account) => {
      const found = readAccount(String(account));
      if (found === undefined || !namespaces.includes(found.namespace)) return [];
      return [{ account: found, canSign: Array.isArray(methods) && methods.includes(signMethods[found.namespace]) }];
    }),
  );
  const signing = read.filter(({ canSign }) => canSign).map(({ account }) => account);
  if (signing.length === 0) throw problemOf(read.length === 0 ? problems.noAccount : problems.cannotSign);
  // An address that is shared for several chains is one account, on the first of them.
  const isFirst = ({ address }: SharedAccount, index: number) =>
    signing.findIndex((other) => other.address.toLowerCase() === address.toLowerCase()) === index;
  return signing.filter(isFirst).slice(0, maxAccounts);
}

export const signMethods = { evm: 'personal_sign', solana: 'solana_signMessage' } as const;

function readAccount(account: string): SharedAccount | undefined {
  const [, evmChain, evmAddress] = /^eip155:([1-9]\d{0,14}):(0x[0-9a-f]{40})$/i.exec(account) ?? [];
  if (evmChain !== undefined && evmAddress !== undefined)
    return {
      namespace: 'evm',
      chain: `eip155:${evmChain}`,
      address: evmAddress,
      accountId: `evm:${evmChain}:${evmAddress}`,
    };
  const [address] = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.exec(account.slice(solanaMainnet.length + 1)) ?? [];
  if (!account.startsWith(`${solanaMainnet}:`) || address === undefined) return undefined;
  return { namespace: 'solana', chain: solanaMainnet, address, accountId: `solana:mainnet:${address}` };
}
