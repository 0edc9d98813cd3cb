import { findClient } from '../authenticate.ts';
import type { Call, Define } from '../call.ts';
import { refusal } from '../errors.ts';
import { showConsent, takeDecision } from '../oauth/consent.ts';
import type { Grants } from '../oauth/grants.ts';
import { isInvitation, showInvitation, takeInvitation } from '../oauth/invitation.ts';
import { json, ok, type Reply } from '../reply.ts';
import type { Application } from '../state/types.ts';

/** Sign-in with Discord: RFC 6749 with Discord's errors. */
export function defineOAuth(grants: Grants): (define: Define) => void {
  return (define) => {
    const open = { isOpen: true };
    const byLink = (invitation: (call: Call) => Reply, login: (call: Call, grants: Grants) => Reply) => (call: Call) =>
      isInvitation(call) ? invitation(call) : login(call, grants);
    define('GET /oauth2/authorize', 'other', byLink(showInvitation, showConsent), open);
    define('POST /oauth2/authorize', 'other', byLink(takeInvitation, takeDecision), open);
    define('GET /.well-known/oauth-authorization-server', 'other', ({ world }) => ok(describe(world.origin)), open);
    define('POST /oauth2/token', 'other', (call) => giveToken(call, grants), open);
    define('POST /oauth2/token/revoke', 'other', (call) => revokeToken(call, grants), open);
  };
}

const text = (call: Call, name: string): string => String(call.body[name] ?? '');

/** Authenticates the client by HTTP Basic or by form fields. */
function clientOf(call: Call): Application | undefined {
  if (call.actor.kind === 'client') return call.actor.application;
  return findClient(call.world, text(call, 'client_id'), text(call, 'client_secret'));
}

function giveToken(call: Call, grants: Grants): Reply {
  const application = clientOf(call);
  if (application === undefined) return json(401, { error: 'invalid_client' });
  switch (text(call, 'grant_type')) {
    case 'authorization_code': {
      const { code_verifier: verifier } = call.body;
      const redirectUri = text(call, 'redirect_uri');
      const proof = typeof verifier === 'string' ? verifier : undefined;
      const exchanged = grants.exchange(application, text(call, 'code'), redirectUri, proof);
      if ('token' in exchanged) return ok(exchanged.token);
      return json(400, { error: exchanged.error, error_description: exchanged.description });
    }
    case 'refresh_token':
      return tokenOr(grants.refresh(application, text(call, 'refresh_token')), 'Invalid "refresh_token" in request.');
    case 'client_credentials': {
      const scopes = new Set(
        text(call, 'scope')
          .split(' ')
          .filter((scope) => scope !== ''),
      );
      return ok(grants.issue(application, application.owner, scopes, false));
    }
    default:
      return json(400, { error: 'unsupported_grant_type', error_description: 'Grant type is not supported' });
  }
}

/** RFC 8414 metadata, as Discord publishes it. */
function describe(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/api/oauth2/authorize`,
    token_endpoint: `${origin}/api/oauth2/token`,
    revocation_endpoint: `${origin}/api/oauth2/token/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

function tokenOr(token: unknown, description: string): Reply {
  return token === undefined ? json(400, { error: 'invalid_grant', error_description: description }) : ok(token);
}

function revokeToken(call: Call, grants: Grants): Reply {
  const application = clientOf(call);
  if (application === undefined) throw refusal('unauthorized');
  grants.revoke(application, text(call, 'token'));
  return ok({});
}
