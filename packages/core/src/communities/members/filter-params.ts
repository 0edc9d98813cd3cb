import { choice, T, text } from '@latchkey/kernel';

/** What a list of members can be asked for; an export takes the same. */
export const memberFilter = {
  search: T.Optional(
    text(
      'Only members whose name or id contains this, whatever the capitals. Finds part of a wallet address too, from 4 characters on, where you may see it: your own, or any for the operator.',
      { maxLength: 128 },
    ),
  ),
  roleIds: T.Optional(
    T.Array(text('The id of a role on the platform.', { minLength: 1, maxLength: 128 }), {
      description: 'Only members with these roles.',
      maxItems: 25,
    }),
  ),
  roleMatch: T.Optional(
    choice('Whether a member must have any of the roles or all of them. Defaults to any.', ['any', 'all'] as const),
  ),
  hasWallet: T.Optional(T.Boolean({ description: 'Only members with, or without, a linked wallet.' })),
  hasGuestPass: T.Optional(T.Boolean({ description: 'Only members with, or without, a guest pass.' })),
  order: T.Optional(
    choice('By name, or by last activity, most recent first. Defaults to name.', ['name', 'activity'] as const),
  ),
};
