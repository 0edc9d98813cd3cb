/** The contract of a token and where accounts publish it: `A.<address>.<Contract>.<Public>.<path>`. */
export interface FlowAsset {
  address: string;
  contract: string;
  path: string;
}

/** The contracts of the two token standards of each network. */
export interface FlowStandards {
  fungibleToken: string;
  nonFungibleToken: string;
}

export const flowStandards: Readonly<Record<string, FlowStandards>> = {
  mainnet: { fungibleToken: 'f233dcee88fe0abe', nonFungibleToken: '1d7e57aa55817448' },
  testnet: { fungibleToken: '9a0766d93b6608b7', nonFungibleToken: '631e88ae7f1d7c20' },
  emulator: { fungibleToken: 'ee82856bf20e2aa6', nonFungibleToken: 'f8d6e0586b0a20c7' },
};

// The parts become program text, so nothing but names may pass.
const form = /^A\.(?:0x)?([0-9a-fA-F]{16})\.([A-Za-z_]\w{0,99})\.([A-Za-z_]\w{0,99})\.([A-Za-z_]\w{0,99})$/;

export function parseFlowAsset(reference: string): FlowAsset | undefined {
  const [, address, contract, , path] = form.exec(reference) ?? [];
  if (address === undefined || contract === undefined || path === undefined) return undefined;
  return { address: address.toLowerCase(), contract, path };
}

// An account may publish whatever it likes under a path, also something of its own that only claims to be a token. The
// name of the type is given by the chain: its beginning says which contract's program it is, and that is the proof.
function isOf({ address, contract }: FlowAsset, held: string): string {
  const own = `A.${address}.${contract}.`;
  const name = `${held}.getType().identifier`;
  return `${name}.length > ${own.length} && ${name}.slice(from: 0, upTo: ${own.length}) == "${own}"`;
}

/** How much of a fungible token each account holds. */
export function writeBalancesScript(asset: FlowAsset, { fungibleToken }: FlowStandards): string {
  return `import FungibleToken from 0x${fungibleToken}

access(all) fun main(accounts: [Address]): {Address: UFix64} {
  let held: {Address: UFix64} = {}
  for account in accounts {
    held[account] = 0.0
    if let vault = getAccount(account).capabilities.borrow<&{FungibleToken.Balance}>(/public/${asset.path}) {
      if ${isOf(asset, 'vault')} {
        held[account] = vault.balance
      }
    }
  }
  return held
}
`;
}

/** The ids of the tokens that each account holds of a collection. */
export function writeTokensScript(asset: FlowAsset, { nonFungibleToken }: FlowStandards): string {
  return `import NonFungibleToken from 0x${nonFungibleToken}

access(all) fun main(accounts: [Address]): {Address: [UInt64]} {
  let held: {Address: [UInt64]} = {}
  for account in accounts {
    held[account] = []
    if let collection = getAccount(account).capabilities.borrow<&{NonFungibleToken.CollectionPublic}>(/public/${asset.path}) {
      if ${isOf(asset, 'collection')} {
        held[account] = collection.getIDs()
      }
    }
  }
  return held
}
`;
}
