import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { UserAuthorizationRow } from './queries.ts';

const classifier = 'USER_AUTHORIZATION';

export const UserAuthorization = record('UserAuthorization', 'What a person allowed an application.', {
  id: T.Optional(text('The account and the application, joined by a slash.', { maxLength: 256 })),
  createdTime: T.Optional(text('When the person first allowed it something, as an ISO 8601 time.', { maxLength: 32 })),
  pk: T.Optional(text('The account.', { maxLength: 128 })),
  sk: T.Optional(text('USER_AUTHORIZATION# and the client id.', { maxLength: 128 })),
  classifier: T.Optional(text('Always USER_AUTHORIZATION.', { maxLength: 64 })),
  classifierGroup: T.Optional(text('Always USER_AUTHORIZATION.', { maxLength: 64 })),
  clientApplicationId: T.Optional(text('The client id of the application.', { maxLength: 64 })),
  scopes: T.Optional(texts('What is allowed.', { maxLength: 256 })),
});
export type UserAuthorization = ValueOf<typeof UserAuthorization>;

export const UserAuthorizationScopes = record('UserAuthorizationScopes', 'What a person allows.', {
  rememberDecisions: T.Optional(
    T.Boolean({ description: 'Do not ask again for these scopes. The person is asked again unless this is true.' }),
  ),
  scopes: T.Optional(
    texts('The scopes that are allowed, out of those that were asked for. Defaults to none.', { maxLength: 256 }),
  ),
});
export type UserAuthorizationScopes = ValueOf<typeof UserAuthorizationScopes>;

/** The record as the API shows it. */
export function toRecord(row: UserAuthorizationRow): UserAuthorization {
  return {
    id: `${row.user_id}/${row.client_id}`,
    createdTime: row.created_at.toISOString(),
    pk: row.user_id,
    sk: `${classifier}#${row.client_id}`,
    classifier,
    classifierGroup: classifier,
    clientApplicationId: row.client_id,
    scopes: row.scopes,
  };
}
