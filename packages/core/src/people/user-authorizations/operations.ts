import { alsoThePerson, NoContent, op, pageOf, pageParams, resource, text, user } from '@latchkey/kernel';
import { consentPurpose } from './consent-token.ts';
import { createUserAuthorization } from './create.ts';
import { getUserAuthorizationByClientId, getUserAuthorizations } from './reads.ts';
import { deleteUserAuthorization } from './remove.ts';
import { UserAuthorization, UserAuthorizationScopes } from './user-authorization.ts';

const clientId = text('The client id of the application.', { minLength: 1, maxLength: 64 });

export const userAuthorizations = resource(
  'user-authorizations',
  'What people allowed applications to know and do, and how they take it back.',
  [
    op(
      'POST /user-authorizations/{slug}',
      {
        id: 'createUserAuthorization',
        sdk: 'UserAuthorizationController.createUserAuthorization',
        summary: 'Approve an app’s request',
        description:
          'Records what the person allows the application whose request the slug names. It takes effect when the browser of that person goes on to /oauth2/callback/{slug} with userAuthorization=granted.',
        audit: 'access.allow',
        facts: {
          senderDecides: 'rememberDecisions scopes',
          idsOfNobody: { slug: 'Known to the browser that an application has sent here; it decides for itself.' },
        },
        access: { ...user(), purpose: consentPurpose },
        params: { slug: text('Names the request of the application.', { minLength: 1, maxLength: 64 }) },
        body: UserAuthorizationScopes,
        returns: UserAuthorization,
        errors: ['ENTITY_NOT_FOUND'],
        repeatable: true,
      },
      createUserAuthorization,
    ),
    op(
      'GET /user-authorizations/{clientId}',
      {
        id: 'getUserAuthorizationByClientId',
        sdk: 'UserAuthorizationController.getUserAuthorizationByClientId',
        summary: 'Get an app’s access',
        description:
          'Returns what the signed-in person allowed this application. For the person’s own session and for apps owned by the operator.',
        facts: { idsOfNobody: { clientId: 'An application; only what the caller allowed it is looked for.' } },
        access: alsoThePerson(user('$internal')),
        params: { clientId },
        returns: UserAuthorization,
        errors: ['ENTITY_NOT_FOUND'],
      },
      getUserAuthorizationByClientId,
    ),
    op(
      'DELETE /user-authorizations/{clientId}',
      {
        id: 'deleteUserAuthorization',
        sdk: 'UserAuthorizationController.deleteUserAuthorization',
        summary: 'Revoke an app’s access',
        description:
          'Forgets what the person allowed this application and ends every token that the application has from the person, at once. For the person’s own session and for apps owned by the operator.',
        audit: 'access.revoke',
        facts: { idsOfNobody: { clientId: 'An application; only what the caller allowed it is taken back.' } },
        access: alsoThePerson(user('$internal')),
        params: { clientId },
        returns: NoContent,
        errors: ['ENTITY_NOT_FOUND'],
      },
      deleteUserAuthorization,
    ),
    op(
      'GET /user-authorizations',
      {
        id: 'getUserAuthorizations',
        sdk: 'UserAuthorizationController.getUserAuthorizations',
        summary: 'List apps with access to your account',
        description:
          'Returns what the signed-in person allowed to which application. For the person’s own session and for apps owned by the operator.',
        access: alsoThePerson(user('$internal')),
        params: pageParams,
        returns: pageOf(UserAuthorization, 'UserAuthorizationPage'),
        paginated: 'token',
      },
      getUserAuthorizations,
    ),
  ],
);
