import { type Client, openSignClient } from '@latchkey/emulators/testing/sign-client';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { hexToString } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

export interface WalletConnectWallet extends AsyncDisposable {
  /** One on Ethereum and one on Solana. */
  addresses: { evm: string; solana: string };
  /** What pages asked it for, in order. */
  requests: string[];
  /** The texts it was shown, in order. */
  messages: string[];
  /** What its owner does. */
  owner: 'signs' | 'rejects the connection' | 'declines to sign';
  /** What its owner waits for before signing or declining. */
  decision: Promise<void>;
  /** Reads a QR code or follows a link. */
  scan(uri: string): Promise<void>;
  /** Resolves when a page ends its session. */
  parted: Promise<void>;
}

/** A wallet app that speaks WalletConnect by the library of its makers, and really signs. */
export async function openWalletConnectWallet(relayUrl: string): Promise<WalletConnectWallet> {
  const client: Client = await openSignClient(relayUrl, 'Test Fox Mobile');
  const evm = privateKeyToAccount(generatePrivateKey());
  const solana = ed25519.keygen();
  const wallet: WalletConnectWallet = {
    addresses: { evm: evm.address, solana: base58.encode(solana.publicKey) },
    requests: [],
    messages: [],
    owner: 'signs',
    decision: Promise.resolve(),
    scan: async (uri) => void (await client.pair({ uri })),
    parted: new Promise((resolve) => client.on('session_delete', () => resolve())),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };

  /** Signs what it is shown, in the form of the chain. */
  async function sign(method: string, params: unknown): Promise<unknown> {
    if (method === 'personal_sign') {
      const [text] = params as [`0x${string}`, string];
      wallet.messages.push(hexToString(text));
      return evm.signMessage({ message: { raw: text } });
    }
    const bytes = base58.decode((params as { message: string }).message);
    wallet.messages.push(new TextDecoder().decode(bytes));
    return { signature: base58.encode(ed25519.sign(bytes, solana.secretKey)) };
  }

  client.on('session_proposal', ({ id, params: { optionalNamespaces } }) => {
    const reason = { code: 5000, message: 'User rejected.' };
    if (wallet.owner === 'rejects the connection') return void client.reject({ id, reason });
    const solanaChain = optionalNamespaces.solana?.chains?.[0] ?? '';
    const namespaces = {
      eip155: {
        accounts: [`eip155:1:${evm.address}`],
        methods: ['personal_sign'],
        events: ['accountsChanged', 'chainChanged'],
      },
      solana: {
        accounts: [`${solanaChain}:${wallet.addresses.solana}`],
        methods: ['solana_signMessage'],
        events: [],
      },
    };
    return void client.approve({ id, namespaces });
  });
  client.on('session_request', async ({ id, topic, params: { request } }) => {
    wallet.requests.push(request.method);
    const result = await sign(request.method, request.params);
    await wallet.decision;
    const answer = wallet.owner === 'signs' ? { result } : { error: { code: 5000, message: 'User rejected.' } };
    await client.respond({ topic, response: { id, jsonrpc: '2.0', ...answer } });
  });
  return wallet;
}
