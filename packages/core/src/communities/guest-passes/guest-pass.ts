import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { GuestPassRow } from './queries.ts';

export const Role = record('Role', 'A role of a community.', {
  id: T.Optional(text('The platform’s own id of the role.', { maxLength: 64 })),
  name: T.Optional(text('The name of the role.', { maxLength: 100 })),
  color: T.Optional(T.Number({ description: 'Its color, as an RGB number.' })),
});

const carried = {
  id: T.Optional(text('The id of the pass.', { maxLength: 64 })),
  createdTime: T.Optional(text('When it was created, in ISO 8601 format.')),
  pk: T.Optional(text('The id of the community.')),
  sk: T.Optional(text('The key of the pass within the community.')),
  classifier: T.Optional(text('Always GUESTPASS.')),
  classifierGroup: T.Optional(text('Always GUESTPASS.')),
};

const decided = {
  name: T.Optional(text('The name of the pass.', { minLength: 1, maxLength: 200 })),
  description: T.Optional(text('What it is for.', { maxLength: 2000 })),
  roleSet: T.Optional(T.Array(Role, { description: 'The roles it grants.', maxItems: 50 })),
  platform: T.Optional(text('Always discord.')),
  period: T.Optional(T.Number({ description: 'How long it lasts once it is given to a member, in seconds.' })),
};

export const GuestPassRequest = record(
  'GuestPassRequest',
  'A guest pass to create. It needs a name and at least one role; the server sets ids and times.',
  {
    ...carried,
    ...decided,
    status: T.Optional(choice('Whether it can be given to members. Defaults to active.', ['active', 'inactive'])),
  },
);
export type GuestPassRequest = ValueOf<typeof GuestPassRequest>;

export const GuestPass = record(
  'GuestPass',
  'A pass that grants roles to a guest for a limited time, without any token.',
  {
    ...carried,
    ...decided,
    type: T.Optional(text('The type of rule that requires it: GUESTPASS.')),
    status: T.Optional(text('active or inactive.')),
    scheme: T.Optional(text('The scheme of a rule for this pass: VC.')),
    asset: T.Optional(text('The asset of a rule for this pass.')),
  },
);
export type GuestPass = ValueOf<typeof GuestPass>;

const classifier = 'GUESTPASS';

export function toGuestPass(row: GuestPassRow): GuestPass {
  return {
    id: row.id,
    createdTime: row.created_at.toISOString(),
    pk: row.community_id,
    sk: `${classifier}#${row.id}`,
    classifier,
    classifierGroup: classifier,
    name: row.name,
    description: row.description ?? undefined,
    roleSet: row.role_set,
    platform: 'discord',
    type: 'GUESTPASS',
    status: row.status,
    period: row.period_seconds,
    scheme: 'VC',
    asset: 'veramo:collabland/vc:vc',
  };
}

/** How rules refer to a pass: one value for each of its roles. */
export function passTrait(communityId: string, passId: string, roleId: string): string {
  return `${communityId}:${passId}:${roleId}`;
}
