import { enqueue, sql, startWorker, type Worker } from '@latchkey/db';
import { type Actor, job, shape, T } from '@latchkey/kernel';
import { updateAdmins } from '../../communities/admins/change-admins.ts';
import { createCommunity } from '../../communities/community/index.ts';
import { createCommunityWallet } from '../../communities/community/wallet.ts';
import { createGuestPass, issueGuestPass } from '../../communities/guest-passes/index.ts';
import { checkRoles } from '../../gating/access-control/check-roles.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { decideClientApp } from '../../identity/client-apps/index.ts';
import { newApp } from '../../identity/client-apps/testing.ts';
import { issueAccessToken, issueAeToken } from '../../identity/credentials/index.ts';
import { createOrganization } from '../../identity/organizations/create.ts';
import { createOrganizationWallet, verifyOrganization } from '../../identity/organizations/operations.ts';
import { createState } from '../../identity/states/index.ts';
import { generateTotpQrCode } from '../../identity/totp/operations.ts';
import { generateRegistrationOptions } from '../../identity/webauthn/generate-options.ts';
import { newDevice, register } from '../../identity/webauthn/testing.ts';
import { getChallenge } from '../../linking/ethereum-login/operations.ts';
import { connectWallet } from '../../linking/wallet-manager/connect-wallet.ts';
import { generateMagicCode } from '../../linking/wallet-manager/operations.ts';
import { jobKinds } from '../../modules.ts';
import { contextFor } from '../../shared/context.ts';
import { nobody, operator, patienceMs, type TestPlatform, testSignature } from '../../testing/index.ts';

type User = Extract<Actor, { kind: 'user' }>;

const nativeId = '424242424242';
export const ophelia: User = {
  kind: 'user',
  userId: `DIS#USER#${nativeId}`,
  platform: 'discord',
  name: 'Ophelia of Elsinore',
  scopes: ['$all'],
  credential: 'wallet-session',
};
export const bystander: User = { ...ophelia, userId: 'DIS#USER#515151515151', name: 'Horatio' };
const wallets = ['0xE4a5ed0000000000000000000000000000000001', '0xE4a5ed0000000000000000000000000000000002'];
export const token = `0x${'70'.repeat(20)}`;

/** Everything that identifies the person and must not be found after the erasure. */
export interface Filled {
  needles: Map<string, string>;
  /** A community with another admin, one without any, and one where the person is only a member. */
  shared: string;
  alone: string;
  joined: string;
  guildOf(communityId: string): string;
  nativeId: string;
  aeToken: string;
}

/** A worker that runs all jobs, as the server's worker does. */
export function startWholeWorker(t: TestPlatform): Worker {
  return startWorker({
    db: t.services.db,
    patienceMs,
    kinds: jobKinds,
    log: t.services.log,
    random: t.services.random,
    makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
    validate: () => undefined,
    concurrency: 4,
  });
}

/** Uses every part of the platform as one person. */
export async function fillAccount(t: TestPlatform, worker: Worker): Promise<Filled> {
  const needles = new Map<string, string>([
    ['the id', ophelia.userId],
    ['the id on the platform', nativeId],
    ['the name', ophelia.name ?? ''],
    ['the e-mail address', 'ophelia@elsinore.example'],
    ['the subreddit moderator', 'ophelia_mod'],
    ...wallets.map((address, at): [string, string] => [`wallet ${at}`, address]),
  ]);
  const aeToken = await fillWallets(t, needles);
  await fillLogins(t, needles);
  const guilds = await fillCommunities(t);
  await fillApps(t, needles, worker);
  await fillTraces(t, guilds.shared);
  await worker.idle();
  return { needles, ...guilds, guildOf: (id) => id.split('#')[2] ?? '', nativeId, aeToken };
}

async function tokenOf(t: TestPlatform, { userId, platform, name, scopes }: User): Promise<string> {
  return issueAeToken(t.services, {
    userId,
    platform,
    ...(name !== undefined && { name }),
    scopes,
    credential: 'wallet-session',
    ttlSeconds: 3600,
  });
}

async function fillWallets(t: TestPlatform, needles: Map<string, string>): Promise<string> {
  const id = await tokenOf(t, ophelia);
  for (const address of wallets) {
    const request = await connectWallet(t.as(nobody), { body: { id, address } });
    const message = 'message' in request ? (request.message ?? '') : '';
    await connectWallet(t.as(nobody), { body: { id, address, signature: testSignature(address, message) } });
  }
  const pending = { address: `0x${'e4'.repeat(20)}` };
  await connectWallet(t.as(nobody), { body: { id, ...pending } });
  needles.set('a wallet that was requested to sign', pending.address);
  const { magicCode = '' } = await generateMagicCode(t.as(nobody), {
    body: { id, marketplace: 'opensea', account: wallets[0] ?? '' },
  });
  needles.set('a magic code', magicCode);
  const login = await getChallenge(t.as(nobody), { body: { accountId: `evm:1:${wallets[0]}` } });
  needles.set('a login in progress', login.requestId ?? '');
  needles.set('an AE token', id);
  return id;
}

async function fillLogins(t: TestPlatform, needles: Map<string, string>): Promise<void> {
  const ctx = t.as(ophelia);
  needles.set('a passkey', await register(t, ophelia, newDevice()));
  await generateRegistrationOptions(ctx, {});
  await generateTotpQrCode(ctx, { requestId: 'first' });
  const { slug } = await createState(ctx, { body: { hello: ophelia.name } });
  needles.set('a state', slug);
  const { userId, platform } = ophelia;
  const holder = { kind: 'user' as const, userId, platform, name: ophelia.name ?? '' };
  const access = await issueAccessToken(ctx, { holder, scopes: ['user:read'], ttlSeconds: 3600 });
  needles.set('an access token', access.token);
}

async function fillCommunities(t: TestPlatform) {
  const open = async (owner: User, communityId: string) => {
    t.host.addCommunity(communityId, [{ id: 'gold', name: 'Gold' }]);
    t.host.addAdmin(communityId, owner.userId.split('#')[2] ?? '');
    for (const user of [ophelia, bystander]) t.host.addMember(communityId, user.userId.split('#')[2] ?? '');
    const body = { platform: 'discord' as const, communityId, name: `Guild ${communityId}` };
    return (await createCommunity(t.as(owner), { body })).id ?? '';
  };
  const [shared, alone, joined] = [await open(ophelia, '81'), await open(ophelia, '82'), await open(bystander, '83')];
  await updateAdmins(t.as(ophelia), { id: shared, body: [ophelia.userId, bystander.userId] });
  await createCommunityWallet(t.as(ophelia), { communityId: shared });
  const quest = { createdById: ophelia.userId, createdByName: ophelia.name, claimedBy: [ophelia.userId] };
  await sql`update communities set profile = ${JSON.stringify({ quests: [quest] })}::jsonb where id = ${shared}`.execute(
    t.services.db.system,
  );
  for (const account of wallets.map((address) => address.toLowerCase()))
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: token, account }, '5');
  const rule = { type: 'ERC20', chainId: 1, contractAddress: token, minToken: '1', roleId: 'gold' };
  await createRule(t.as(bystander), { id: joined, body: rule });
  const passIn = async (owner: User, guildId: string, userId: string) => {
    const pass = await createGuestPass(t.as(owner), {
      guildId,
      body: { name: 'Guest', roleSet: [{ id: '71000000000000000' }] },
    });
    await issueGuestPass(t.as(owner), { guildId, passId: pass.id ?? '', userId });
  };
  await passIn(ophelia, '81', bystander.userId);
  await passIn(bystander, '83', ophelia.userId);
  return { shared, alone, joined };
}

async function fillApps(t: TestPlatform, needles: Map<string, string>, worker: Worker): Promise<void> {
  const email = needles.get('the e-mail address') ?? '';
  const { sk = '' } = await createOrganization(t.as(ophelia), { body: { name: 'Ophelia Limited', email } });
  await worker.idle();
  const otp = /one-time password is (\S+)/.exec(t.mails.at(-1)?.text ?? '')?.[1] ?? '';
  await verifyOrganization(t.as(ophelia), { body: { otp } });
  const orgId = sk.replace('ORG#', '');
  const wallet = await createOrganizationWallet(t.as(ophelia), { orgId });
  const webhook = { webhookUrl: 'http://127.0.0.1:9/hook', subscribeEvents: ['client-app.status-changed'] };
  const app = await newApp(t, ophelia, { pk: orgId, email, name: 'Ophelias app', ...webhook });
  await decideClientApp(t.as(operator), { id: app.id, decision: 'approve', scopes: ['token-gating'] });
  needles.set('an organization', orgId).set('its wallet', wallet.address);
  needles.set('an application', app.id).set('its key', app.apiKey).set('its name', 'Ophelias app');
  const listener = { subscribeEvents: ['member.role-granted', 'member.role-revoked'] };
  await newApp(t, bystander, { name: 'Listener', webhookUrl: 'http://127.0.0.1:9/other', ...listener });
  const rules = [{ type: 'ERC20', chainId: 1, contractAddress: token, roleId: '1' }];
  await checkRoles(t.as(ophelia), { body: { account: wallets[0] ?? '', rules, async: true } });
}

const lost = job('test.lost', { payload: shape(T.Object({ userId: T.String() })) }, async () => undefined);

/** Adds rows that only the server, the worker or an external service would write. */
async function fillTraces(t: TestPlatform, communityId: string): Promise<void> {
  const { system } = t.services.db;
  const now = t.services.clock();
  const { userId } = ophelia;
  await enqueue(system, lost, { userId });
  await sql`update jobs set state = 'dead', died_at = ${now}, last_error = ${userId} where name = ${lost.name}`.execute(
    system,
  );
  await sql`insert into rate_windows values (${`user:${userId}/60`}, ${now}, 1)`.execute(system);
  await sql`
    insert into idempotent_requests (caller, key_hash, request_hash, created_at)
    values (${userId}, ${'a'.repeat(64)}, ${'b'.repeat(64)}, ${now})`.execute(system);
  await sql`insert into log_setting_changes (requests, changed_by, changed_at) values ('[]', ${userId}, ${now})`.execute(
    system,
  );
  const refresh = t.services.keyring.seal('reddit_tokens', 'refresh');
  await sql`
    insert into reddit_tokens values (${communityId}, ${refresh}, 'ophelia_mod', ${userId}, ${now})`.execute(system);
  await sql`insert into followed_chains values ('evm:1', 1, '0x1', ${now})`.execute(system);
  await sql`insert into followed_changes values ('evm:1', 1, ${token}, ${wallets[0]?.toLowerCase()})`.execute(system);
  await sql`
    insert into read_holdings (chain, reference, account, variant, answer, block_number, read_at)
    values ('evm:1', ${token}, ${wallets[1]}, 'erc20', '{}', 1, ${now})`.execute(system);
  await sql`
    insert into change_sets (id, community_id, cause, status, is_urgent, grants, revokes, calls, unknowns, decided_by, created_at)
    values ('by-ophelia', ${communityId}, 'rule', 'done', false, 0, 0, 0, 0, ${userId}, ${now})`.execute(system);
  await sql`
    insert into change_set_comments (id, change_set_id, community_id, author, body, created_at)
    values ('comment-of-ophelia', 'by-ophelia', ${communityId}, ${userId}, 'Is this intended?', ${now})`.execute(
    system,
  );
}

/** Dumps every row of every table as lower-case text. */
export async function dumpDatabase(t: TestPlatform): Promise<Map<string, string>> {
  const { system } = t.services.db;
  const { rows } = await sql<{ name: string }>`
    select quote_ident(relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm')`.execute(system);
  const dump = new Map<string, string>();
  for (const { name } of rows) {
    const lines = await sql<{ line: string }>`select t::text as line from ${sql.raw(name)} t`.execute(system);
    dump.set(name, lines.rows.map(({ line }) => line.toLowerCase()).join('\n'));
  }
  return dump;
}
