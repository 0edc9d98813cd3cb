import { type Operation, openIdScopes, type Route, scopes, type TSchema, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import {
  clientAuthMethods,
  codeChallengeMethods,
  logoutPath,
  scopeClaims,
  signingAlg,
  userinfoPath,
} from '../oauth2/index.ts';
import type { ProviderMetadata } from './discovery.ts';

/** Describes the provider from the operations that are served, so that it cannot promise anything else. */
export function describeProvider(ctx: Pick<Context, 'resources' | 'settings'>): ValueOf<typeof ProviderMetadata> {
  const { baseUrl } = ctx.settings;
  const authorize = findServed(ctx, 'GET /oauth2/authorize');
  const token = findServed(ctx, 'POST /oauth2/token');
  const urlOf = (operation: Operation | undefined) => operation && `${baseUrl}${operation.path}`;
  return {
    issuer: baseUrl,
    authorization_endpoint: urlOf(authorize),
    token_endpoint: urlOf(token),
    userinfo_endpoint: authorize && `${baseUrl}${userinfoPath}`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    introspection_endpoint: urlOf(findServed(ctx, 'POST /oauth2/introspect')),
    end_session_endpoint: authorize && `${baseUrl}${logoutPath}`,
    revocation_endpoint: urlOf(findServed(ctx, 'POST /oauth2/revoke')),
    response_types_supported: authorize && wordsOf(authorize.params.response_type),
    grant_types_supported: token && [...(wordsOf(token.body?.schema, 'grant_type') ?? []), ...implicitOf(authorize)],
    scopes_supported: requestableScopes,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [signingAlg],
    code_challenge_methods_supported: authorize && [...codeChallengeMethods],
    token_endpoint_auth_methods_supported: token && [...clientAuthMethods],
    introspection_endpoint_auth_methods_supported: token && [...clientAuthMethods],
    revocation_endpoint_auth_methods_supported: token && [...clientAuthMethods],
    response_modes_supported: authorize && ['query', 'fragment'],
    claims_supported: authorize && [...new Set([...Object.values(scopeClaims).flat(), 'auth_time', 'iss'])],
    ...(authorize && {
      authorization_response_iss_parameter_supported: true,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
    }),
  };
}

const requestableScopes = [...openIdScopes, ...Object.keys(scopes).filter((id) => !id.startsWith('$'))];

function findServed(ctx: Pick<Context, 'resources'>, route: Route): Operation | undefined {
  return ctx.resources.flatMap((resource) => resource.operations).find((operation) => operation.route === route);
}

/** Tokens that come without a code are a grant of their own, though nobody asks the token endpoint for them. */
function implicitOf(authorize: Operation | undefined): string[] {
  const words = wordsOf(authorize?.params.response_type) ?? [];
  return words.includes('token') || words.includes('id_token') ? ['implicit'] : [];
}

interface JsonSchema {
  const?: string;
  enum?: string[];
  anyOf?: TSchema[];
  oneOf?: TSchema[];
  properties?: Record<string, TSchema>;
}

// A schema of the contract is plain JSON Schema; its type only remembers the values it accepts, not the keywords.
function keywordsOf(schema: TSchema | undefined): JsonSchema {
  return (schema ?? {}) as JsonSchema;
}

/** The fixed words a schema accepts, or one of its properties does; undefined when it names none. */
function wordsOf(schema: TSchema | undefined, property?: string): string[] | undefined {
  const { anyOf = [], oneOf = [], properties = {} } = keywordsOf(schema);
  const own = keywordsOf(property === undefined ? schema : properties[property]);
  const words = [
    ...(own.enum ?? []),
    ...(own.const === undefined ? [] : [own.const]),
    ...[...anyOf, ...oneOf].flatMap((branch) => wordsOf(branch, property) ?? []),
  ];
  return words.length === 0 ? undefined : [...new Set(words)];
}
