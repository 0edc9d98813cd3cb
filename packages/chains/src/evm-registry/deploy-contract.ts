import { type Hex, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type ChainOptions, connect, signTransaction } from '../evm-transactions/index.ts';
import { answerOf, otherChain, refusalOf, reverted } from './failures.ts';

const minedWithinMs = 120_000;

/** Deploys a contract. Returns its address once the transaction is mined. */
export function deployContract(
  options: ChainOptions,
  { key, data }: { key: Uint8Array; data: string },
): Promise<{ address: string; txHash: string }> {
  return answerOf(async () => {
    const client = connect(options);
    if ((await client.getChainId()) !== client.chain.id) throw otherChain();
    const { raw } = await signTransaction(client, privateKeyToAccount(toHex(key)), { data: data as Hex }).catch(
      refusalOf,
    );
    const hash = await client.sendRawTransaction({ serializedTransaction: raw }).catch(refusalOf);
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: minedWithinMs });
    if (receipt.status !== 'success' || receipt.contractAddress == null) throw reverted();
    return { address: receipt.contractAddress, txHash: hash };
  });
}
