import type { LinkMessage, LinkTarget } from './link-message.ts';

const string = (name: string) => ({ name, type: 'string' });
const address = (name: string) => ({ name, type: 'address' });

const types = {
  EIP712Domain: [string('name'), string('version'), { name: 'chainId', type: 'uint256' }],
  LinkWallet: [
    string('statement'),
    string('domain'),
    string('uri'),
    address('account'),
    address('signer'),
    string('user'),
    string('community'),
    string('nonce'),
    string('issuedAt'),
    string('expirationTime'),
    { name: 'resources', type: 'string[]' },
  ],
};

/**
 * The same message as typed data (EIP-712), as the JSON that eth_signTypedData_v4 takes: whatever the text says stands in a
 * field of its own, and all of it is signed.
 */
export function writeTypedMessage(
  { baseUrl, userId, nonce, issuedAt, expiresAt }: LinkMessage,
  target: LinkTarget,
  { statement, resources }: { statement: string; resources: readonly string[] },
): string {
  const chainId = Number(target.chain);
  return JSON.stringify({
    types,
    primaryType: 'LinkWallet',
    domain: {
      name: new URL(baseUrl).host,
      version: '1',
      // Few chains have a number that JSON cannot hold; wallets take those as texts.
      chainId: Number.isSafeInteger(chainId) ? chainId : target.chain,
    },
    message: {
      statement,
      domain: new URL(baseUrl).host,
      uri: baseUrl,
      account: target.address,
      signer: target.signer ?? target.address,
      user: userId,
      community: target.communityId ?? '',
      nonce,
      issuedAt: issuedAt.toISOString(),
      expirationTime: expiresAt.toISOString(),
      resources,
    },
  });
}

/** True for typed data. No text that this server writes begins so: texts begin with its host. */
export function isTypedLinkMessage(message: string): boolean {
  return message.startsWith('{"types":');
}
