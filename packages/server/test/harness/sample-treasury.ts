import { createHmac } from 'node:crypto';
import { totpSealed } from '@latchkey/core/testing/insides';
import { createWalletClient, getAddress, http } from 'viem';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import { type OutsideWorld, people } from './outside-world.ts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

interface TreasuryWorld {
  server: TestServer;
  outside: Pick<OutsideWorld, 'chain'>;
  /** The address of the wallet of alice's organization. */
  treasury: string;
}

const stepSeconds = 30;
/** Two are in use, so that consuming a code of one leaves the other for other tests. */
const apps = {
  approving: 'app-in-use',
  vouching: 'app-in-use-too',
  added: 'app-to-add',
  removed: 'app-to-remove',
} as const;

/** Funds alice's wallet, gives her two authenticator apps, and starts to enroll two more. */
export async function setUpTreasury({ server, outside: { chain }, treasury }: TreasuryWorld): Promise<void> {
  const client = createWalletClient({ transport: http(chain.url) });
  const account = getAddress(chain.accounts[0]?.address ?? '');
  await client.sendTransaction({ account, to: getAddress(treasury), value: 1_000n, chain: null });
  const authorization = await server.aeToken(aliceId);
  for (const app of Object.values(apps)) await server.request('GET', `/totp/${app}`, { headers: { authorization } });
  const [approving, vouching] = [await codesOf(server, apps.approving), await codesOf(server, apps.vouching)];
  const confirm = (app: string, body: Record<string, string>) =>
    caller(server, authorization)('POST', `/latchkey/account/authenticators/${app}/confirm`, body);
  // Codes of steps before those that samples use. One step on either side is left in case a step ends meanwhile.
  await confirm(apps.approving, { code: approving(-1) });
  await confirm(apps.vouching, { code: vouching(-1), currentCode: approving(0) });
}

/** A transfer that waits for alice's approval, and codes that each work once. */
export async function sampleTreasury(world: TreasuryWorld): Promise<Samples> {
  const { server, treasury } = world;
  const base = `/latchkey/treasuries/${treasury}`;
  const call = caller(server, await server.aeToken(aliceId));
  const { id } = await call('POST', `${base}/transfers`, { to: people.bob.address, amount: '1' });
  const approving = await codesOf(server, apps.approving);
  const route = '/latchkey/treasuries/{address}';
  return {
    ...Object.fromEntries(
      ['GET', 'POST']
        .flatMap((method) =>
          ['', '/actions', '/deploy', '/transfers', '/handoff'].map((end) => `${method} ${route}${end}`),
        )
        .map((name) => [`${name} address`, treasury]),
    ),
    [`POST ${route}/transfers to`]: people.bob.address,
    [`POST ${route}/transfers amount`]: '1',
    // The wallet only holds coins.
    ...Object.fromEntries(
      ['standard', 'token', 'tokenId'].map((field) => [`POST ${route}/transfers ${field}`, () => undefined]),
    ),
    [`POST ${route}/handoff newOwner`]: people.alice.address,
    [`POST ${route}/actions/{actionId}/approve address`]: treasury,
    [`POST ${route}/actions/{actionId}/approve actionId`]: String(id),
    [`POST ${route}/actions/{actionId}/approve otp`]: () => approving(2),
    ...(await sampleAuthenticators(server)),
  };
}

/** Creates a new pending transfer, and deletes others: only a few may be pending, each for some minutes. */
export async function proposeAnew(world: TreasuryWorld): Promise<Samples> {
  await world.server.services.db.system.deleteFrom('treasury_actions').where('state', '=', 'proposed').execute();
  return sampleTreasury(world);
}

/** One of alice's apps to confirm, with codes, and one to remove. */
async function sampleAuthenticators(server: TestServer): Promise<Samples> {
  const [vouching, added] = [await codesOf(server, apps.vouching), await codesOf(server, apps.added)];
  const confirm = 'POST /latchkey/account/authenticators/{requestId}/confirm';
  return {
    [`${confirm} requestId`]: apps.added,
    [`${confirm} code`]: () => added(2),
    [`${confirm} currentCode`]: () => vouching(2),
    'DELETE /latchkey/account/authenticators/{requestId} requestId': apps.removed,
  };
}

/** Enrolls them again: an enrolment waits for its first code for only a few minutes, and only a few may be pending. */
export async function enrollAnew(server: TestServer): Promise<Samples> {
  await server.services.db.system
    .deleteFrom('totp_enrolments')
    .where('user_id', '=', aliceId)
    .where('request_id', 'not in', [apps.approving, apps.vouching])
    .execute();
  const authorization = await server.aeToken(aliceId);
  for (const app of [apps.added, apps.removed])
    await server.request('GET', `/totp/${app}`, { headers: { authorization } });
  return sampleAuthenticators(server);
}

/** Returns the codes of alice's app (RFC 6238), this many steps from when it is called. */
async function codesOf({ services }: TestServer, app: string): Promise<(steps: number) => string> {
  const { secret } = await services.db.system
    .selectFrom('totp_enrolments')
    .select('secret')
    .where('user_id', '=', aliceId)
    .where('request_id', '=', app)
    .executeTakeFirstOrThrow();
  const key = services.keyring.open(totpSealed[0]?.placeOf(aliceId, app) ?? '', secret ?? '');
  return (steps) => {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(services.clock().getTime() / 1000 / stepSeconds) + steps));
    const mac = createHmac('sha1', key).update(counter).digest();
    const offset = (mac[19] ?? 0) & 0xf;
    return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
  };
}
