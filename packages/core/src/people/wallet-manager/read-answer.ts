import { createHash } from 'node:crypto';
import { isTypedLinkMessage, type WalletClaim } from '../wallets/index.ts';
import type { WalletConnectionRequest } from './connection.ts';
import { openAnswer, type Parts, readBytes } from './open-answer.ts';

type WalletAnswer = Pick<WalletClaim, 'message' | 'state' | 'signature' | 'publicKey' | 'details'>;

/** What the wallet answered, taken apart. */
export function readAnswer(namespace: string, body: WalletConnectionRequest): WalletAnswer {
  const { signature, publicKey, parts } = openAnswer(namespace, body.signature);
  const proof = body.didToken ?? signature;
  return {
    message: body.message === undefined ? undefined : readMessage(namespace, body.message),
    state: body.signInState ?? body.state,
    signature: proof === '' ? undefined : proof,
    publicKey: body.publicKey ?? body.public_key ?? publicKey,
    details: (message) => detailsOf(namespace, message, { body, parts }),
  };
}

/** Wallets of Tezos sign a packed text (05 01, its length, its bytes), and clients send either form back. */
function readMessage(namespace: string, message: string): string {
  const packed = namespace === 'tezos' ? /^0501[0-9a-f]{8}((?:[0-9a-f]{2})*)$/i.exec(message) : null;
  return packed === null ? message : Buffer.from(packed[1] ?? '', 'hex').toString('utf8');
}

function detailsOf(
  namespace: string,
  message: string,
  { body, parts }: { body: WalletConnectionRequest; parts: Parts },
): Parts {
  switch (namespace) {
    case 'evm':
      if (isTypedLinkMessage(message)) return { scheme: 'eip712' };
      // An empty signature of a Safe means that its owners approved the message on the chain.
      return { scheme: body.proxyType === 'gnosis' && body.signature === '0x' ? 'safe' : 'eip191' };
    case 'near': {
      const { format, nonce = sha256Base64(message), recipient, callbackUrl } = parts;
      return { format, nonce: readBytes(nonce)?.toString('base64') ?? nonce, recipient, callbackUrl };
    }
    case 'ton':
      return { timestamp: parts.timestamp, domain: parts.domain, stateInit: parts.stateInit };
    case 'solana':
      return { format: parts.format };
    case 'polkadot':
      return { cryptoType: parts.cryptoType };
    default:
      return {};
  }
}

// NEP-413 signs 32 bytes besides the message. The message has a nonce of its own, so its hash serves.
function sha256Base64(message: string): string {
  return createHash('sha256').update(message).digest('base64');
}
