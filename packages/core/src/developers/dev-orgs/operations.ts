import { alsoLimited, app, listOf, op, owner, resource, T, user } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { SubscriptionPlan } from '../../money/plans/index.ts';
import { createOrganization } from './create.ts';
import { createOrganizationWallet } from './create-wallet.ts';
import {
  maxUnverified,
  Organization,
  OrganizationCreate,
  OrganizationVerify,
  unverifiedTtlSeconds,
} from './organization.ts';
import { maxMailsPerHour, maxWrongTries, otpTtlSeconds } from './otp.ts';
import { listOrganizationOverviews, OrganizationOverview } from './overview.ts';
import { ownerOfOrganization } from './own-organization.ts';
import { getDevOrgPlan, getDevOrgPlans, getOrganization, getOrganizations, getOrganizationWallet } from './reads.ts';
import { verifyOrganization } from './verify.ts';
import { OrganizationWallet } from './wallet.ts';

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
      summary: 'List the plans for organizations',
      description: 'Returns every plan an organization can be on, the cheapest first.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everybody.' }),
      returns: listOf(SubscriptionPlan, 'The plans, the cheapest first.'),
    },
    getDevOrgPlans,
  ),
  op(
    'GET /dev-orgs/plans/{planId}',
    {
      id: 'getDevOrgPlan',
      sdk: 'PlanController.getPlan',
      summary: 'Read a plan for organizations',
      description: 'Returns one plan an organization can be on, by its id or its sk.',
      facts: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everybody.' }),
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
      description: `Creates an organization on the free plan and mails a one-time password to its e-mail address; it works for ${otpTtlSeconds / 60} minutes. Until the password is sent back with POST /dev-orgs/verify the organization can be read, but has no wallet and no client applications. The same name and e-mail address again, while it is unconfirmed, mail a new password for it. A user can have ${maxUnverified} unconfirmed organizations, which are dropped after ${unverifiedTtlSeconds / 3600} hours, and ask for ${maxMailsPerHour} mails in an hour.`,
      facts: {
        senderDecides: 'name email',
        idsOfNobody: { pk: 'Not read: an organization always belongs to the caller.' },
      },
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
      description: `Confirms the e-mail address of the caller’s organization that this one-time password was mailed for. A password works once. After ${maxWrongTries} wrong ones a new mail has to be asked for.`,
      facts: { needsNoKey: 'A one-time password works once by itself.', senderDecides: 'otp' },
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
      description: 'Returns the organizations of the caller, the oldest first, confirmed or not.',
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
      summary: 'Read an organization',
      description: 'Returns one organization of the caller.',
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
        'Makes the wallet of a confirmed organization: a Safe whose owner’s key is made and kept by the signer. The address can receive money at once; the contract is deployed by POST /latchkey/treasuries/{address}/deploy or with the first transfer. Asking again returns the same wallet. Fails with UNAVAILABLE while the signer is down.',
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
      summary: 'Read the wallet of an organization',
      description:
        'Returns the Safe of the organization with its status and balance as its chain shows them; 404 before it was made.',
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
        'Returns the organizations of the signed-in person, the oldest first, with whether each is confirmed and what its plan allows.',
      access: user(),
      returns: listOf(OrganizationOverview, 'The organizations, the oldest first.'),
    },
    listOrganizationOverviews,
  ),
] as const;
