import { AppError, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { OrganizationRow } from './queries.ts';

/** How many unconfirmed organizations a user may have. */
export const maxUnverified = 3;
/** An organization that was not confirmed within this time may be replaced. */
export const unverifiedTtlSeconds = 24 * 60 * 60;

// No control characters, so that the name can be stored and shown anywhere.
const printable = '^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$';

export const OrganizationCreate = record('OrganizationCreate', 'An organization to create.', {
  pk: T.Optional(text('Ignored: an organization always belongs to the user who creates it.')),
  name: text('The name of the organization.', { minLength: 1, maxLength: 200, pattern: printable }),
  email: text('Where the one-time password is sent, and later messages about the organization.', {
    format: 'email',
    maxLength: 254,
  }),
});
export type OrganizationCreate = ValueOf<typeof OrganizationCreate>;

export const OrganizationVerify = record('OrganizationVerify', 'The confirmation of the e-mail address.', {
  otp: text('The six digits from the e-mail.', { minLength: 6, maxLength: 6, pattern: '^[0-9]{6}$' }),
});

export const Organization = record('Organization', 'An organization of developers, which owns client applications.', {
  pk: T.Optional(text('The id of the user it belongs to.')),
  sk: text('ORG# and the id of the organization; paths take it with or without ORG#.'),
  name: text('The name of the organization.'),
  email: text('Where messages about the organization are sent.'),
  createdTime: T.Number({ description: 'When it was created, in milliseconds since 1970.' }),
  classifier: T.Optional(text('Always ORGANIZATION.')),
  userId: text('The id of the user it belongs to.'),
  planId: T.Optional(text('The id of its plan.')),
});
export type Organization = ValueOf<typeof Organization>;

export function toOrganization(row: OrganizationRow): Organization {
  return {
    pk: row.created_by_id,
    sk: qualifiedId(row),
    classifier: 'ORGANIZATION',
    name: row.name,
    email: row.email,
    createdTime: row.created_at.getTime(),
    userId: row.created_by_id,
    planId: row.plan_id,
  };
}

export function qualifiedId(row: Pick<OrganizationRow, 'id'>): string {
  return `ORG#${row.id}`;
}

/** Returns the local id from an id or sk; undefined if the text is neither. */
export function organizationIdOf(idOrSk: string): string | undefined {
  return /^(?:ORG#)?([0-9A-Za-z]{21})$/.exec(idOrSk)?.[1];
}

/** Refuses what requires a confirmed e-mail address. */
export function requireVerified(organization: Pick<OrganizationRow, 'verified_at'>): void {
  if (organization.verified_at !== null) return;
  throw new AppError(
    'ORGANIZATION_NOT_VERIFIED',
    'Confirm the e-mail address of the organization first, with the one-time password that was sent to it.',
  );
}

/**
 * Whether the same organization is requested again, which sends another one-time password instead of creating a second
 * one.
 */
export function isSameRequest(row: Pick<OrganizationRow, 'name' | 'email'>, request: OrganizationCreate): boolean {
  return row.name === request.name && row.email.toLowerCase() === request.email.toLowerCase();
}
