import { type Actor, principalId } from '@latchkey/kernel';
import { issueAeToken } from '../../identity/credentials/index.ts';
import type { ProfileAnswer } from '../../ports/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { nobody, type TestPlatform, testPlatform, testSignature } from '../../testing/index.ts';
import { connectWallet } from './connect-wallet.ts';
import type { WalletConnectionRequest, WalletConnectionResponse } from './connection.ts';
import { getWalletConnections } from './operations.ts';

export const wallet = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
export const refusedWith = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

/** A platform whose users connect wallets, with one marketplace that shows the profile a test sets. */
export interface WalletPeople {
  t: TestPlatform;
  profile: ProfileAnswer;
  tokenOf(actor: Actor, scopes?: readonly string[]): Promise<string>;
  put(actor: Actor, body: WalletConnectionRequest): Promise<WalletConnectionResponse>;
  /** Requests a message and signs it as `signer`. */
  connect(actor: Actor, body: WalletConnectionRequest, signer?: string): Promise<WalletConnectionResponse>;
  listed(actor: Actor): ReturnType<typeof listOf>;
  holds(actor: Actor, address: string): Promise<boolean>;
}

const listOf = async (t: TestPlatform, actor: Actor) => (await getWalletConnections(t.as(actor), { limit: 100 })).items;

export async function openWalletPeople(seed: string): Promise<WalletPeople> {
  const t = await testPlatform(seed);
  await ensureSigningKeys(t.services);
  const tokenOf: WalletPeople['tokenOf'] = (actor, scopes = ['user:wallet:write', 'user:wallet:read']) =>
    issueAeToken(t.services, {
      userId: principalId(actor),
      platform: actor.kind === 'user' ? actor.platform : '',
      ...(actor.kind === 'user' && actor.name !== undefined && { name: actor.name }),
      scopes,
      credential: 'connect-link',
      ttlSeconds: 600,
    });
  const put: WalletPeople['put'] = async (actor, body) =>
    connectWallet(t.as(nobody), { body: { id: await tokenOf(actor), ...body } });
  const people: WalletPeople = {
    t,
    profile: { kind: 'none' },
    tokenOf,
    put,
    connect: async (actor, body, signer = body.address ?? '') => {
      const { message = '' } = await put(actor, body);
      return put(actor, { ...body, signature: testSignature(signer, message) });
    },
    listed: (actor) => listOf(t, actor),
    holds: async (actor, address) => (await listOf(t, actor)).some((item) => item.address === address),
  };
  Object.assign(t.services, { marketplaces: { opensea: { readProfile: async () => people.profile } } });
  return people;
}
