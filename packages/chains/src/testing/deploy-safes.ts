import { readFileSync } from 'node:fs';
import { devTransport } from '@latchkey/emulators/evm-chain';
import {
  type Abi,
  type Address,
  concat,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashMessage,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

export interface SafeChain {
  /** A Safe with three owners and a threshold of two. */
  deployedSafe: Address;
  /** The address of a second such Safe that is not deployed. */
  undeployedSafe: Address;
  /** The call that would deploy the second one, for a signature before deployment (ERC-6492). */
  undeployedBy: { address: Address; data: Hex };
  /** Returns the signatures of two owners over a hash, in the order that the Safe requires. */
  signFor(safe: Address, hash: Hex): Promise<Hex>;
  /** Approves a text on-chain by two owners of the Safe, as wallets do that sign without a signature. */
  approveMessage(text: string): Promise<void>;
  codeOf(address: Address): Promise<Hex | undefined>;
}

interface Artifact {
  abi: Abi;
  bytecode: Hex;
}

// Defined here, because viem's module of all chains takes long to load.
const hardhat = defineChain({
  id: 31337,
  name: 'Hardhat',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
});

const mnemonic = `${'test '.repeat(11)}junk`;
const deployer = mnemonicToAccount(mnemonic);
const owners = [1, 2, 3].map((addressIndex) => mnemonicToAccount(mnemonic, { addressIndex }));

function readArtifact(path: string): Artifact {
  const url = import.meta.resolve('@safe-global/safe-contracts/package.json');
  return JSON.parse(readFileSync(new URL(`build/artifacts/contracts/${path}.json`, url), 'utf8'));
}

const safe = readArtifact('Safe.sol/Safe');
const handler = readArtifact('handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler');
const factory = readArtifact('proxies/SafeProxyFactory.sol/SafeProxyFactory');
const signMessageLib = readArtifact('libraries/SignMessageLib.sol/SignMessageLib');

const safeTx = parseAbiParameters(
  'address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce',
);

/** Two owners, in the address order that a Safe requires. */
const signers = owners.slice(0, 2).sort((one, other) => (BigInt(one.address) < BigInt(other.address) ? -1 : 1));

/** Two owners approve a delegatecall from the Safe to another contract. */
async function agreeToDelegate(verifyingContract: Address, to: Address, data: Hex) {
  const amounts = { safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: zeroAddress, refundReceiver: zeroAddress };
  const transaction = { to, value: 0n, data, operation: 1, ...amounts };
  const request = {
    domain: { chainId: hardhat.id, verifyingContract },
    types: { SafeTx: safeTx },
    primaryType: 'SafeTx',
    message: { ...transaction, nonce: 0n },
  } as const;
  const signatures = await Promise.all(signers.map((owner) => owner.signTypedData(request)));
  return [...Object.values(transaction), concat(signatures)];
}

/** Deploys Safe 1.4.1 to a new chain from its first account, so that the addresses are always the same. */
export async function deploySafes(url: string): Promise<SafeChain> {
  const transport = devTransport(url);
  const chain = createPublicClient({ chain: hardhat, transport });
  const wallet = createWalletClient({ account: deployer, chain: hardhat, transport });

  async function deploy({ abi, bytecode }: Artifact): Promise<Address> {
    const { contractAddress } = await chain.getTransactionReceipt({
      hash: await wallet.deployContract({ abi, bytecode }),
    });
    if (!contractAddress) throw new Error('The chain did not deploy a contract.');
    return getAddress(contractAddress);
  }

  const [singleton, fallback, proxies] = [await deploy(safe), await deploy(handler), await deploy(factory)];
  const ownerAddresses = owners.map((owner) => owner.address);
  const setup = encodeFunctionData({
    abi: safe.abi,
    functionName: 'setup',
    args: [ownerAddresses, 2n, zeroAddress, '0x', fallback, zeroAddress, 0n, zeroAddress],
  });
  const creation = { address: proxies, abi: factory.abi, functionName: 'createProxyWithNonce' };
  const predict = async (saltNonce: bigint): Promise<Address> => {
    const { result } = await chain.simulateContract({ ...creation, args: [singleton, setup, saltNonce] });
    return getAddress(String(result));
  };
  const [deployedSafe, undeployedSafe] = [await predict(7n), await predict(8n)];
  await wallet.writeContract({ ...creation, args: [singleton, setup, 7n] });

  async function approveMessage(text: string): Promise<void> {
    const to = await deploy(signMessageLib);
    const hash = encodeAbiParameters([{ type: 'bytes32' }], [hashMessage(text)]);
    const data = encodeFunctionData({ abi: signMessageLib.abi, functionName: 'signMessage', args: [hash] });
    const args = await agreeToDelegate(deployedSafe, to, data);
    await wallet.writeContract({ address: deployedSafe, abi: safe.abi, functionName: 'execTransaction', args });
  }

  async function signFor(verifyingContract: Address, hash: Hex): Promise<Hex> {
    const request = {
      domain: { chainId: hardhat.id, verifyingContract },
      types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'SafeMessage',
      message: { message: hash },
    } as const;
    return concat(await Promise.all(signers.map((owner) => owner.signTypedData(request))));
  }

  const data = encodeFunctionData({ ...creation, args: [singleton, setup, 8n] });
  const undeployedBy = { address: proxies, data };
  return {
    deployedSafe,
    undeployedSafe,
    undeployedBy,
    signFor,
    approveMessage,
    codeOf: (address) => chain.getCode({ address }),
  };
}
