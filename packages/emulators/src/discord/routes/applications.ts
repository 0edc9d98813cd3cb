import { botOf, type Call, type Define } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { readText } from '../fields.ts';
import { verifyEndpoint } from '../interactions/verify-endpoint.ts';
import { ok, type Reply } from '../reply.ts';
import { viewApplication, viewUser } from '../views.ts';

export function defineApplications(define: Define): void {
  define('GET /applications/@me', 'other', (call) => ok(viewApplication(botOf(call))));
  define('GET /oauth2/applications/@me', 'other', (call) => ok(viewApplication(botOf(call))));
  define('PATCH /applications/@me', 'other', changeApplication);
  define('GET /oauth2/@me', 'other', readAuthorization);
}

/** An interactions endpoint is accepted only if it proves that it verifies signatures. */
async function changeApplication(call: Call): Promise<Reply> {
  const application = botOf(call);
  if ('interactions_endpoint_url' in call.body) {
    const url = readText(call.body, 'interactions_endpoint_url', 1024) || undefined;
    if (url !== undefined && (await verifyEndpoint(call.world, application, url)) !== undefined) {
      throw invalidField(
        'interactions_endpoint_url',
        'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID',
        'The specified interactions endpoint url could not be verified.',
      );
    }
    application.interactionsUrl = url;
  }
  if ('role_connections_verification_url' in call.body)
    application.roleConnectionsUrl = readAddress(readText(call.body, 'role_connections_verification_url', 2048));
  return ok(viewApplication(application));
}

function readAddress(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw invalidField('role_connections_verification_url', 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
}

function readAuthorization(call: Call): Reply {
  if (call.actor.kind !== 'user') throw refusal('unauthorized');
  const { application, scopes, expiresAtMs, user } = call.actor;
  const { id, name, verify_key } = viewApplication(application);
  return ok({
    application: { id, name, icon: null, description: '', bot_public: true, bot_require_code_grant: false, verify_key },
    scopes: [...scopes],
    expires: new Date(expiresAtMs).toISOString(),
    ...(scopes.has('identify') ? { user: viewUser(user) } : {}),
  });
}
