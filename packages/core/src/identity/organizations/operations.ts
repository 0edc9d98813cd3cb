import { equalSecrets, type Sql, type Tx } from '@latchkey/db';
import {
  AppError,
  alsoLimited,
  app,
  listOf,
  notFound,
  op,
  owner,
  owns,
  principalId,
  record,
  resource,
  T,
  text,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import type { AskContext } from '../../services/signer/index.ts';
import {
  getPlan,
  listOfferedPlans,
  type PlanLimits,
  planLimits,
  SubscriptionPlan,
} from '../../services/subscription-plans/index.ts';
import { describeHolder, makeTreasury, type TreasuryRow } from '../../services/treasuries/index.ts';
import { emit } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { createOrganization } from './create.ts';
import {
  maxUnverified,
  Organization,
  OrganizationCreate,
  OrganizationVerify,
  organizationIdOf,
  requireVerified,
  toOrganization,
  unverifiedTtlSeconds,
} from './organization.ts';
import {
  countWrongTry,
  maxMailsPerHour,
  maxWrongTries,
  otpPlace,
  otpTtlSeconds,
  selectLiveOtpsOf,
  wipeOtpOf,
} from './otp.ts';
import {
  lockOrganization,
  lockOwner,
  type OrganizationRow,
  selectOrganization,
  selectOrganizationsOf,
  updateOrganization,
} from './queries.ts';
import { insertWallet, OrganizationWallet, selectWallet, toWallet, type WalletRow } from './wallet.ts';

const OrganizationOverview = record('OrganizationOverview', 'An organization and what it can do.', {
  id: text('The id of the organization.', { maxLength: 64 }),
  name: text('The name of the organization.', { maxLength: 200 }),
  email: text('Where messages about the organization are sent.', { maxLength: 254 }),
  createdAt: text('When it was created, as an ISO 8601 time.', { maxLength: 32 }),
  isVerified: T.Boolean({ description: 'Whether its e-mail address is confirmed; until then it has no applications.' }),
  planName: text('The plan it is on.', { maxLength: 200 }),
  maxApps: T.Integer({
    description: 'How many client applications the plan allows.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
  maxMiniApps: T.Integer({
    description: 'How many mini-apps the plan allows.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
});
type OrganizationOverview = ValueOf<typeof OrganizationOverview>;

export async function listOrganizationOverviews(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>,
): Promise<OrganizationOverview[]> {
  const rows = await ctx.tx((tx) => selectOrganizationsOf(tx, principalId(ctx.actor)));
  return Promise.all(
    rows.map(async (row) => {
      const plan = await planLimits(ctx, row.plan_id);
      return {
        id: row.id,
        name: row.name,
        email: row.email,
        createdAt: row.created_at.toISOString(),
        isVerified: row.verified_at !== null,
        planName: plan.name,
        maxApps: plan.maxApiKeys,
        maxMiniApps: plan.maxMiniApps,
      };
    }),
  );
}

const orgId = T.String({
  description: 'The id of the organization, or its sk.',
  minLength: 1,
  maxLength: 64,
});
const ownOrg = owner<Context>('orgId', 'organization', ownerOfOrganization);

export const devOrgs = resource('dev-orgs', 'Organizations of developers, their plans and their wallets.', [
  op(
    'GET /dev-orgs/plans',
    {
      id: 'getDevOrgPlans',
      sdk: 'PlanController.getPlans',
      summary: 'List organization plans',
      description: 'Returns every plan that is available to organizations, cheapest first.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everyone.' }),
      returns: listOf(SubscriptionPlan, 'The plans, cheapest first.'),
    },
    getDevOrgPlans,
  ),
  op(
    'GET /dev-orgs/plans/{planId}',
    {
      id: 'getDevOrgPlan',
      sdk: 'PlanController.getPlan',
      summary: 'Get an organization plan',
      description: 'Returns one organization plan, by its id or its sk.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everyone.' }),
      params: { planId: T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 }) },
      returns: SubscriptionPlan,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getDevOrgPlan,
  ),
  op(
    'POST /dev-orgs',
    {
      id: 'createOrganization',
      sdk: 'OrganizationController.createOrganization',
      summary: 'Create an organization',
      description: `Creates an organization on the free plan and sends a one-time password to its e-mail address; it expires after ${otpTtlSeconds / 60} minutes. Until you confirm it with POST /dev-orgs/verify, the organization can be read, but has no wallet and no client applications. Repeating the request with the same name and e-mail address while it is unconfirmed sends a new password. A user can have ${maxUnverified} unconfirmed organizations, which are deleted after ${unverifiedTtlSeconds / 3600} hours, and request ${maxMailsPerHour} e-mails per hour.`,
      access: user(),
      body: OrganizationCreate,
      returns: Organization,
      errors: ['RATE_LIMITED'],
      repeatable: true,
    },
    createOrganization,
  ),
  op(
    'POST /dev-orgs/verify',
    {
      id: 'verifyOrganization',
      sdk: 'OrganizationController.verifyOrganization',
      summary: 'Confirm an organization',
      description: `Confirms the e-mail address of the caller’s organization that this one-time password was sent for. A password works once. After ${maxWrongTries} wrong ones, request a new e-mail.`,
      access: user(),
      body: OrganizationVerify,
      returns: Organization,
      errors: ['INVALID_OTP', 'TOO_MANY_TRIES'],
    },
    verifyOrganization,
  ),
  op(
    'GET /dev-orgs',
    {
      id: 'getOrganizations',
      sdk: 'OrganizationController.getOrganizations',
      summary: 'List your organizations',
      description: 'Returns the caller’s organizations, oldest first, confirmed or not.',
      access: user(),
      returns: listOf(Organization, 'The organizations of the caller.'),
    },
    getOrganizations,
  ),
  op(
    'GET /dev-orgs/{orgId}',
    {
      id: 'getOrganization',
      sdk: 'OrganizationController.getOrganization',
      summary: 'Get an organization',
      description: 'Returns one of the caller’s organizations.',
      access: ownOrg,
      params: { orgId },
      returns: Organization,
    },
    getOrganization,
  ),
  op(
    'PUT /dev-orgs/{orgId}/wallet',
    {
      id: 'createOrganizationWallet',
      sdk: 'OrganizationWalletController.createWallet',
      summary: 'Create an organization’s wallet',
      description:
        'Creates the wallet of a confirmed organization: a Safe whose owner key is created and kept by the signer. The address can receive funds at once; the contract is deployed by POST /latchkey/treasuries/{address}/deploy or with the first transfer. Repeated calls return the same wallet. Fails with UNAVAILABLE while the signer is down.',
      access: ownOrg,
      params: { orgId },
      returns: OrganizationWallet,
      errors: ['ORGANIZATION_NOT_VERIFIED', 'UNAVAILABLE'],
    },
    createOrganizationWallet,
  ),
  op(
    'GET /dev-orgs/{orgId}/wallet',
    {
      id: 'getOrganizationWallet',
      sdk: 'OrganizationWalletController.getWalletDetail',
      summary: 'Get an organization’s wallet',
      description:
        'Returns the Safe of the organization with its status and balance as its chain shows them; 404 until it is created.',
      access: ownOrg,
      params: { orgId },
      returns: OrganizationWallet,
    },
    getOrganizationWallet,
  ),
]);

export const devOrgOwnOperations = [
  op(
    'GET /latchkey/dev-orgs',
    {
      id: 'listOrganizationOverviews',
      summary: 'List your organizations with their plans',
      description:
        'Returns the signed-in user’s organizations, oldest first, with whether each is confirmed and what its plan allows.',
      access: user(),
      returns: listOf(OrganizationOverview, 'The organizations, oldest first.'),
    },
    listOrganizationOverviews,
  ),
] as const;

type ReadContext = Pick<Context, 'actor' | 'tx'>;

function getDevOrgPlans(ctx: Pick<Context, 'clock' | 'db'>): Promise<SubscriptionPlan[]> {
  return listOfferedPlans(ctx, 'organization');
}

function getDevOrgPlan(ctx: Pick<Context, 'db'>, { planId }: { planId: string }): Promise<SubscriptionPlan> {
  return getPlan(ctx, 'organization', planId);
}

export async function getOrganizations(ctx: ReadContext): Promise<Organization[]> {
  const rows = await ctx.tx((tx) => selectOrganizationsOf(tx, principalId(ctx.actor)));
  return rows.map(toOrganization);
}

export async function getOrganization(ctx: ReadContext, { orgId }: { orgId: string }): Promise<Organization> {
  return toOrganization(await ctx.tx((tx) => ownOrganization(ctx, tx, orgId)));
}

export async function getOrganizationWallet(
  ctx: ReadContext & Pick<Context, 'db' | 'safes'>,
  { orgId }: { orgId: string },
): Promise<OrganizationWallet> {
  const wallet = await ctx.tx(async (tx) => selectWallet(tx, (await ownOrganization(ctx, tx, orgId)).id));
  if (wallet === undefined) throw notFound('wallet');
  return toWallet(wallet, await describeHolder(ctx, { kind: 'organization', id: wallet.organization_id }));
}

type WalletContext = AskContext & Pick<Context, 'actor' | 'evmWallets' | 'safes' | 'tx'>;

export async function createOrganizationWallet(
  ctx: WalletContext,
  { orgId }: { orgId: string },
): Promise<OrganizationWallet> {
  const organization = await ctx.tx((tx) => ownOrganization(ctx, tx, orgId));
  requireVerified(organization);
  const holder = { kind: 'organization', id: organization.id } as const;
  const treasury = await makeTreasury(ctx, holder);
  const wallet = await ctx.tx(async (tx) => {
    // Concurrent callers wait here for the first one, and then find its wallet.
    await lockOwnOrganization(ctx, tx, orgId);
    return (
      (await selectWallet(tx, organization.id)) ?? (await insertWallet(tx, newWallet(ctx, organization, treasury)))
    );
  });
  return toWallet(wallet, await describeHolder(ctx, holder));
}

function newWallet(
  ctx: WalletContext,
  organization: OrganizationRow,
  { owner_address, safe_address, chain_id }: TreasuryRow,
): WalletRow {
  return {
    organization_id: organization.id,
    created_by_id: organization.created_by_id,
    owner_address,
    safe_address,
    chain_id,
    created_at: ctx.clock(),
  };
}

type Actor = Pick<Context, 'actor'>;

/** Returns the caller's organization. `orgId` may be its id or its sk. Other users get not found. */
export function ownOrganization(ctx: Actor, tx: Tx, orgId: string): Promise<OrganizationRow> {
  return own(ctx, orgId, (id) => selectOrganization(tx, id));
}

/** The same, but locks the organization until the transaction ends. */
function lockOwnOrganization(ctx: Actor, tx: Tx, orgId: string): Promise<OrganizationRow> {
  return own(ctx, orgId, (id) => lockOrganization(tx, id));
}

async function own(
  ctx: Actor,
  orgId: string,
  read: (id: string) => Promise<OrganizationRow | undefined>,
): Promise<OrganizationRow> {
  const id = organizationIdOf(orgId);
  const row = id === undefined ? undefined : await read(id);
  if (row === undefined || !owns(ctx.actor, row.created_by_id)) throw notFound('organization');
  return row;
}

/** Returns the owner of an organization, for the access check of operations. Runs before the tenant is known. */
export async function ownerOfOrganization(ctx: Pick<Context, 'db'>, orgId: string): Promise<string | undefined> {
  const id = organizationIdOf(orgId);
  const row = id === undefined ? undefined : await selectOrganization(ctx.db.system, id);
  return row?.created_by_id;
}

/** Returns the name of an organization; undefined if it no longer exists. */
export async function findOrganizationName(db: Sql, id: string): Promise<string | undefined> {
  return (await selectOrganization(db, id))?.name;
}

/** Returns what the plan of an organization allows; the free plan's limits without an organization. */
export async function planOfOrganization(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  tx: Tx,
  orgId: string | undefined,
): Promise<PlanLimits> {
  const planId = orgId === undefined ? undefined : (await ownOrganization(ctx, tx, orgId)).plan_id;
  return planLimits(ctx, planId);
}

type VerifyContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>;
type Outcome = { kind: 'verified'; organization: OrganizationRow } | { kind: 'wrong' } | { kind: 'locked' };

/**
 * Confirms the caller's organization that the one-time password was mailed for. The request does not say which one, so
 * a wrong password counts against all of the caller's unconfirmed organizations.
 */
export async function verifyOrganization(
  ctx: VerifyContext,
  { body }: { body: { otp: string } },
): Promise<Organization> {
  // Errors are thrown only after the transaction, which must commit the count of wrong attempts.
  const outcome = await ctx.tx((tx) => tryOtp(ctx, tx, body.otp));
  switch (outcome.kind) {
    case 'verified':
      return toOrganization(outcome.organization);
    case 'wrong':
      throw new AppError('INVALID_OTP', 'The one-time password is wrong, used or expired.');
    case 'locked':
      throw new AppError(
        'TOO_MANY_TRIES',
        'Too many wrong one-time passwords. Create the organization again with the same name and e-mail address to get a new one.',
      );
  }
}

async function tryOtp(ctx: VerifyContext, tx: Tx, otp: string): Promise<Outcome> {
  const ownerId = principalId(ctx.actor);
  const now = ctx.clock();
  await lockOwner(tx, ownerId);
  const live = await selectLiveOtpsOf(tx, ownerId, now);
  if (live.length === 0) return { kind: 'wrong' };
  const open = live.filter((row) => row.wrong_tries < maxWrongTries);
  if (open.length === 0) return { kind: 'locked' };
  const match = open.find((row) => equalSecrets(ctx.keyring.openText(otpPlace(row.id), row.code), otp));
  if (match === undefined) {
    await countWrongTry(
      tx,
      open.map((row) => row.id),
    );
    return { kind: 'wrong' };
  }
  await wipeOtpOf(tx, match.organization_id);
  const organization = await updateOrganization(tx, match.organization_id, { verified_at: now });
  if (organization === undefined) return { kind: 'wrong' };
  await emit(ctx, tx, 'organization.verified', { ownerId, payload: { organizationId: organization.id } });
  return { kind: 'verified', organization };
}
